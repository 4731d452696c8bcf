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
# For what hangs, on a machine twenty times slower than any we know: sanitized programs are several
# times slower still. What a test is about has tighter figures.
PATIENCE = 180 if SLOW else 60


def definition(target, rw="randread", **members):
    """A small one; options of the workload in `options`. What is drawn is the same in each run."""
    options = {"rw": rw, "bs": "4k", "size": "4M", "runtime": "0.2"}
    options.update(members.pop("options", {}))
    whole = {"name": "test", "seed": 1, "target": target, "workloads": [{"name": "w", **options}]}
    whole.update(members)
    return whole


class Engine:
    """One engine process. state: its directory; allow: paths; room: bytes that it may say unread."""

    def __init__(self, state, allow, wrapper=(), stderr=None, environment=None,
                 program=PROGRAM, room=None):
        ours, theirs = socket.socketpair()
        if room:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)
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
        try:
            self.socket.sendall(json.dumps({"call": call, **members}).encode() + b"\n")
        except BrokenPipeError:
            pass  # it has ended; what it said is still to be read

    def receive(self):
        """What there is; nothing at the end, also where it left before it read our last line."""
        try:
            return self.socket.recv(1 << 20)
        except ConnectionResetError:
            return b""

    def read(self, timeout=PATIENCE):
        """The next line as an object; None at the end."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError(f"the engine said nothing for {timeout} s: {self.lines[-3:]}")
            data = self.receive()
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

    def has_said(self, predicate):
        """Whether one of the lines up to now is such a line."""
        while b"\n" in self.buffer or select.select([self.socket], [], [], 0)[0]:
            if self.read() is None:
                break
        return any(predicate(line) for line in self.lines)

    def hold(self):
        """Stops the process; False where it has ended."""
        if self.process.poll() is not None:
            return False
        self.process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            return True
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return False

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

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


def once_within(seconds, attempt, tries=4):
    """That it can be done in so short a time, which attempt() returns. A machine that was held up
    has another try; a program that is too slow is so each time."""
    took = []
    while not took or took[-1] >= seconds:
        assert len(took) < tries, f"not within {seconds} s: {took}"
        took.append(attempt())


def in_phase(phase):
    return lambda line: line.get("progress", {}).get("phase") == phase
