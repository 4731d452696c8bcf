# SPDX-License-Identifier: GPL-3.0-or-later
"""A service under test, and a client that holds each answer against openapi.yaml."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import contract
from engine import PATIENCE, PROGRAM, SLOW


class Answer:
    """status, headers (names in lower case), body; json where it is JSON."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body
        self.json = None

    @property
    def code(self):
        return (self.json or {}).get("code")

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class Client:
    """Each request on a connection of its own, from `source` where it matters."""

    def __init__(self, port, source=None):
        self.port = port
        self.source = source

    def connection(self, timeout=PATIENCE):
        source = (self.source, 0) if self.source else None
        return http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=timeout, source_address=source
        )

    def request(self, method, target, body=None, headers=None, raw=None):
        """body is sent as JSON, raw as it is. Returns a checked Answer."""
        headers = dict(headers or {})
        if body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            headers.setdefault("Content-Type", "application/json")
        connection = self.connection()
        try:
            connection.request(method, target, body=raw, headers=headers)
            response = connection.getresponse()
            answer = Answer(
                response.status,
                {k.lower(): v for k, v in response.getheaders()},
                response.read(),
            )
        finally:
            connection.close()
        answer.json = contract.check_response(
            method, target, answer.status, answer.headers, answer.body
        )
        return answer

    def get(self, target, **more):
        return self.request("GET", target, **more)

    def post(self, target, body=None, **more):
        return self.request("POST", target, body, **more)

    def put(self, target, body=None, **more):
        return self.request("PUT", target, body, **more)

    def delete(self, target, **more):
        return self.request("DELETE", target, **more)

    def submit(self, definition, **more):
        """Queues a run; its id."""
        answer = self.post("/api/v1/runs", definition, **more)
        assert answer.status == 202, answer
        assert answer.headers["location"] == f"/api/v1/runs/{answer.json['id']}"
        return answer.json["id"]

    def run(self, run_id):
        answer = self.get(f"/api/v1/runs/{run_id}")
        assert answer.status == 200, answer
        return answer.json

    def wait(self, run_id, done, patience=PATIENCE):
        """Long-polls until done(run) holds."""
        until = time.monotonic() + patience
        run = self.run(run_id)
        while not done(run):
            assert time.monotonic() < until, f"still {run}"
            answer = self.get(f"/api/v1/runs/{run_id}?after={run['seq']}&wait=5")
            assert answer.status == 200, answer
            run = answer.json
        return run

    def wait_state(self, run_id, *states, patience=PATIENCE):
        run = self.wait(run_id, lambda r: r["state"] in states + ENDED, patience)
        assert run["state"] in states, run
        return run

    def wait_report(self, run_id, patience=120):
        """Until it is drawn, which has the lowest scheduling class and nothing that tells.

        Asked for by its page, as where a service stopped too early to draw it.
        """
        self.wait_drawn(f"/runs/{run_id}/", patience)

    def wait_drawn(self, address, patience=120):
        """The same of any report, by its page's address."""
        until = time.monotonic() + patience
        assert self.get(address).status == 200
        while (page := self.get(address + "index.html")).status != 200:
            assert time.monotonic() < until, "no report"
            time.sleep(0.05)
        return page.body.decode()

    def events(self, run_id):
        return EventStream(self, run_id)

    def raw(self, data, close_write=False):
        """Sends bytes as they are and reads to the end of the connection."""
        with socket.create_connection(
            ("127.0.0.1", self.port), PATIENCE, (self.source, 0) if self.source else None
        ) as s:
            try:
                s.sendall(data)
                if close_write:
                    s.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it may answer before it has read all
            received = b""
            try:
                while chunk := s.recv(65536):
                    received += chunk
            except ConnectionResetError:
                pass
        return received


ENDED = ("done", "failed", "cancelled", "interrupted")


class EventStream:
    """Reads server-sent events; a context manager."""

    def __init__(self, client, run_id):
        self.connection = client.connection()
        target = f"/api/v1/runs/{run_id}/events"
        self.connection.request("GET", target, headers={"Accept": "text/event-stream"})
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.headers = {k.lower(): v for k, v in self.response.getheaders()}
        if self.status != 200:
            body = self.response.read()
            self.json = contract.check_response("GET", target, self.status, self.headers, body)
        else:
            contract.check_response("GET", target, self.status, self.headers, b"")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.response.close()
        self.connection.close()

    def read(self):
        """The next event as (name, id, run), or None at the end; comments are ("", None, None)."""
        name, number, run, any_line = "", None, None, False
        while line := self.response.readline():
            line = line.decode("utf-8").rstrip("\n")
            if not line:
                if name:
                    contract.check_value("Run", run)
                if name or any_line:
                    return name, number, run
                continue
            any_line = any_line or line.startswith(":")
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "id":
                number = int(value)
            elif field == "data":
                run = json.loads(value)
        return None

    def all(self):
        events = []
        while (event := self.read()) is not None:
            events.append(event)
        return events


class Service:
    """`volbench serve` on a free port of the loopback, with a state and a scratch directory."""

    def __init__(self, directory, allow=(), options=(), environment=None, prefix=()):
        self.directory = pathlib.Path(directory)
        self.state = self.directory / "state"
        self.scratch = self.directory / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.allow = [str(self.scratch), *map(str, allow)]
        self.options = list(options)
        self.environment = {**os.environ, **(environment or {})}
        self.prefix = list(prefix)
        self.errors = self.directory / "stderr"
        self.process = None
        self.port = None
        self.client = None

    def start(self):
        command = [
            *self.prefix, PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", str(self.state),
            *self.options,
        ]
        for path in self.allow:
            command += ["--allow", path]
        told_before = len(self.log())
        with open(self.errors, "ab") as errors:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=errors, env=self.environment
            )
        self.port = self._read_port(told_before)
        self.client = Client(self.port)
        return self

    def _read_port(self, told_before):
        """From the log, which says it once the service listens."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if match := re.search(r"listening on http://127\.0\.0\.1:(\d+)\n", self.log()[told_before:]):
                return int(match.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        self.process.kill()
        self.process.wait()
        raise AssertionError(f"the service did not start: {self.log()}")

    def log(self):
        return self.errors.read_text(errors="replace") if self.errors.exists() else ""

    def stop(self, patience=PATIENCE):
        """SIGTERM; exit 0 and nothing left behind. Seconds it took."""
        if self.process is None:
            return 0
        took = self._end(patience)
        self.check_clean()
        return took

    def _end(self, patience=PATIENCE):
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the service did not stop: {self.log()}") from None
        took = time.monotonic() - began
        self.process = None
        assert status == 0, f"exit status {status}: {self.log()}"
        return took

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def check_clean(self):
        # one whose service was killed in the test may be on its way out
        until = time.monotonic() + PATIENCE
        while engines := self.engines():
            assert time.monotonic() < until, f"engines left: {engines}"
            time.sleep(0.02)
        if self.left() and list((self.state / "engine").glob("*.manifest")):
            self._sweep()
        assert not self.left(), f"left in the scratch directory: {self.left()}"
        temporary = list(self.state.rglob(".tmp-*"))
        assert not temporary, f"temporary files left: {temporary}"
        for word in ("AddressSanitizer", "ThreadSanitizer", "runtime error:", "LeakSanitizer"):
            assert word not in self.log(), self.log()

    def left(self):
        return [p for p in self.scratch.iterdir() if p.name != "keep"]

    def _sweep(self):
        """An engine that was held up for seconds when the service stopped was killed: what it has
        left is named, and the next start removes it."""
        self.start()
        until = time.monotonic() + PATIENCE
        while self.left() and time.monotonic() < until:
            time.sleep(0.02)
        self._end()

    def engines(self):
        """Ids of the engine processes that work for this state directory."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if b"engine" in words[1:2] and str(self.state).encode() in b"\0".join(words):
                if state != "Z":
                    found.append(int(entry.name))
        return found

    def definition(self, **changes):
        """A small definition on a scratch file: two samples of 0.2 s, the same requests each time."""
        value = {
            "name": "small",
            "seed": 1,
            "target": {"directory": str(self.scratch)},
            "factors": {"bs": ["4k", "16k"]},
            "defaults": {"size": "1m", "runtime": "200ms", "iodepth": 4},
            "workloads": [{"name": "random read", "rw": "randread"}],
        }
        value.update(changes)
        return {k: v for k, v in value.items() if v is not None}

    def long_definition(self, **changes):
        """One sample that goes on until it is cancelled."""
        return self.definition(
            name="long",
            factors=None,
            defaults={"size": "1m", "runtime": 3600, "iodepth": 2},
            **changes,
        )
