# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine issues, seen from beneath: a file system of the test's own logs what arrives."""
import collections
import pathlib
import signal
import time

import pytest

import fuse
from engine import Engine, definition, end, in_phase, samples

MIB = 1 << 20
BLOCK = 4096

pytestmark = pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")


def run(directory, mount, whole):
    """The only sample."""
    engine = Engine(directory / "state", [mount.path])
    try:
        lines = engine.run(whole)
    finally:
        engine.stop()
    assert end(lines)["state"] == "done", lines[-1]
    return samples(lines)[0]


def issued(operations, kind):
    """Of the file of the run, by the kind."""
    return [(o.offset, o.length) for o in operations if o.kind == kind]


@pytest.mark.parametrize("depth", [1, 16])
def test_every_block_is_read_once(directory, depth):
    with fuse.Mount(directory) as mount:
        sample = run(directory, mount, definition(
            {"file": f"{mount.path}/t"},
            options={"size": "4M", "iodepth": depth, "time_based": 0, "runtime": 600}))
    reads = issued(mount.log(), "read")
    assert sample["read"]["ios"] == 4 * MIB // BLOCK
    counts = collections.Counter(reads)
    # One more at most: the probe for NOWAIT and the like.
    assert set(counts) >= {(at, BLOCK) for at in range(0, 4 * MIB, BLOCK)}
    assert sum(counts.values()) - 4 * MIB // BLOCK < 8, counts.most_common(3)
    assert reads[-1024:] != sorted(reads[-1024:])


def test_a_mix_arrives_as_it_is_counted(directory):
    with fuse.Mount(directory) as mount:
        sample = run(directory, mount, definition(
            {"file": f"{mount.path}/t"}, rw="randrw",
            options={"bs": "4k,8k", "fsync": 10, "size": "4M", "time_based": 0, "runtime": 600}))
    log = mount.log()
    writes = [o for o in issued(log, "write") if o[1] == 2 * BLOCK]
    assert len(writes) == sample["write"]["ios"]
    # What goes before a sample (the fill, making the file durable) is synced too.
    assert 0 <= len(issued(log, "fsync")) - sample["sync"]["ios"] < 8


def test_a_delay_is_seen_in_the_latency(directory):
    with fuse.Mount(directory, delay_us=2000) as mount:
        sample = run(directory, mount, definition(
            {"file": f"{mount.path}/t"}, options={"size": "1M", "runtime": "0.3"}))
    # The quickest, since each of the others may have waited for a processor as well.
    assert 2e6 <= sample["read"]["latency_ns"]["min"] < 20e6


def hangs(path):
    try:
        return "request_wait" in path.read_text(encoding="ascii")
    except OSError:
        return False  # the thread is gone


def await_hanging(pid):
    """Until a thread of a process waits for FUSE's answer: the stop of a daemon takes its time."""
    deadline = time.monotonic() + 30
    while not any(hangs(path) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/wchan")):
        assert time.monotonic() < deadline, "no operation hangs"
        time.sleep(0.01)


@pytest.mark.parametrize("options", [
    {"ioengine": "io_uring", "iodepth": 8},
    {"ioengine": "threads", "iodepth": 4},
    {"rate_iops": 2000},  # so that one begins between the stop and the cancel
])
def test_a_cancel_is_heard_while_the_storage_hangs(directory, options):
    """The engine says so; that it cannot end before the storage answers is for who started it."""
    with fuse.Mount(directory, size="64M") as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            engine.send("run", run="test-run", definition=definition(
                {"file": f"{mount.path}/file", "existing": True},
                options={"runtime": 600, "direct": 1, **options}))
            for _ in range(2):  # the second one is told while the workers are at it
                engine.until(in_phase("measure"))
            mount.process.send_signal(signal.SIGSTOP)
            await_hanging(engine.process.pid)
            began = time.monotonic()
            engine.send("cancel")
            told = engine.until(lambda line: "end" in line)
            assert told["end"]["state"] == "cancelled"
            assert time.monotonic() - began < 10
        finally:
            mount.process.send_signal(signal.SIGCONT)
            engine.stop()


def test_the_end_is_quick_and_leaves_nothing(directory):
    with fuse.Mount(directory, size="64M", delay_us=1000) as mount:
        with open(f"{mount.path}/file", "rb", buffering=0) as file:
            assert len(file.read(BLOCK)) == BLOCK
        began = time.monotonic()
    assert time.monotonic() - began < 10
    assert mount.process.returncode == 0
    assert not any(mount.path in line for line in open("/proc/mounts", encoding="utf-8"))
    assert [(o.file, o.kind, o.offset, o.length) for o in mount.log()] == [("file", "read", 0, BLOCK)]
