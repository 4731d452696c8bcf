# SPDX-License-Identifier: GPL-3.0-or-later
"""Metadata workloads: files through their phases, and nothing of them left, on real file systems."""
import csv
import errno
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import contract
from engine import PATIENCE, PROGRAM, SLOW, Engine, end, in_phase, once_within, samples, started
from loops import MIB, Loops, run, unmount

PHASES = ["create", "write", "stat", "read", "rename", "delete"]
HERE = pathlib.Path(__file__).parent


def definition(where, **options):
    members = {key: options.pop(key) for key in ("factors", "repeats", "defaults", "seed")
               if key in options}
    return {"name": "files", "seed": 1, "target": {"directory": str(where)},
            "workloads": [{"name": "small", "metadata": "all", **options}], **members}


@pytest.fixture
def scratch(directory):
    path = directory / "scratch"
    path.mkdir()
    return path


@pytest.fixture
def make_engine(directory, scratch):
    state = directory / "state"
    state.mkdir()
    made = []

    def make(**more):
        made.append(Engine(state, [scratch], **more))
        return made[-1]

    yield make
    for engine in made:
        engine.stop()


@pytest.fixture
def mounted(directory, scratch):
    """mounted(make): a file system of 256 MiB in a loop device, mounted in the scratch directory."""
    loops = Loops(directory)

    def mount(name, *options):
        device = loops.make(name, size=256 * MIB)
        run(f"mkfs.{name}", "-q", *options, device)
        where = scratch / name
        loops.mount(device, where)
        return where

    yield mount
    loops.close()


def used_inodes(where):
    status = os.statvfs(where)
    return status.f_files - status.f_ffree


def take_inodes(where, count):
    for number in range(count):
        (where / str(number)).touch()


def keep_inodes_taken(where, ended, left):
    """Takes each inode that is free, or becomes so, until `ended`; but for so many."""
    count = 0
    while not ended.is_set():
        if os.statvfs(where).f_favail > left:
            try:
                (where / f"late-{count}").touch()
                count += 1
            except OSError as error:  # the run took them in between
                assert error.errno == errno.ENOSPC


def files_in(where):
    return [path for path in pathlib.Path(where).rglob("*") if path.name != "lost+found"]


def check_sample(sample, phases, orders, files):
    contract.check_value("Sample", sample)
    results = sample["metadata"]
    assert [(one["order"], one["operation"]) for one in results] == [
        (order, phase) for order in orders for phase in phases]
    for one in results:
        assert one["ops"] == files == one["histogram"]["count"]
        assert one["seconds"] > 0
        assert one["ops_per_s"] == pytest.approx(files / one["seconds"])
    assert sample["seconds"] == pytest.approx(sum(one["seconds"] for one in results))
    assert "read" not in sample and "write" not in sample


@pytest.mark.parametrize("kind", ["ext4", "tmpfs"])
@pytest.mark.parametrize("ioengine", ["io_uring", "threads"])
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_ten_thousand_files_leave_none(make_engine, mounted, scratch, kind, ioengine):
    """With the file system's own count of inodes as a witness of how many there were."""
    if kind == "ext4":
        where = mounted("ext4", "-N", "20000")
    else:
        where = scratch / "tmpfs"
        where.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=256m", "none", str(where))
    before, most, over = used_inodes(where), [0], threading.Event()

    def watch():
        while not over.is_set():
            most[0] = max(most[0], used_inodes(where) - before)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    # The files, 10 directories, that of the job, that of the run.
    whole = 10012
    try:
        # They are all there for a moment only: a witness that was held up then looks again.
        for _ in range(20):
            lines = make_engine().run(definition(
                where, nrfiles=10000, filesize="0-2k", directories=10, file_order="both", iodepth=8,
                ioengine=ioengine))
            check_ten_thousand(lines, ioengine)
            assert used_inodes(where) == before
            assert files_in(where) == []
            if most[0] >= whole:
                break
        assert most[0] == whole
    finally:
        over.set()
        watcher.join()
        if kind == "tmpfs":
            unmount(where)


def check_ten_thousand(lines, ioengine):
    assert end(lines)["state"] == "done", end(lines)
    (sample,) = samples(lines)
    check_sample(sample, PHASES, ["sequential", "random"], 10000)
    assert sample["backend"] == ioengine
    written = [one["bytes"] for one in sample["metadata"] if one["operation"] == "write"]
    read = [one["bytes"] for one in sample["metadata"] if one["operation"] == "read"]
    assert written == read and written[0] == pytest.approx(10000 * 1024, rel=0.05)


def test_plan_says_what_is_made(make_engine, scratch):
    plan = make_engine().ask("plan", definition=definition(
        scratch, nrfiles=1000, filesize="4k", factors={"iodepth": [1, 4]}, repeats=2))["plan"]
    contract.check_value("Plan", plan)
    assert plan["sample_count"] == 4
    assert plan["estimate"]["fill_bytes"] == 0
    assert plan["estimate"]["bytes_written"] == 4 * 1000 * 4096
    assert plan["estimate"]["space_bytes"] >= 1000 * 4096
    assert plan["targets"][0]["files"] == 0
    (first, _) = plan["cells"]
    assert "fio" not in first and "bs" not in first["options"]
    assert first["options"]["metadata"] == "all" and first["options"]["directories"] == 1
    assert list(scratch.iterdir()) == []


def test_factors_and_repeats(make_engine, scratch):
    lines = make_engine().run(definition(
        scratch, metadata="create,stat,delete", nrfiles=200, numjobs=2, ioengine="threads",
        factors={"filesize": ["0", "4k-8k"], "directories": [1, 5]}, repeats=2))
    assert end(lines)["state"] == "done"
    assert len(samples(lines)) == 8
    for sample in samples(lines):
        check_sample(sample, ["create", "stat", "delete"], ["sequential"], 400)
        sizes = sample["metadata"][0]["bytes"]
        assert sizes == 0 if sample["levels"]["filesize"] == "0" else 400 * 4096 <= sizes
    assert list(scratch.iterdir()) == []


def test_without_io_uring(make_engine, scratch):
    wrapper = [sys.executable, HERE / "no_uring.py"]
    lines = make_engine(wrapper=wrapper).run(definition(scratch, nrfiles=300, iodepth=4))
    assert end(lines)["state"] == "done"
    (sample,) = samples(lines)
    check_sample(sample, PHASES, ["sequential"], 300)
    assert sample["backend"] == "threads" and "io_uring is refused" in sample["backend_reason"]
    assert sample["latency_stamp"] == "operation"


def begin(engine, scratch, nrfiles=1000000):
    """A run whose files are seen to come."""
    engine.send("run", run="r", definition=definition(scratch, nrfiles=nrfiles, iodepth=4,
                                                      directories=3))
    until = time.monotonic() + PATIENCE
    while len(files_in(scratch)) < 200:
        assert time.monotonic() < until, "no files came"
        time.sleep(0.01)


def test_cancel(make_engine, scratch):
    def seconds_until_it_tears_down():
        engine = make_engine()
        begin(engine, scratch)
        began = time.monotonic()
        engine.send("cancel")
        engine.until(in_phase("teardown"))
        took = time.monotonic() - began
        engine.until(lambda line: "end" in line)
        assert end(engine.lines)["state"] == "cancelled"
        engine.wait()
        assert list(scratch.iterdir()) == []
        return took

    once_within(PATIENCE if SLOW else 1.5, seconds_until_it_tears_down)


def test_kill_and_sweep(make_engine, scratch):
    """kill -9 with operations outstanding; somebody else puts a file and a link there as well."""
    engine = make_engine()
    begin(engine, scratch)
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait()
    (tree,) = scratch.iterdir()
    assert tree.name.startswith(".volbench-r-files-")
    precious = scratch / "precious"
    precious.write_text("keep me")
    foreign = tree / "j0000" / "d0000" / "foreign"
    foreign.write_text("mine")
    (tree / "j0000" / "d0001" / "f99999999").symlink_to(precious)
    told = make_engine().ask("sweep")["swept"]
    assert [one["code"] for one in told] == ["left"]
    assert precious.read_text() == "keep me" and foreign.read_text() == "mine"
    left = sorted(path.relative_to(tree).as_posix() for path in files_in(tree))
    assert left == ["j0000", "j0000/d0000", "j0000/d0000/foreign", "j0000/d0001",
                    "j0000/d0001/f99999999"]
    foreign.unlink()
    (tree / "j0000" / "d0001" / "f99999999").unlink()
    told = make_engine().ask("sweep")["swept"]
    assert [one["code"] for one in told] == ["removed"]
    assert list(scratch.iterdir()) == [precious]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_inodes_are_counted_before(make_engine, mounted):
    where = mounted("ext4", "-N", "2000")
    free = os.statvfs(where).f_favail
    answer = make_engine().ask("plan", definition=definition(where, nrfiles=free))
    assert answer["error"]["code"] == "no_space"
    assert "inodes" in answer["error"]["message"]
    assert answer["error"]["field"] == "/target"
    plan = make_engine().ask("plan", definition=definition(where, nrfiles=free - 5))
    assert "plan" in plan
    answer = make_engine().ask("plan", definition=definition(where, nrfiles=1000, filesize="1m"))
    assert answer["error"]["code"] == "no_space" and "MiB" in answer["error"]["message"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
@pytest.mark.parametrize("ioengine", ["io_uring", "threads"])
def test_a_full_file_system_is_told(make_engine, mounted, ioengine):
    """Somebody else takes half of the inodes once the run has begun, as a delete gives them back: so
    many are left that there is one for a directory always, and for all files never."""
    where = mounted("ext4", "-N", "4000")
    others = where / "others"
    others.mkdir()
    take_inodes(others, os.statvfs(where).f_favail - 2050)
    engine = make_engine()
    engine.send("run", run="r", definition=definition(
        where, metadata="create,stat,delete", nrfiles=2000, repeats=100, ioengine=ioengine,
        factors={"directories": [1, 2, 3, 4, 5, 6]}))
    engine.until(lambda line: "sample" in line)
    ended = threading.Event()
    taker = threading.Thread(target=keep_inodes_taken, args=(others, ended, 1000))
    taker.start()
    try:
        while engine.read() is not None:
            pass
    finally:
        ended.set()
        taker.join()
    told = end(engine.lines)
    assert told["state"] == "failed"
    assert told["error"]["code"] == "no_space"
    assert "create of a file" in told["error"]["message"]
    assert sorted(path.name for path in where.iterdir()) == ["lost+found", "others"]


def terminal(directory, scratch, *arguments):
    return subprocess.run(
        [PROGRAM, *map(str, arguments), "--state", directory / "terminal", "--allow", scratch],
        capture_output=True, text=True, timeout=3 * PATIENCE)


def test_terminal_report_and_files(directory, scratch):
    path = directory / "definition.json"
    whole = definition(scratch, nrfiles=1000, filesize="1k", ioengine="threads", repeats=2,
                       factors={"iodepth": [1, 4]}, file_order="both")
    path.write_text(json.dumps(whole))
    result = terminal(directory, scratch, "run", path, "--json", directory / "result.json",
                      "--html", directory / "html")
    assert result.returncode == 0, result.stderr
    assert "ops/s" in result.stdout and "random rename" in result.stdout
    document = json.loads((directory / "result.json").read_text())
    contract.check_value("Result", document)
    rows = list(csv.DictReader(io.StringIO((directory / "html" / "result.csv").read_text())))
    assert len(rows) == 4 * 12
    assert {row["direction"] for row in rows} == {
        f"{order} {phase}" for order in ("sequential", "random") for phase in PHASES}
    assert {row["ios"] for row in rows} == {"1000"}
    fio = json.loads((directory / "html" / "fio.json").read_text())
    assert fio["jobs"] == []
    page = (directory / "html" / "index.html").read_text()
    assert "Operations on files by iodepth" in page
    assert "small, sequential create" in page and "small, random delete" in page
    assert 'href="#iops"' not in page and "Throughput over time" not in page
    result = terminal(directory, scratch, "plan", path)
    assert result.returncode == 0, result.stderr
    assert "a directory is made for the workloads' files" in " ".join(result.stdout.split())
    result = subprocess.run([PROGRAM, "fio", path], capture_output=True, text=True)
    assert result.returncode != 0 and "metadata workload" in result.stderr
    assert list(scratch.iterdir()) == []


def test_beside_a_workload_that_moves_data(make_engine, scratch):
    whole = definition(scratch, nrfiles=100)
    whole["workloads"].append({"name": "data", "rw": "randread", "size": "1m", "runtime": "0.1"})
    lines = make_engine().run(whole)
    assert end(lines)["state"] == "done"
    by_name = {sample["workload"]: sample for sample in samples(lines)}
    assert by_name["data"]["read"]["ios"] > 0 and "metadata" not in by_name["data"]
    check_sample(by_name["small"], PHASES, ["sequential"], 100)
    assert started(lines)["plan"]["targets"][0]["files"] == 1
    assert list(scratch.iterdir()) == []
