# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens at the service's own ends: a full disk, too many questions, stopping."""
import contextlib
import http.client
import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest

import service as service_module
from service import PATIENCE, SLOW, Client


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


@pytest.fixture
def small_disk(directory):
    """A file system of 24 MiB for the state."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    where = directory / "disk"
    where.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(where)], check=True)
    yield where
    subprocess.run(["umount", str(where)], check=True)


def test_a_nearly_full_disk_refuses_runs(small_disk, directory):
    service = service_module.Service(directory / "service")
    service.state = small_disk / "state"
    service.start()
    try:
        client = service.client
        filler = pathlib.Path(small_disk / "filler")
        filler.write_bytes(b"x" * (18 << 20))
        refused = client.post("/api/v1/runs", service.definition())
        assert (refused.status, refused.code) == (507, "storage_full")
        assert client.get("/api/v1/runs").json["runs"] == []
        with open(filler, "ab", buffering=0) as file, pytest.raises(OSError):
            while True:
                file.write(b"x" * 4096)
        refused = client.put("/api/v1/definitions/mine", service.definition())
        assert (refused.status, refused.code) == (507, "storage_full")
        assert client.get("/api/v1/definitions/mine").status == 404
        filler.unlink()
        client.wait_state(client.submit(service.definition()), "done")
    finally:
        service.stop()


def test_more_questions_than_can_wait(shared):
    """Some are answered, the rest are told to come back; none fails otherwise."""
    answers = []

    class Patient(Client):
        """Those that wait are answered one after another."""

        def connection(self, timeout=6 * PATIENCE):
            return super().connection(timeout)

    def ask(i):
        answers.append(Patient(shared.port, f"127.0.1.{1 + i % 8}").get("/api/v1/targets"))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 100
    assert {a.status for a in answers} <= {200, 503}
    assert sum(a.status == 200 for a in answers) >= 8
    assert {a.code for a in answers if a.status == 503} <= {"engine_busy"}
    assert shared.client.get("/api/v1/targets").status == 200


def ask_while_it_stops(service, run_id):
    """Its answers to what changes something, twice, and to a reader; None where it has stopped."""
    client = service.client
    try:
        while (saved := client.put("/api/v1/definitions/mine", service.definition())).status != 503:
            assert saved.status in (200, 201), saved  # it has not heard the signal yet
        return [saved, client.post("/api/v1/runs", service.definition()),
                client.get(f"/api/v1/runs/{run_id}")]
    except (OSError, http.client.HTTPException):
        return None


def test_while_it_stops_nothing_new_is_taken(service):
    """An engine that does not answer holds the stop up while the patience with it lasts, which is two
    seconds. Where these were over before all was answered nothing is known, and it is done again."""
    for _ in range(10):
        run_id = service.client.submit(service.long_definition())
        service.client.wait(run_id, lambda r: r["progress"]["phase"] == "measure")
        engine = os.pidfd_open(service.engines()[0])
        signal.pidfd_send_signal(engine, signal.SIGSTOP)
        began = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        answers = ask_while_it_stops(service, run_id)
        in_time = time.monotonic() - began < 2
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(engine, signal.SIGCONT)
        os.close(engine)
        assert service.process.wait(PATIENCE) == 0
        service.start()
        assert service.client.run(run_id)["state"] == "interrupted"
        wait_for(lambda: not list(service.scratch.iterdir()), "what a killed engine left stays")
        if in_time:
            break
    assert in_time, "it was never asked in time"
    assert answers, "it stopped without the engine"
    saved, queued, reader = answers
    assert {(saved.status, saved.code), (queued.status, queued.code)} == {(503, "shutting_down")}
    assert (reader.status, reader.json["state"]) == (200, "running"), "readers are still answered"


@pytest.mark.patient
def test_it_stops_in_time_on_a_busy_machine(make_service):
    """Its reporter has the lowest scheduling class, and nothing left to run in."""
    service = make_service()
    # pylint: disable-next=consider-using-with
    busy = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    try:
        run_id = service.client.submit(
            {
                "definition": "nine-workloads",
                "target": {"directory": str(service.scratch)},
                "factors": {"iodepth": [1, 16]},
                "repeats": 1,
                "override": {"size": "1m", "runtime": "100ms", "numjobs": 1, "ioengine": "null"},
            }
        )
        service.client.wait_state(run_id, "done", patience=120)
        time.sleep(0.5)  # into the drawing, of which nothing tells
        service.stop(PATIENCE if SLOW else 20)  # TimeoutStopSec of systemd/volbench.service
    finally:
        for process in busy:
            process.kill()
            process.wait()
