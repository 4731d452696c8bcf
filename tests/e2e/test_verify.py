# SPDX-License-Identifier: GPL-3.0-or-later
"""verify through the shipped engine: what it wrote is read back, and a bit, a sector or a block that
somebody changes on the disk in between is found, and told for what it is and where."""
import contextlib
import json
import os
import struct
import subprocess
import time
import zlib

import pytest

import fuse
from engine import PATIENCE, PROGRAM, Engine, definition, end, in_phase, samples
from service import ENDED

TRIES = 10  # of runs that the test is to meet at work
MIB = 1 << 20
BLOCK = 4096
BOTH = ["io_uring", "threads"]


class File:
    """The file of a run, as another process sees it on the disk."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def read(self, block):
        os.posix_fadvise(self.fd, 0, 0, os.POSIX_FADV_DONTNEED)
        return os.pread(self.fd, BLOCK, block * BLOCK)

    def write(self, block, data, at=0):
        assert os.pwrite(self.fd, data, block * BLOCK + at) == len(data)
        os.fdatasync(self.fd)
        os.posix_fadvise(self.fd, 0, 0, os.POSIX_FADV_DONTNEED)

    def written(self, block):
        """Whether it holds what a workload with verify=crc32 wrote."""
        data = self.read(block)
        magic, _, offset = struct.unpack_from("<8s2Q", data)
        check, = struct.unpack_from("<Q", data, 40)
        return magic == b"VlbBlock" and offset == block * BLOCK and check == zlib.crc32(data[:40] + data[48:])

    def first_written(self, blocks, first=0):
        """Waits for one: the engine is at it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for block in range(first, blocks):
                if self.written(block):
                    return block
        raise AssertionError("nothing was written")


@pytest.fixture
def engine(directory):
    made = []

    def make():
        made.append(Engine(directory / f"state{len(made)}", [directory]))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def start(engine, path, **options):
    options = {"rw": "write", "time_based": 0, "runtime": "600", "verify": "crc32", "iodepth": 8, **options}
    # A factor, so that io_uring is taken at its word wherever the file lies.
    ioengine = options.pop("ioengine")
    engine.send("run", run="test-run", definition=definition(
        {"file": str(path)}, options=options, factors={"ioengine": [ioengine]}))


def begin(engine, path, **options):
    """A run that is being measured, and its file; FileNotFoundError where it is over already."""
    start(engine, path, **options)
    engine.until(in_phase("measure"))
    return File(path)


def damaged(engine, path, blocks, damage, **options):
    """The engine of a run in whose file a block was damaged, and which: after it was written, and before
    any was read back. A run that was quicker than that is made again."""
    for _ in range(TRIES):
        one = engine()
        try:
            with begin(one, path, **options) as file:
                block = file.first_written(blocks)
                held = one.hold()
                early = held and not one.has_said(lambda line: in_phase("verify")(line) or "end" in line)
                if early:
                    damage(file, block)
                if held:
                    one.go_on()
        except FileNotFoundError:
            early = False
        if early:
            return one, block
        while one.read() is not None:
            pass
        one.wait()
    raise AssertionError("each run was over before its file could be damaged")


def flip(byte, bit):
    def damage(file, block):
        file.write(block, bytes([file.read(block)[byte] ^ 1 << bit]), at=byte)
    return damage


def finish(engine):
    """Its lines to the end: the sample and how it ended."""
    while engine.read() is not None:
        pass
    assert engine.wait() == 0
    found = samples(engine.lines)
    assert len(found) == 1, engine.lines[-3:]
    return found[0], end(engine.lines)


def fault(sample, ended):
    assert ended["state"] == "failed", ended
    assert ended["error"]["code"] == "verify_failed", ended
    assert sample["verify"]["errors"] == 1
    assert any(f["code"] == "verify_failed" and f["severity"] == "error" for f in sample["findings"])
    return sample["verify"]["first"], ended["error"]["message"]


def failed(engine):
    return fault(*finish(engine))


@pytest.mark.parametrize("ioengine", BOTH)
@pytest.mark.parametrize("options", [
    {"iodepth": 1}, {"iodepth": 32}, {"rw": "randwrite", "iodepth": 32}, {"rw": "randwrite", "iodepth": 1},
    {"rw": "randrw", "iodepth": 16}, {"rw": "randwrite", "numjobs": 4, "size": "4M"},
    {"direct": 0}, {"bs": "64k", "verify_interval": "4k", "rw": "randwrite"},
    {"rw": "randwrite", "norandommap": 1, "time_based": 1, "runtime": "0.5", "size": "1M"},
    {"rw": "randwrite", "norandommap": 1, "time_based": 1, "runtime": "0.5", "size": "1M", "numjobs": 4,
     "iodepth": 32, "ramp_time": "0.2"}])
def test_what_was_written_is_there(directory, engine, ioengine, options):
    one = engine()
    start(one, directory / "t", ioengine=ioengine, **{"size": "16M", **options})
    sample, ended = finish(one)
    assert ended["state"] == "done", ended
    verify = sample["verify"]
    assert verify["errors"] == verify["unknown"] == 0 and verify["method"] == "crc32"
    assert "first" not in verify
    assert verify["bytes"] == verify["blocks"] * (65536 if "bs" in options else BLOCK) > 0
    if "time_based" not in options:  # each block once
        assert verify["bytes"] == sample["write"]["bytes"]
        assert verify["bytes"] == 16 * MIB or options.get("rw") == "randrw"
    assert any(in_phase("verify")(line) for line in one.lines)
    assert sample["seconds"] > 0 and verify["seconds"] > 0


@pytest.mark.parametrize("ioengine", BOTH)
@pytest.mark.parametrize("options", [
    {"rw": "write", "iodepth": 1}, {"rw": "write", "iodepth": 32}, {"rw": "randwrite", "iodepth": 1},
    {"rw": "randwrite", "iodepth": 32}, {"rw": "randrw", "iodepth": 32},
    {"rw": "randwrite", "iodepth": 8, "numjobs": 4, "size": "16M"}])
def test_a_flipped_bit_is_found(directory, engine, ioengine, options):
    # each block is written once: what has been written stays
    one, block = damaged(engine, directory / "t", 16 * MIB // BLOCK, flip(1234, 5), ioengine=ioengine,
                         **{"size": "16M" if options["iodepth"] == 1 else "64M", **options})
    first, message = failed(one)
    job = block // (16 * MIB // BLOCK) if "numjobs" in options else 0
    assert first == {"kind": "flipped_bit", "job": job + 1, "offset": block * BLOCK, "byte": 1234, "bit": 5,
                     "block": block - job * (16 * MIB // BLOCK), "generation": 1}
    assert f"at byte {block * BLOCK} of its file: bit 5 of byte 1234 of the block is flipped" in message


@pytest.mark.parametrize("continues", ["verify", "all", "io"])
def test_a_run_may_go_on(directory, engine, continues):
    one, block = damaged(engine, directory / "t", 16 * MIB // BLOCK, flip(1234, 5), ioengine="threads",
                         size="16M", iodepth=4, continue_on_error=continues)
    sample, ended = finish(one)
    assert ended["state"] == ("failed" if continues == "io" else "done")
    assert sample["verify"]["errors"] == 1 and sample["verify"]["first"]["offset"] == block * BLOCK
    assert "verify_failed" in [f["code"] for f in sample["findings"]]


@pytest.mark.parametrize("ioengine", BOTH)
def test_one_bit_in_a_gibibyte(directory, engine, ioengine):
    one, block = damaged(engine, directory / "t", (1 << 30) // BLOCK, flip(3000, 0), ioengine=ioengine,
                         size="1G", iodepth=32)
    first, _ = failed(one)
    assert (first["kind"], first["offset"], first["byte"], first["bit"]) == (
        "flipped_bit", block * BLOCK, 3000, 0)
    assert samples(one.lines)[0]["verify"]["bytes"] == 1 << 30


DAMAGE = {  # of the last write, an earlier one, and another block
    "torn": lambda now, before, other: now[:1536] + before[1536:],
    "stale": lambda now, before, other: before,
    "misplaced": lambda now, before, other: other,
    "foreign": lambda now, before, other: os.urandom(BLOCK),
    "corrupt": lambda now, before, other: now[:700] + bytes(b ^ 0xff for b in now[700:720]) + now[720:],
}


def tampered(directory, ioengine, damage):
    """A run whose block 5 was damaged while it waited for the fsync before it reads back: its sample, its
    end, and the block's generations before and at that time. None where the engine was quicker."""
    with fuse.Mount(directory, delay_us=200_000) as mount:
        one = Engine(directory / "state-fuse", [mount.path])
        try:
            # Sixteen blocks one after another, again and again: each is written some five times.
            with begin(one, f"{mount.path}/t", ioengine=ioengine, rw="write", size="64k", iodepth=8,
                       time_based=1, runtime="2") as file:
                before = file.read(file.first_written(6, first=5))
                one.until(in_phase("verify"))
                held = one.hold()
                now = file.read(5)
                file.write(5, damage(now, before, file.read(6)))
                until = time.monotonic_ns()
                if held:
                    one.go_on()
                sample, ended = finish(one)
        except FileNotFoundError:
            return None
        finally:
            one.stop()
    # It reads more than a block at a time, this test does not.
    read_back = min(o.ns for o in mount.log() if o.kind == "read" and o.length > BLOCK)
    if read_back < until or generation(now) <= generation(before):
        return None
    return sample, ended, generation(before), generation(now)


@pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")
@pytest.mark.parametrize("kind, ioengine", [*zip(DAMAGE, BOTH * 3), ("torn", "threads"), ("stale", "io_uring")])
def test_other_kinds_of_wrong(directory, ioengine, kind):
    """A storage that takes a fifth of a second for everything leaves the time to stop the engine before
    it reads back: it waits for an fsync first."""
    runs = (tampered(directory, ioengine, DAMAGE[kind]) for _ in range(TRIES))
    found = next((run for run in runs if run), None)
    assert found, "each run was over before its file could be damaged"
    sample, ended, before, now = found
    first, message = fault(sample, ended)
    assert (first["kind"], first["block"], first["generation"]) == (kind, 5, now)
    if kind in ("torn", "stale"):
        assert first["found_generation"] == before
    if kind == "torn":
        assert (first["byte"], first["end"]) == (1536, 4096)
    if kind == "misplaced":
        assert first["found_offset"] == 6 * BLOCK
    assert {"misplaced": "what was written at byte 24576", "foreign": "nothing that this sample wrote",
            "corrupt": "from byte 700"}.get(kind, f"write {before} of it") in message


def generation(data):
    return struct.unpack_from("<L", data, 32)[0]


@pytest.mark.parametrize("ioengine", BOTH)
def test_written_only(directory, engine, ioengine):
    one, _ = damaged(engine, directory / "t", 16 * MIB // BLOCK,
                     lambda file, block: file.write(block, bytes(100), at=100),
                     ioengine=ioengine, size="16M", do_verify=0)
    sample, ended = finish(one)
    assert ended["state"] == "done" and "verify" not in sample
    assert not any(in_phase("verify")(line) for line in one.lines)


@pytest.mark.parametrize("ioengine", BOTH)
def test_jobs_that_run_together(directory, engine, ioengine):
    """Those that verify are read back, the others are left alone."""
    one = engine()
    whole = {"name": "together", "target": {"file": str(directory / "t")}, "workloads": [
        {"name": "both", "ioengine": ioengine, "bs": "4k", "size": "8M", "time_based": 0, "runtime": 600, "jobs": [
            {"name": "checked", "rw": "randwrite", "verify": "crc32c", "iodepth": 8},
            {"name": "plain", "rw": "randwrite", "iodepth": 4},
            {"name": "written", "rw": "write", "verify": "crc32", "do_verify": 0}]}]}
    one.send("run", run="test-run", definition=whole)
    sample, ended = finish(one)
    assert ended["state"] == "done", ended
    assert sample["write"]["bytes"] == 24 * MIB
    assert sample["verify"]["method"] == "crc32c"
    assert sample["verify"]["bytes"] == 8 * MIB and sample["verify"]["errors"] == 0
    whole["workloads"][0]["regions"] = "shared"
    assert engine().ask("plan", definition=whole)["error"]["code"] == "conflicting_options"


def test_a_cancel_is_heard(directory, engine):
    for _ in range(TRIES):
        one = engine()
        one.send("run", run="test-run", definition=definition({"file": str(directory / "t")}, options={
            "rw": "write", "verify": "crc32", "ioengine": "threads", "size": "1G", "bs": "1M", "iodepth": 8,
            "time_based": 0, "runtime": 600}))
        one.until(in_phase("verify"))
        one.send("cancel")
        while one.read() is not None:
            pass
        assert one.wait() == 0
        if end(one.lines)["state"] == "cancelled":
            return
        assert end(one.lines)["state"] == "done"  # it was quicker than that
    raise AssertionError("no cancel was heard")


def test_refused_where_it_could_not_tell(directory, engine):
    shared = definition({"file": str(directory / "t")}, options={
        "rw": "write", "verify": "crc32c", "numjobs": 2, "regions": "shared"})
    error = engine().ask("plan", definition=shared)["error"]
    assert (error["code"], error["field"]) == ("conflicting_options", "/workloads/0/verify")
    assert "regions=disjoint" in error["message"]
    # apart by another name
    apart = definition({"file": str(directory / "t")}, options={
        "rw": "write", "verify": "crc32c", "numjobs": 2, "regions": "shared", "size": "4M",
        "offset_increment": "4M", "time_based": 0, "runtime": 600})
    assert engine().ask("plan", definition=apart).keys() == {"plan"}
    lines = engine().run(apart)
    assert end(lines)["state"] == "done" and samples(lines)[0]["verify"]["bytes"] == 8 * MIB
    apart["workloads"][0]["offset_increment"] = "2M"
    assert engine().ask("plan", definition=apart)["error"]["code"] == "conflicting_options"
    # a file for each job
    shared["target"] = {"directory": str(directory)}
    assert "plan" in engine().ask("plan", definition=shared)
    huge = definition({"file": str(directory / "t")}, options={
        "rw": "write", "verify": "crc32c", "size": "900G", "bs": "512"})
    error = engine().ask("plan", definition=huge)["error"]
    assert error["code"] in ("memory_limit", "no_space")


def test_the_plan_counts_reading_back(directory, engine):
    plans = [engine().ask("plan", definition=definition(
        {"file": str(directory / "t")},
        options={"rw": "write", "size": "1G", "time_based": 0, "runtime": 600, **more}))["plan"]
        for more in ({}, {"verify": "crc32c"}, {"verify": "crc32c", "do_verify": 0})]
    read = [plan["estimate"]["bytes_read"] for plan in plans]
    assert read == [0, 1 << 30, 0]
    seconds = [plan["estimate"]["seconds"] for plan in plans]
    assert seconds[1] > seconds[0] + 1 and abs(seconds[2] - seconds[0]) < 1e-6


def test_told_by_the_service(shared):
    """The run fails, and its result, CSV and page say what is wrong."""
    client, path = shared.client, shared.scratch / "verified"
    last = 64 * MIB // BLOCK - 1
    for _ in range(TRIES):
        run = client.submit({"name": "checked", "target": {"file": str(path)}, "workloads": [
            {"name": "w", "rw": "write", "bs": "4k", "size": "64M", "time_based": 0, "iodepth": 4,
             "rate_iops": 8000, "runtime": 600, "verify": "crc32"}]})
        client.wait(run, lambda r: r["state"] in ENDED or (r["progress"] or {}).get("phase") == "measure")
        with contextlib.suppress(FileNotFoundError), File(path) as file:
            block = file.first_written(last)
            flip(99, 7)(file, block)
            if not file.written(last):
                break  # it was still writing
        client.wait_state(run, "done", "failed")
    ended = client.wait_state(run, "failed")
    assert ended["error"]["code"] == "verify_failed" and ended["error"]["field"] == "/workloads/0"
    assert "bit 7 of byte 99" in ended["error"]["message"]
    sample, = client.get(f"/api/v1/runs/{run}/result").json["samples"]
    assert sample["verify"]["errors"] == 1 and sample["verify"]["first"]["block"] == block
    head, row = client.get(f"/api/v1/runs/{run}/result.csv").body.decode().splitlines()
    cells = dict(zip(head.split(","), row.split(",")))
    assert [cells[name] for name in ("verify", "verify_blocks", "verify_errors")] == \
        ["crc32", str(64 * MIB // BLOCK), "1"]
    client.wait_report(run)
    page = client.get(f"/runs/{run}/index.html").body.decode()
    assert "1 are not what was written" in page
    assert "bit 7 of byte 99 of the block is flipped" in page


def test_told_in_a_terminal(directory):
    done = subprocess.run(
        [PROGRAM, "run", "-", "--state", directory / "state", "--allow", directory,
         "--target", f"file:{directory}/t"], text=True, capture_output=True, check=False, input=json.dumps(
             {"name": "checked", "workloads": [{"name": "w", "rw": "randwrite", "size": "8M", "time_based": 0,
                                                "verify": "crc32c"}]}))
    assert done.returncode == 0, done.stderr
    assert "2048 blocks read back, crc32c: all as written" in " ".join(done.stdout.split()), done.stdout
