# SPDX-License-Identifier: GPL-3.0-or-later
"""`volbench serve` as a process: how it starts, what it tells its manager, how it stops."""
import os
import re
import signal
import socket
import subprocess
import time

import pytest

from engine import PATIENCE, PROGRAM, SLOW, definition
from service import Client


class Process:
    """The service with its log; port once it listens."""

    def __init__(self, state, allow, **environment):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", state, "--allow", allow],
            stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.log = []

    def port(self):
        for line in self.process.stderr:
            self.log.append(line)
            match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
            if match:
                return int(match.group(1))
        raise AssertionError(f"it never listened: {self.log}")

    def stop(self, number=signal.SIGTERM):
        """Exit status and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        took = time.monotonic() - began
        self.log += self.process.stderr.readlines()
        self.process.stderr.close()
        return status, took


@pytest.fixture
def make(directory):
    scratch = directory / "scratch"
    scratch.mkdir()
    made = []

    def start(**environment):
        one = Process(directory / "state", scratch, **environment)
        made.append(one)
        return one

    yield start
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        one.process.stderr.close()


def post_run(port, scratch, **members):
    answer = Client(port).request("POST", "/api/v1/runs", body=definition(
        {"file": str(scratch / "target")}, **members))
    assert answer.status == 202, answer
    return answer.json["id"]


def wait_for(port, run, predicate):
    deadline = time.monotonic() + PATIENCE
    after = 0
    while time.monotonic() < deadline:
        state = Client(port).request("GET", f"/api/v1/runs/{run}?after={after}&wait=5").json
        if predicate(state):
            return state
        after = state["seq"]
    raise TimeoutError(state)


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_stops_on_a_signal(make, number):
    service = make()
    service.port()
    status, took = service.stop(number)
    assert status == 0
    assert SLOW or took < 5
    assert f"stopping on {number.name}\n" in service.log


def test_run_at_hand_is_interrupted(make, directory):
    service = make()
    port = service.port()
    options = {"rw": "randread", "bs": "4k", "size": "4M"}
    run = post_run(port, directory / "scratch", order="grouped", workloads=[
        {"name": "first", "runtime": "0.2", **options}, {"name": "second", "runtime": "0.2", **options},
        {"name": "endless", "runtime": 3600, **options}])
    wait_for(port, run, lambda state: state["progress"]["done"] == 2)
    assert service.stop()[0] == 0
    left = list((directory / "scratch").iterdir())
    assert left == [] or list((directory / "state" / "engine").glob("*.manifest")) != []
    port = make().port()
    state = Client(port).request("GET", f"/api/v1/runs/{run}").json
    assert state["state"] == "interrupted"
    result = Client(port).request("GET", f"/api/v1/runs/{run}/result").json
    assert [sample["workload"] for sample in result["samples"]] == ["first", "second"]
    # what an engine left that was killed, for it was held up for seconds, the next start removes
    wait_until(lambda: list((directory / "scratch").iterdir()) == [])


def test_next_one_waits_for_the_lock(make):
    first = make()
    first.port()
    second = make()
    time.sleep(0.5)  # it has nothing to say while it waits
    assert second.process.poll() is None
    assert first.stop()[0] == 0
    second.port()
    assert second.stop()[0] == 0


def test_manager_is_told(make, directory):
    path = directory / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.settimeout(PATIENCE)
        service = make(NOTIFY_SOCKET=str(path), WATCHDOG_USEC="200000")
        service.port()
        assert manager.recv(4096) == b"READY=1"
        for _ in range(3):
            assert manager.recv(4096) == b"WATCHDOG=1"
        service.process.send_signal(signal.SIGTERM)
        # read meanwhile: ten that nobody reads hold up who tells more
        while (state := manager.recv(4096)) == b"WATCHDOG=1":
            pass
        assert state == b"STOPPING=1"
        assert service.stop()[0] == 0


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "nonsense"])
def test_bad_address_is_told(directory, listen):
    done = subprocess.run([PROGRAM, "serve", "--listen", listen, "--state", directory / "state"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode != 0
    assert "--listen" in done.stderr


def test_address_in_use_is_told(make, directory):
    port = make().port()
    done = subprocess.run([PROGRAM, "serve", "--listen", f"127.0.0.1:{port}", "--state",
                           directory / "other"], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1
    assert str(port) in done.stderr and "in use" in done.stderr
