# SPDX-License-Identifier: GPL-3.0-or-later
"""The order and the sizes of the requests, as they arrive beneath the engine, on every backend."""
import json
import subprocess

import pytest

import fuse
from engine import PROGRAM, Engine, definition, end, samples

KIB = 1 << 10
MIB = 1 << 20

pytestmark = pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")
ENGINES = pytest.mark.parametrize("ioengine", ["io_uring", "threads"])


def whole(path, rw, options):
    """The definition; an option that is None is left out. What is drawn is the same each time."""
    made = definition({"file": path}, rw=rw, seed=1, options=options)
    made["workloads"][0] = {k: v for k, v in made["workloads"][0].items() if v is not None}
    return made


def run(directory, rw, options):
    """The only sample, and what arrived for it in order: (kind, offset, length)."""
    with fuse.Mount(directory) as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            lines = engine.run(whole(
                f"{mount.path}/t", rw,
                {"size": "1M", "time_based": 0, "runtime": "30", "invalidate": 0, "direct": 1, **options}))
        finally:
            engine.stop()
        assert end(lines)["state"] == "done", lines[-1]
    sample = samples(lines)[0]
    ios = sum(sample[d]["ios"] for d in ("read", "write") if d in sample)
    arrived = [(o.kind, o.offset, o.length) for o in mount.log() if o.kind in ("read", "write")]
    # What comes before are the fill and what the engine finds out about the target.
    return sample, arrived[-ios:]


def null(directory, rw, options):
    """The only sample of a run that reaches no target."""
    engine = Engine(directory / "state", [str(directory)])
    try:
        lines = engine.run(whole(
            f"{directory}/t", rw,
            {"size": "1M", "time_based": 0, "runtime": "30", "direct": 0, "ioengine": "null", **options}))
    finally:
        engine.stop()
    assert end(lines)["state"] == "done", lines[-1]
    return samples(lines)[0]


@ENGINES
def test_holes(directory, ioengine):
    sample, arrived = run(directory, "read:60k", {"ioengine": ioengine})
    assert sample["options"]["rw"] == "read:60k"
    assert arrived == [("read", i % 16 * 64 * KIB, 4 * KIB) for i in range(256)]


@ENGINES
@pytest.mark.parametrize("sequencer,step", [("sequential", 4 * KIB), ("identical", 0)])
def test_a_drawn_offset_now_and_then(directory, ioengine, sequencer, step):
    sample, arrived = run(directory, "randread:8", {"ioengine": ioengine, "rw_sequencer": sequencer})
    offsets = [o for _, o, _ in arrived]
    assert len(offsets) == 256
    steps = [b - a for a, b in zip(offsets, offsets[1:])]
    drawn = [s for i, s in enumerate(steps) if i % 8 == 6]
    assert sum(s == step for i, s in enumerate(steps) if i % 8 != 6) >= 7 * 32 - 8  # but at the end of the region
    assert sum(s == step for s in drawn) < 8
    assert sample["options"].get("rw_sequencer", "sequential") == sequencer


def once(arrived, length):
    """Whether the requests touch each byte once."""
    at = 0
    for offset, size in sorted((o, n) for _, o, n in arrived):
        if offset != at:
            return False
        at += size
    return at == length


@ENGINES
@pytest.mark.parametrize("option,value,sizes", [
    ("bsrange", "4k-64k", range(4 * KIB, 65 * KIB, 4 * KIB)),
    ("bssplit", "4k/50:16k/50", (4 * KIB, 8 * KIB, 12 * KIB, 16 * KIB)),  # some are cut by what is touched already
])
def test_requests_of_many_sizes(directory, ioengine, option, value, sizes):
    options = {"ioengine": ioengine, "iodepth": 4, "size": "4M", option: value, "bs": None}
    sample, arrived = run(directory, "randwrite", options)
    assert sample["options"][option] == value
    assert once(arrived, 4 * MIB)
    found = {n for _, _, n in arrived}
    assert found <= set(sizes)
    assert len(found) > 0.7 * len(sizes)  # some hundred requests, on threads in no fixed order: one may be missing
    assert sample["write"]["bytes"] == 4 * MIB
    assert sample["write"]["ios"] == len(arrived)
    assert not [f for f in sample["findings"] if f["code"] == "size_mismatch"]


@ENGINES
def test_requests_of_any_number_of_bytes(directory, ioengine):
    options = {"ioengine": ioengine, "size": "1M", "bsrange": "1k-8k", "bs": None, "bs_unaligned": 1, "direct": 0}
    sample, arrived = run(directory, "write", options)
    assert once(arrived, sum(n for _, _, n in arrived))
    assert sum(n % 512 != 0 for _, _, n in arrived) > len(arrived) / 2
    assert sample["write"]["bytes"] == sum(n for _, _, n in arrived)


@ENGINES
def test_offsets_are_aligned(directory, ioengine):
    """And the region begins where nothing is aligned."""
    options = {"ioengine": ioengine, "blockalign": "1000", "offset": 77, "direct": 0}
    _, arrived = run(directory, "randwrite", options)
    assert all((o - 77) % 1000 == 0 and n == 4 * KIB for _, o, n in arrived)
    assert len({o for _, o, _ in arrived}) > 150
    assert max(o for _, o, _ in arrived) <= MIB - 4 * KIB + 77


def test_no_target_and_many_sizes(directory):
    sample = null(directory, "randwrite", {"bsrange": "4k-64k", "bs": None, "size": "64M", "iodepth": 8})
    assert sample["write"]["bytes"] == 64 * MIB
    assert 64 * MIB / (36 * KIB) < sample["write"]["ios"] < 64 * MIB / (16 * KIB)


@pytest.mark.parametrize("options,field", [
    ({"blockalign": 100}, "blockalign"), ({"offset": 77}, "offset"), ({"bsrange": "1000-4k", "bs": None}, "bsrange")])
def test_direct_needs_alignment(directory, options, field):
    engine = Engine(directory / "state", [str(directory)])
    try:
        lines = engine.run(whole(f"{directory}/t", "randread", options))
    finally:
        engine.stop()
    assert "512" in str(lines[-1]) and field in str(lines[-1])


@ENGINES
def test_some_offsets_are_drawn(directory, ioengine):
    options = {"ioengine": ioengine, "size": "16M", "percentage_random": 25}
    sample, arrived = run(directory, "randread", options)
    follow = sum(a[1] + a[2] == b[1] for a, b in zip(arrived, arrived[1:]))
    assert 0.70 < follow / len(arrived) < 0.80
    assert sample["options"]["percentage_random"] == 25


@ENGINES
def test_each_job_begins_further_on(directory, ioengine):
    options = {"ioengine": ioengine, "size": "64k", "numjobs": 3, "offset": "8k", "offset_increment": "256k"}
    _, arrived = run(directory, "read", options)
    places = [8 * KIB + j * 256 * KIB + i * 4 * KIB for j in range(3) for i in range(16)]
    assert sorted(o for _, o, _ in arrived) == places


@ENGINES
def test_jobs_share_a_position(directory, ioengine):
    """Two jobs through 1 MiB together: in their first 1 MiB no block comes twice."""
    options = {"ioengine": ioengine, "numjobs": 2, "interlocked": 1, "rwmixread": None}
    sample, arrived = run(directory, "read", options)
    assert sample["read"]["bytes"] == 2 * MIB
    first = [o for _, o, _ in arrived[:256]]
    assert len(set(first)) > 250  # but for what two jobs have outstanding where a round ends


@ENGINES
@pytest.mark.parametrize("rw,depth", [("rewrite", 1), ("randrewrite", 8)])
def test_each_block_is_read_and_written_back(directory, ioengine, rw, depth):
    sample, arrived = run(directory, rw, {"ioengine": ioengine, "iodepth": depth})
    assert sample["options"]["rw"] == rw
    assert sample["read"]["ios"] == sample["write"]["ios"] == 256
    assert sample["read"]["latency_ns"]["mean"] > 0 and sample["write"]["latency_ns"]["mean"] > 0
    assert sample["read"]["latency_ns"] != sample["write"]["latency_ns"]
    reads = [o for kind, o, _ in arrived if kind == "read"]
    writes = [o for kind, o, _ in arrived if kind == "write"]
    assert sorted(reads) == sorted(writes) == list(range(0, MIB, 4 * KIB))
    read = set()
    for kind, offset, _ in arrived:
        assert kind == "read" or offset in read
        read.add(offset)
    if depth == 1:
        assert reads == writes == sorted(reads)
        assert [kind for kind, _, _ in arrived] == ["read", "write"] * 256


@pytest.mark.parametrize("options,word", [
    ({"rw": "rewrite"}, "rw=rewrite"), ({"rw": "read", "interlocked": 1, "numjobs": 2}, "interlocked=1")])
def test_what_fio_has_not(directory, options, word):
    made = whole(f"{directory}/t", "read", {"size": "1M", **options})
    done = subprocess.run([PROGRAM, "fio", "-", "--state", directory / "state"], input=json.dumps(made),
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert word in done.stderr and "fio has nothing" in done.stderr
    engine = Engine(directory / "state", [str(directory)])
    try:
        answer = str(engine.ask("plan", definition=made))
    finally:
        engine.stop()
    assert word.split("=")[0] in answer and "'fio'" not in answer


def test_no_directory_for_interlocked_jobs(directory):
    engine = Engine(directory / "state", [str(directory)])
    made = whole(f"{directory}/t", "read", {"numjobs": 2, "interlocked": 1})
    made["target"] = {"directory": str(directory)}
    try:
        lines = engine.run(made)
    finally:
        engine.stop()
    assert "interlocked=1 needs one file or device" in str(lines[-1])
