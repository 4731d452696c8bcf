# SPDX-License-Identifier: GPL-3.0-or-later
"""A storage whose reads or writes fail in places: what is counted, and what ends a run."""
import collections

import pytest

import contract
import fuse
from engine import Engine, definition, end, samples

KIB, MIB = 1 << 10, 1 << 20
BAD = (MIB, MIB + 256 * KIB)  # 64 blocks of the 1024
IN_BAD, ALL = 64, 1024

pytestmark = pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")
# In this order, one sample each: a factor, for on this file system threads would serve both.
BACKENDS = ["io_uring", "threads"]
FIRST = pytest.mark.parametrize("backends", [BACKENDS, BACKENDS[::-1]])


def failed(sample):
    return [(kind, count) for kind, count in sample["failed"].items() if isinstance(count, int)]


def run(directory, rw, bad, backends, **options):
    """All lines, and what arrived of the workload's size as (kind, offset)."""
    with fuse.Mount(directory, bad=bad) as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            lines = engine.run(definition({"file": f"{mount.path}/t"}, rw=rw, options={
                "size": "4M", "time_based": 0, "runtime": "3600", "iodepth": 8, **options},
                factors={"ioengine": backends}, order="grouped"))
        finally:
            engine.stop()
    arrived = [(o.kind, o.offset) for o in mount.log() if o.length == 4 * KIB]
    return lines, arrived


@pytest.mark.parametrize("rw,kind", [("randread", "read"), ("randwrite", "write")])
def test_failures_are_counted_and_pollute_nothing(directory, rw, kind):
    lines, arrived = run(directory, rw, {kind: BAD}, BACKENDS, continue_on_error="io")
    assert end(lines)["state"] == "done", lines[-1]
    assert [sample["backend"] for sample in samples(lines)] == BACKENDS
    for sample in samples(lines):
        contract.check_value("Sample", sample)
        assert sample["error_count"] == IN_BAD
        assert sample["failed"][kind] == sum(count for _, count in failed(sample)) == IN_BAD
        assert f"{kind} " in sample["failed"]["first"]
        assert sample[kind]["ios"] == ALL - IN_BAD
        assert sample[kind]["bytes"] == (ALL - IN_BAD) * 4 * KIB
        assert sample[kind]["short_ios"] == 0
        assert sum(sample["series"][f"{kind}_ios"]) == ALL - IN_BAD
    # Every block was tried.
    counts = collections.Counter(o for k, o in arrived if k == kind)
    assert set(counts) == set(range(0, 4 * MIB, 4 * KIB)) and max(counts.values()) <= 3


def test_each_kind_by_itself(directory):
    """Reads and writes fail in different places; a rewrite whose read fails writes nothing."""
    reads, writes = (MIB, MIB + 64 * KIB), (2 * MIB, 2 * MIB + 128 * KIB)
    lines, arrived = run(directory, "randrewrite", {"read": reads, "write": writes}, BACKENDS,
                         continue_on_error="all")
    assert len(samples(lines)) == 2
    for sample in samples(lines):
        assert (sample["failed"]["read"], sample["failed"]["write"]) == (16, 32)
        assert sample["error_count"] == 48
        assert (sample["read"]["ios"], sample["write"]["ios"]) == (ALL - 16, ALL - 16 - 32)
    assert not any(k == "write" and reads[0] <= o < reads[1] for k, o in arrived)


@FIRST
@pytest.mark.parametrize("rw,kind,continues", [
    ("randread", "read", "none"), ("randread", "read", "write"), ("randwrite", "write", "none"),
    ("randwrite", "write", "read"), ("randwrite", "write", "verify")])
def test_a_failure_ends_what_was_not_to_go_on(directory, backends, rw, kind, continues):
    lines, arrived = run(directory, rw, {kind: BAD}, backends, continue_on_error=continues)
    last = end(lines)
    assert last["state"] == "failed"
    assert last["error"]["code"] == "io_error"
    assert f"{kind} " in last["error"]["message"] and "Input/output error" in last["error"]["message"]
    assert samples(lines) == []
    # What was outstanding then, and no more; the probes of the target read its first block.
    met = [o for k, o in arrived if k == kind and BAD[0] <= o < BAD[1]]
    assert 1 <= len(met) <= 8
    assert len({o for _, o in arrived}) < ALL


def test_what_fails_is_not_read_back(directory):
    """A block whose write failed is unknown, not wrong."""
    lines, _ = run(directory, "randwrite", {"write": BAD}, BACKENDS, continue_on_error="all",
                   verify="crc32c")
    assert end(lines)["state"] == "done", lines[-1]
    assert len(samples(lines)) == 2
    for sample in samples(lines):
        assert sample["failed"]["write"] == IN_BAD
        assert sample["verify"]["blocks"] == ALL - IN_BAD
        assert sample["verify"]["unknown"] == IN_BAD
        assert sample["verify"]["errors"] == 0
