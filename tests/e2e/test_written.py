# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written, read off the disk: zeros, repetitions and compressible data by the share asked for,
in what a workload writes and in what a target is filled with for a workload that reads."""
import hashlib
import zlib

import pytest

from engine import Engine, definition, in_phase

SIZE = 16 << 20
BLOCK = 4096
BOTH = ["io_uring", "threads"]


@pytest.fixture
def run(directory):
    """run(workloads): what the file holds when the last of them has begun to be measured."""
    started = []

    def go(*workloads, **options):
        path = directory / f"file{len(started)}"
        engine = Engine(directory / f"state{len(started)}", [directory])
        started.append(engine)
        engine.send("run", run="test-run", definition=definition(
            {"file": str(path)}, order="grouped",
            workloads=[{"name": f"w{i}", "bs": "4k", "size": SIZE, "iodepth": 8, **options, **one}
                       for i, one in enumerate(workloads)]))
        done = 0
        while done < len(workloads) - 1:
            line = engine.read()
            assert "error" not in (line or {}).get("end", {"error": 1} if line is None else {}), line
            done += "sample" in line
        engine.until(in_phase("measure"))
        data = path.read_bytes()
        engine.stop()
        path.unlink(missing_ok=True)
        return data

    yield go
    for engine in started:
        engine.stop()


def written(run, ioengine, **options):
    """The file after a write of every block once, and while it is read."""
    return run({"rw": "randwrite", "time_based": 0, **options}, {"rw": "randread", "runtime": 60},
               ioengine=ioengine)


def blocks(data):
    return [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)]


def distinct(data):
    return len({hashlib.blake2b(block).digest() for block in blocks(data)}) / (len(data) / BLOCK)


def compressed(data):
    """Share that is left of it."""
    return len(zlib.compress(data, 1)) / len(data)


@pytest.mark.parametrize("ioengine", BOTH)
def test_default_is_fresh_and_incompressible(run, ioengine):
    data = written(run, ioengine)
    assert distinct(data) == 1
    assert compressed(data) > 0.99


@pytest.mark.parametrize("ioengine", BOTH)
def test_zero_buffers_are_zero(run, ioengine):
    assert written(run, ioengine, zero_buffers=1) == bytes(SIZE)


@pytest.mark.parametrize("ioengine", BOTH)
@pytest.mark.parametrize("percent", [20, 50, 80])
def test_compressible_by_the_share(run, ioengine, percent):
    data = written(run, ioengine, buffer_compress_percentage=percent)
    assert abs(compressed(data) - (100 - percent) / 100) < 0.06
    assert distinct(data) == 1


@pytest.mark.parametrize("ioengine", BOTH)
def test_chunks_of_another_size(run, ioengine):
    data = written(run, ioengine, buffer_compress_percentage=50, buffer_compress_chunk=0)
    assert all(block[BLOCK // 2:] == bytes(BLOCK // 2) for block in blocks(data))
    assert all(bytes(64) not in block[:BLOCK // 2] for block in blocks(data))
    data = written(run, ioengine, buffer_compress_percentage=50)
    assert all(block[256:512] == bytes(256) and bytes(64) not in block[:256] for block in blocks(data))


@pytest.mark.parametrize("ioengine", BOTH)
@pytest.mark.parametrize("percent", [30, 75])
def test_repeating_by_the_share(run, ioengine, percent):
    data = written(run, ioengine, dedupe_percentage=percent)
    # 4096 blocks: a standard deviation is below a point
    assert abs(distinct(data) - (100 - percent) / 100) < 0.04
    assert len({block for block in blocks(written(run, ioengine, dedupe_percentage=100))}) == 1


@pytest.mark.parametrize("ioengine", BOTH)
def test_buffers_used_again(run, ioengine):
    same = written(run, ioengine, refill_buffers=0, scramble_buffers=0)
    assert len(set(blocks(same))) <= 8, "as many as there are buffers"
    scrambled = written(run, ioengine, refill_buffers=0)
    assert distinct(scrambled) == 1
    # each sector is, in few places
    pieces = {block[at:at + 64] for block in blocks(scrambled) for at in range(64, BLOCK, 64)}
    assert len(pieces) < 0.3 * SIZE / 64
    sectors = {data[at:at + 512] for data in [scrambled] for at in range(0, SIZE, 512)}
    assert len(sectors) == SIZE / 512


@pytest.mark.parametrize("options, low, high, share", [
    ({}, 0.99, 1.01, 1), ({"zero_buffers": 1}, 0, 0.01, 0), ({"buffer_compress_percentage": 75}, 0.22, 0.3, 1),
    ({"dedupe_percentage": 60, "buffer_compress_percentage": 50}, 0.1, 0.55, 0.4)])
def test_reads_meet_what_was_asked_for(run, options, low, high, share):
    data = run({"rw": "randread", "runtime": 60, **options})
    assert low <= compressed(data) <= high
    assert abs(distinct(data) - share) < 0.04


def test_readers_must_agree(directory):
    answer = Engine(directory / "state", [directory]).ask("plan", definition=definition(
        {"file": str(directory / "f")}, factors={"buffer_compress_percentage": [0, 50]}))
    error = answer["error"]
    assert error["code"] == "conflicting_options"
    assert "buffer_compress_percentage" in error["message"] and "filled once" in error["message"]
    # of writes it may well be a factor
    answer = Engine(directory / "state", [directory]).ask("plan", definition=definition(
        {"file": str(directory / "f")}, rw="randwrite", factors={"buffer_compress_percentage": [0, 50]}))
    assert "plan" in answer, answer
