# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 of the service, the engine, or both, in the middle of a run."""
import os
import pathlib
import signal
import time

import pytest

import fuse
from service import PATIENCE


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def definition(service):
    """A short sample, then one that is interrupted."""
    return service.definition(
        factors=None,
        order="grouped",
        defaults={"size": "1m", "iodepth": 2},
        workloads=[
            {"name": "short", "rw": "randread", "runtime": "200ms"},
            {"name": "endless", "rw": "randwrite", "runtime": 120},
        ],
    )


def begin(service):
    """A run with a finished sample, one at hand, and one run queued behind it."""
    run_id = service.client.submit(definition(service))
    queued = service.client.submit(service.definition())
    service.client.wait(
        run_id, lambda r: r["progress"]["done"] == 1 and r["progress"]["phase"] == "measure"
    )
    assert service.engines()
    assert list(service.scratch.iterdir())
    return run_id, queued


def check_after(service, run_id, queued, state):
    client = service.client
    run = client.wait_state(run_id, state)
    result = client.get(f"/api/v1/runs/{run_id}/result")
    assert result.status == 200
    assert result.json["state"] == state
    assert [s["workload"] for s in result.json["samples"]] == ["short"]
    assert run["progress"]["done"] == 1
    client.wait_state(queued, "done")
    wait_for(lambda: not service.engines(), "an engine is left")
    assert not list(service.scratch.iterdir()), "scratch files are left"
    client.wait_report(run_id)
    page = client.get(f"/runs/{run_id}/").body
    assert b"1 of 2 samples" in page and b"short" in page, "no report of the finished sample"


def test_service_killed(service):
    run_id, queued = begin(service)
    service.kill()
    # the engine sees its socket close, stops and cleans up
    wait_for(lambda: not service.engines(), "the engine goes on measuring")
    wait_for(lambda: not list(service.scratch.iterdir()), "scratch files are left")
    service.start()
    check_after(service, run_id, queued, "interrupted")


def test_engine_killed(service):
    run_id, queued = begin(service)
    for pid in service.engines():
        os.kill(pid, signal.SIGKILL)
    check_after(service, run_id, queued, "interrupted")
    assert service.client.run(run_id)["error"]["code"] == "engine_failed"


def test_both_killed(service):
    run_id, queued = begin(service)
    engines = service.engines()
    os.kill(service.process.pid, signal.SIGSTOP)
    for pid in engines:
        os.kill(pid, signal.SIGKILL)
    service.kill()
    assert list(service.scratch.iterdir()), "nobody can have cleaned up"
    service.start()
    check_after(service, run_id, queued, "interrupted")


@pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")
@pytest.mark.parametrize("killed", ["service", "engine", "both"])
def test_killed_in_the_fill(make_service, directory, killed):
    """Before there is a sample: an empty result, and nothing of the half-filled file."""
    # Of 8 MiB at a time, each a tenth of a second: a fill that nobody sees the end of.
    with fuse.Mount(directory, delay_us=100000) as mount:
        service = make_service(allow=[mount.path])
        check_killed_in_the_fill(service, pathlib.Path(mount.path), killed)


def sizes(where):
    """Of the files in a directory, which may be given other names meanwhile."""
    with os.scandir(where) as entries:
        for entry in entries:
            try:
                yield entry.stat().st_size
            except FileNotFoundError:
                pass


def check_killed_in_the_fill(service, slow, killed):
    run_id = service.client.submit(
        service.definition(target={"directory": str(slow)}, factors=None,
                           defaults={"size": "3g", "runtime": 60})
    )
    queued = service.client.submit(service.definition())
    wait_for(lambda: any(sizes(slow)), "no file is filled")
    engines = service.engines()
    assert len(engines) == 1
    assert service.client.run(run_id)["progress"]["phase"] in ("prepare", "fill")
    if killed != "service":
        os.kill(engines[0], signal.SIGSTOP)  # it is not to clean up
    if killed != "engine":
        service.kill()
    if killed != "service":
        os.kill(engines[0], signal.SIGKILL)
    if killed == "service":
        wait_for(lambda: not service.engines(), "the engine goes on")
        assert not list(slow.iterdir()), "files are left"
    if killed != "engine":
        service.start()
    client = service.client
    assert client.wait_state(run_id, "interrupted")["progress"]["done"] == 0
    assert client.get(f"/api/v1/runs/{run_id}/result").json["samples"] == []
    client.wait_state(queued, "done")
    wait_for(lambda: not service.engines(), "an engine is left")
    assert not list(slow.iterdir()) and not list(service.scratch.iterdir()), "files are left"
    client.wait_report(run_id)
    assert b"interrupted" in client.get(f"/runs/{run_id}/").body


@pytest.mark.parametrize("cycle", range(6))
def test_killed_at_a_random_moment(make_service, cycle):
    """Nothing acknowledged is lost and nothing is half-written, whenever it happens."""
    service = make_service()
    accepted, samples = [], {}
    for _ in range(3):
        accepted.append(service.client.submit(service.definition()))
    until = time.monotonic() + 0.05 + 0.17 * cycle
    while time.monotonic() < until:
        for run_id in accepted:
            answer = service.client.get(f"/api/v1/runs/{run_id}/result")
            if answer.status == 200:
                samples[run_id] = answer.json["samples"]
    service.kill()
    service.start()
    client = service.client
    listed = {run["id"]: run for run in client.get("/api/v1/runs").json["runs"]}
    assert set(accepted) <= set(listed)
    for run_id in accepted:
        client.wait_state(run_id, "done", "interrupted")
        result = client.get(f"/api/v1/runs/{run_id}/result").json
        assert result["samples"][: len(samples.get(run_id, []))] == samples.get(run_id, [])


@pytest.mark.patient
def test_a_second_service_does_not_take_the_state(service, make_service):
    """One service a state directory."""
    import subprocess  # pylint: disable=import-outside-toplevel

    from service import PROGRAM  # pylint: disable=import-outside-toplevel

    second = subprocess.run(
        [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--state", str(service.state),
         "--allow", str(service.scratch)],
        capture_output=True, timeout=PATIENCE * 3, check=False,
    )
    assert second.returncode == 1
    assert second.stderr
    assert service.client.get("/healthz").status == 200


def test_terminated_in_the_middle_is_interrupted(service):
    run_id, queued = begin(service)
    service.stop()
    service.start()
    check_after(service, run_id, queued, "interrupted")


def test_what_the_start_found_is_told(service):
    """A record of a dead run that nobody can read: what it named must be removed by hand."""
    service.stop()
    # The engine makes it when it is first asked, for which there may have been no time.
    (service.state / "engine").mkdir(mode=0o700, exist_ok=True)
    (service.state / "engine" / "dead.manifest").write_bytes(b"\xff\x00nonsense")
    service.start()
    wait_for(lambda: "dead.manifest" in service.log(), "nothing is said of it")
    assert (service.state / "engine" / "set-aside" / "dead.manifest").exists()
