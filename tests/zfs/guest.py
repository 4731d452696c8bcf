# SPDX-License-Identifier: GPL-3.0-or-later
"""The program in the machine: its service, asked through curl there, and its terminal."""
import itertools
import json
import re
import shlex

import contract
import service as on_this_machine

PATIENCE = 300
numbers = itertools.count()


class Client(on_this_machine.Client):
    """As the end-to-end tests' client, each answer held against openapi.yaml too."""

    def __init__(self, machine, port):
        super().__init__(port)
        self.machine = machine

    def connection(self, timeout=PATIENCE):
        raise AssertionError("there is no connection from here to there: use request()")

    def request(self, method, target, body=None, headers=None, raw=None):
        headers = dict(headers or {})
        if body is not None:
            raw = json.dumps(body).encode()
        command = [
            "curl", "-sS", "-i", "-g", "--path-as-is", "--max-time", str(PATIENCE), "-X", method, "-H", "Expect:",
        ]  # fmt: skip
        if raw is not None:
            headers.setdefault("Content-Type", "application/json")
            self.machine.put(raw, f"{self.machine.state}/request")
            command += ["--data-binary", f"@{self.machine.state}/request"]
        for name, value in headers.items():
            command += ["-H", f"{name}: {value}"]
        command.append(f"http://127.0.0.1:{self.port}{target}")
        status, output = self.machine.run_bytes(shlex.join(command), 2 * PATIENCE)
        assert status == 0, f"{method} {target}: curl: {status}: {output}"
        head, _, content = output.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        got = {}
        for line in lines:
            name, _, value = line.partition(": ")
            got[name.lower()] = value
        answer = on_this_machine.Answer(int(first.split()[1]), got, content)
        answer.json = contract.check_response(method, target, answer.status, got, content)
        return answer

    def wait(self, run_id, done, patience=PATIENCE):
        return super().wait(run_id, done, patience)

    def wait_state(self, run_id, *states, patience=PATIENCE):
        return super().wait_state(run_id, *states, patience=patience)

    def wait_report(self, run_id, patience=PATIENCE):
        super().wait_report(run_id, patience)


class Service:
    """`volbench serve` in the machine, its state kept there."""

    def __init__(self, machine, datasets=(), allow=(), options=(), state=None, prefix=""):
        self.machine = machine
        self.state = state or f"{machine.state}/service-{next(numbers)}"
        self.errors = f"{self.state}.log"
        words = ["serve", "--listen", "127.0.0.1:0", "--state", self.state, *options]
        for name in datasets:
            words += ["--allow-dataset", name]
        for path in allow:
            words += ["--allow", path]
        self.command = f"{prefix} volbench {shlex.join(words)}".strip()
        self.process = None
        self.client = None

    def start(self):
        told = len(self.log())
        self.process = self.machine.start(self.command, self.errors)
        self.machine.wait_for(
            f"tail -c +{told + 1} {self.errors} | grep -q 'listening on' || ! kill -0 {self.process}"
        )
        match = re.search(r"listening on http://127\.0\.0\.1:(\d+)\n", self.log()[told:])
        assert match, f"the service did not start: {self.log()}"
        self.client = Client(self.machine, int(match.group(1)))
        return self

    def log(self):
        return self.machine.run(f"cat {self.errors} 2>/dev/null")[1]

    def engines(self):
        """Ids of the engine processes that work for this state directory."""
        running = self.machine.ok("ps -eo pid,args").splitlines()
        return [
            line.split()[0] for line in running
            if re.search(r"volbench engine .*" + re.escape(self.state + "/"), line)
        ]  # fmt: skip

    def kill_engine(self):
        """kill -9, as the machine would where memory runs out."""
        engines = self.engines()
        assert engines, "no engine to kill"
        self.machine.ok(f"kill -9 {' '.join(engines)}")

    def kill(self):
        """kill -9 of the service and its engines at once, until none is there any more."""
        engines = " ".join(self.engines())
        # one that answers a question may have ended meanwhile, and kill then says so
        self.machine.ok(f"kill -9 {self.process} && {{ kill -9 {engines} 2>/dev/null; true; }}")
        for process in (self.process, *engines.split()):
            self.machine.wait_for(f"! kill -0 {process}")
        self.process = None

    def stop(self):
        if self.process is None:
            return
        process, self.process = self.process, None
        self.machine.run(f"kill {process}")
        self.machine.wait_for(f"! kill -0 {process}")
        for engine in self.engines():  # one that was killed may be on its way out
            self.machine.wait_for(f"! kill -0 {engine}")
        for word in ("AddressSanitizer", "ThreadSanitizer", "runtime error:", "LeakSanitizer"):
            assert word not in self.log(), self.log()
