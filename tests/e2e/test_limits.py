# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens at the service's own ends: a full disk, too many questions, stopping."""
import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest

import service as service_module
from service import PATIENCE, Client


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

    def ask(i):
        answers.append(Client(shared.port, f"127.0.1.{1 + i % 8}").get("/api/v1/targets"))

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


def test_while_it_stops_nothing_new_is_taken(service):
    """An engine that does not answer holds the stop up; requests that change something get 503."""
    client = service.client
    run_id = client.submit(service.long_definition())
    client.wait(run_id, lambda r: r["progress"]["phase"] == "measure")
    engine = service.engines()[0]
    os.kill(engine, signal.SIGSTOP)
    try:
        service.process.send_signal(signal.SIGTERM)
        refused = None
        for _ in range(50):
            refused = client.post("/api/v1/runs", service.definition())
            if refused.status == 503:
                break
        assert (refused.status, refused.code) == (503, "shutting_down")
        assert client.run(run_id)["state"] == "running", "readers are still answered"
    finally:
        os.kill(engine, signal.SIGCONT)
    service.stop()
    service.start()
    assert service.client.run(run_id)["state"] == "interrupted"


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
        assert service.stop() < (10 if PATIENCE > 20 else 5)
    finally:
        for process in busy:
            process.kill()
            process.wait()
