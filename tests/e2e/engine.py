# SPDX-License-Identifier: GPL-3.0-or-later
"""`volbench engine` over a socket pair, as the service and the terminal commands drive it."""
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("VOLBENCH", str(ROOT / "build" / "volbench"))
SLOW = bool(os.environ.get("SANITIZED"))
# For what hangs; what a test is about has tighter figures.
PATIENCE = 60 if SLOW else 20


def definition(target, rw="randread", **members):
    """A small one; options of the workload in `options`."""
    options = {"rw": rw, "bs": "4k", "size": "4M", "runtime": "0.2"}
    options.update(members.pop("options", {}))
    whole = {"name": "test", "target": target, "workloads": [{"name": "w", **options}]}
    whole.update(members)
    return whole


class Engine:
    """One engine process. state: its directory; allow: paths."""

    def __init__(self, state, allow, wrapper=(), stderr=None, environment=None,
                 program=PROGRAM):
        ours, theirs = socket.socketpair()
        command = [*map(str, wrapper), str(program), "engine", "--state", str(state)]
        for path in allow:
            command += ["--allow", str(path)]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.DEVNULL,
                                        stderr=stderr, env={**os.environ, **(environment or {})})
        theirs.close()
        self.socket = ours
        self.buffer = b""
        self.lines = []

    def send(self, call, **members):
        self.socket.sendall(json.dumps({"call": call, **members}).encode() + b"\n")

    def read(self, timeout=PATIENCE):
        """The next line as an object; None at the end."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError(f"the engine said nothing for {timeout} s: {self.lines[-3:]}")
            data = self.socket.recv(1 << 20)
            if not data:
                assert self.buffer == b"", "a line was cut"
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        value = json.loads(line)
        self.lines.append(value)
        return value

    def ask(self, call, **members):
        """The one answer of a call other than run."""
        self.send(call, **members)
        answer = self.read()
        assert self.read() is None
        assert self.wait() == 0
        return answer

    def run(self, whole, run_id="test-run"):
        """All lines of a run to its end."""
        self.send("run", run=run_id, definition=whole)
        while self.read() is not None:
            pass
        assert self.wait() == 0
        return self.lines

    def until(self, predicate):
        """Reads up to the first line for which predicate holds, and returns it."""
        while True:
            line = self.read()
            assert line is not None, f"the engine ended early: {self.lines[-3:]}"
            if predicate(line):
                return line

    def wait(self, timeout=PATIENCE):
        return self.process.wait(timeout)

    def hang_up(self):
        """Closes the socket; seconds until the process was gone."""
        began = time.monotonic()
        self.socket.close()
        self.wait()
        return time.monotonic() - began

    def stop(self):
        self.socket.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


def started(lines):
    return next(line["started"] for line in lines if "started" in line)


def samples(lines):
    return [line["sample"] for line in lines if "sample" in line]


def end(lines):
    assert "end" in lines[-1], lines[-1]
    return lines[-1]["end"]


def in_phase(phase):
    return lambda line: line.get("progress", {}).get("phase") == phase
