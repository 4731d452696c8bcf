# SPDX-License-Identifier: GPL-3.0-or-later
"""Where io_uring cannot be had, and what is told before anything is written."""
import os
import pathlib
import sys
import tempfile
import xml.etree.ElementTree


# ---- where io_uring cannot be had ----

def check_threads(service, target, reason):
    """The threads backend measures, and every document says so and why."""
    client = service.client
    run_id = client.submit(service.definition(target=target))
    client.wait_state(run_id, "done")
    result = client.get(f"/api/v1/runs/{run_id}/result").json
    assert result["backend"] == "threads" and reason in result["backend_reason"], result
    for sample in result["samples"]:
        assert sample["backend"] == "threads" and reason in sample["backend_reason"]
        assert sample["read"]["ios"] > 0
    client.wait_report(run_id)
    page = xml.etree.ElementTree.fromstring(client.get(f"/runs/{run_id}/").body)
    assert result["backend_reason"] in "".join(page.itertext())


def test_memory_file_system_is_measured_by_threads(make_service):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        service = make_service(allow=[scratch])
        check_threads(service, {"directory": scratch}, "tmpfs")
        assert os.listdir(scratch) == []


def test_refused_uring_is_measured_by_threads(make_service):
    wrapper = pathlib.Path(__file__).parent / "no_uring.py"
    service = make_service(prefix=[sys.executable, str(wrapper)])
    check_threads(service, {"directory": str(service.scratch)}, "refused")
    uring = service.client.get("/api/v1/system").json["engine"]["io_uring"]
    assert uring["available"] is False and "refused" in uring["reason"]


# ---- what is told before anything is written ----

def check_untouched(service):
    assert not list(service.scratch.iterdir())
    assert service.client.get("/api/v1/runs").json["runs"] == []


def test_a_ramp_longer_than_the_run_is_a_finding(service):
    body = service.definition(defaults={"size": "1m", "runtime": 1, "ramp_time": 10})
    plan = service.client.post("/api/v1/plan", body)
    assert plan.status == 200, plan
    found = [f for f in plan.json["findings"] if f["code"] == "ramp_longer_than_run"]
    assert found and found[0]["workloads"] == ["random read"]
    assert "ramp_time" in found[0]["message"]
    check_untouched(service)


def test_what_does_not_fit_or_is_out_of_range_is_refused(service):
    # However much of it others make free meanwhile.
    there = os.statvfs(service.scratch)
    beyond = there.f_blocks * there.f_frsize + (1 << 30)
    cases = [
        (service.definition(factors=None, defaults={"size": beyond, "runtime": 1}), "no_space", "/target"),
        (service.definition(factors={"iodepth": [1, 0]}), "out_of_range", "/factors/iodepth/1"),
        (service.definition(factors={"numjobs": [1, 1 << 20]}), "out_of_range", "/factors/numjobs/1"),
        (service.definition(factors={"bs": ["4k", "1t"]}), "out_of_range", "/factors/bs/1"),
    ]
    for body, code, field in cases:
        for path in ("/api/v1/plan", "/api/v1/runs"):
            answer = service.client.post(path, body)
            assert (answer.status, answer.code, answer.json["field"]) == (422, code, field), answer
            check_untouched(service)
