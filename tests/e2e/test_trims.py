# SPDX-License-Identifier: GPL-3.0-or-later
"""rw=trim and randtrim, on a file and on a device: what they leave, what is filled again before the
next sample, what is refused, and the figures in every form."""
import csv
import errno
import io
import json
import os
import subprocess

import pytest

from engine import PATIENCE, PROGRAM
from loops import MIB, Loops

SIZE = 4 * MIB


@pytest.fixture
def volbench(directory):
    scratch = directory / "scratch"
    scratch.mkdir()

    def call(command, definition, *arguments, allow=None):
        path = directory / "definition.json"
        path.write_text(json.dumps(definition), encoding="utf-8")
        places = [] if command == "fio" else ["--allow", allow or scratch]
        return subprocess.run(
            [PROGRAM, command, path, "--state", directory / "state", *places, *arguments],
            capture_output=True, text=True, timeout=3 * PATIENCE)

    call.scratch = scratch
    return call


def first_data(image):
    """The offset of the first byte that is no hole; the end where there is none."""
    descriptor = os.open(image, os.O_RDONLY)
    try:
        return os.lseek(descriptor, 0, os.SEEK_DATA)
    except OSError as error:
        assert error.errno == errno.ENXIO
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def definition(target, **members):
    trim = {"name": "trim", "rw": "randtrim", "bs": "64k", "iodepth": 4, "time_based": 0}
    read = {"name": "read", "rw": "randread", "bs": "64k", "time_based": 0}
    return {"name": "trims", "target": target, "order": "grouped", "repeats": 2,
            "defaults": {"size": "4M", "numjobs": 1}, "workloads": [trim, read], **members}


def check(result):
    samples = result["samples"]
    assert [s["workload"] for s in samples] == ["trim", "trim", "read", "read"]
    for sample in samples[:2]:
        assert not {"read", "write"} & set(sample)
        assert sample["trim"]["ios"] == SIZE // 65536 and sample["trim"]["bytes"] == SIZE
        assert sample["trim"]["latency_ns"]["max"] > 0
        assert sample["backend"] == "threads"
    for sample in samples[2:]:
        assert sample["read"]["bytes"] == SIZE


def test_file(volbench):
    target = {"file": str(volbench.scratch / "data")}
    planned = volbench("plan", definition(target), "--json", "-")
    assert planned.returncode == 0, planned.stderr
    plan = json.loads(planned.stdout)
    # Before the first, before the second trim, and before the reads.
    assert plan["estimate"]["fill_bytes"] == 3 * SIZE
    assert {"trims_refilled", "trims_not_as_fio"} <= {f["code"] for f in plan["findings"]}
    done = volbench("run", definition(target), "--json", "-")
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout))
    assert not list(volbench.scratch.iterdir())


def test_forms(volbench, make_service):
    """The terminal's table; CSV, fio's JSON and the report's page over REST."""
    target = {"file": str(volbench.scratch / "data")}
    done = volbench("run", definition(target))
    assert done.returncode == 0, done.stderr
    assert " trim " in done.stdout
    client = make_service(allow=[volbench.scratch]).client
    run_id = client.submit(definition(target))
    client.wait_state(run_id, "done")
    client.wait_report(run_id)
    path = f"/api/v1/runs/{run_id}"
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}/result.csv").body.decode())))
    assert [r["direction"] for r in rows] == ["trim", "trim", "read", "read"]
    assert int(rows[0]["bytes"]) == SIZE and float(rows[0]["iops"]) > 0
    jobs = client.get(f"{path}/fio.json").json["jobs"]
    assert jobs[0]["trim"]["total_ios"] == SIZE // 65536
    assert jobs[0]["trim"]["io_bytes"] == SIZE and jobs[0]["trim"]["lat_ns"]["max"] > 0
    assert jobs[0]["read"]["total_ios"] == jobs[0]["write"]["total_ios"] == 0
    assert b"trim" in client.get(f"/runs/{run_id}/").body


def test_written_for_fio(volbench, directory):
    """fio trims block devices only."""
    refused = volbench("fio", definition({"file": str(volbench.scratch / "data")}))
    assert refused.returncode == 2 and "block devices only" in refused.stderr
    assert not refused.stdout


def test_existing_is_never_trimmed(volbench):
    path = volbench.scratch / "mine"
    path.write_bytes(b"x" * SIZE)
    done = volbench("run", definition({"file": str(path), "existing": True}))
    assert done.returncode == 2 and "trims" in done.stderr
    assert path.read_bytes() == b"x" * SIZE


@pytest.mark.skipif(os.geteuid() != 0, reason="loop devices are root's to make")
def test_device(volbench, work_directory):
    loops = Loops(work_directory)
    try:
        device = loops.make("trims", size=8 * MIB)
        image = loops.devices["trims"][1]
        planned = volbench("plan", definition({"device": device}), "--json", "-", allow=device)
        assert planned.returncode == 0, planned.stderr
        done = volbench("run", definition({"device": device}), "--json", "-", allow=device)
        assert done.returncode == 0, done.stderr
        check(json.loads(done.stdout))
        # The reads met data: what was trimmed is there again.
        assert first_data(image) == 0
        only = definition({"device": device})
        del only["workloads"][1]
        only["repeats"] = 1
        subprocess.run(["blkdiscard", "-z", device], check=True)
        done = volbench("run", only, "--json", "-", allow=device)
        assert done.returncode == 0, done.stderr
        assert first_data(image) >= SIZE
    finally:
        loops.close()
