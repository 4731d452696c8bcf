# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates and pauses seen from outside: what arrives at a file system and when, and a storage that hangs."""
import signal

import pytest

import fuse
from engine import SLOW, Engine, definition, end, in_phase, samples

MS = 1_000_000
SECOND = 1_000_000_000

needs_fuse = pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")


@pytest.fixture
def scratch(directory):
    path = directory / "scratch"
    path.mkdir()
    return path


def run(directory, target, allow, **options):
    engine = Engine(directory / "state", [allow])
    try:
        lines = engine.run(definition({"file": target}, options=options))
    finally:
        engine.stop()
    assert end(lines)["state"] == "done", lines[-1]
    return samples(lines)[0]


def percentile(direction, name, percent):
    return direction[name]["percentiles"][f"{percent:.6f}"]


@needs_fuse
@pytest.mark.parametrize("ioengine", ["io_uring", "threads"])
def test_a_storage_that_hangs(directory, ioengine):
    """Under a rate a stop of 1.5 s is late for all it held up, while what was outstanding is a handful."""
    rate, seconds, depth, stop = 400, 8, 4, 1.5
    with fuse.Mount(directory, size="16M") as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            engine.send("run", run="test-run", definition=definition(
                {"file": f"{mount.path}/file", "existing": True},
                options={"size": "16M", "iodepth": depth, "rate_iops": rate, "runtime": seconds,
                         "ioengine": ioengine, "direct": 0}))
            measuring = in_phase("measure")
            left = engine.until(measuring)["progress"]["seconds_left"]
            engine.until(lambda line: measuring(line)
                         and line["progress"]["seconds_left"] <= left - 1)
            mount.process.send_signal(signal.SIGSTOP)
            engine.until(lambda line: measuring(line)
                         and line["progress"]["seconds_left"] <= left - 1 - stop)
            mount.process.send_signal(signal.SIGCONT)
            while engine.read() is not None:
                pass
            assert engine.wait() == 0
        finally:
            mount.process.send_signal(signal.SIGCONT)
            engine.stop()
    assert end(engine.lines)["state"] == "done", engine.lines[-1]
    read = samples(engine.lines)[0]["read"]
    # The schedule lost nothing.
    assert rate * (seconds - (1 if SLOW else 0.5)) <= read["ios"] <= rate * seconds + 1
    # From the submission only what was outstanding waited: 4 of 3,200.
    assert read["latency_ns"]["max"] >= (stop - 0.3) * SECOND
    assert percentile(read, "latency_ns", 99.5) < 300 * MS
    # From the intended start all that were due meanwhile did: a sixth of them for more than 0.1 s.
    assert percentile(read, "intended_ns", 90) >= 300 * MS
    assert percentile(read, "intended_ns", 99) >= (stop - 0.3) * SECOND
    assert read["intended_ns"]["max"] >= read["latency_ns"]["max"]
    assert read["intended_ns"]["mean"] > 20 * read["latency_ns"]["mean"]


@needs_fuse
@pytest.mark.parametrize("process", ["linear", "poisson"])
def test_reads_arrive_as_the_rate_has_them(directory, process):
    """The distances between arrivals: even, or with the spread of a Poisson process."""
    with fuse.Mount(directory) as mount:
        sample = run(directory, f"{mount.path}/t", mount.path, iodepth=8, rate_iops=250, runtime=4,
                     rate_process=process)
    arrivals = [o.ns for o in mount.log() if o.kind == "read"][-sample["read"]["ios"]:]
    gaps = [after - before for before, after in zip(arrivals, arrivals[1:])]
    mean = sum(gaps) / len(gaps)
    assert abs(mean - SECOND / 250) < SECOND / 250 * (0.05 if process == "linear" else 0.15)
    # 1 for exponential gaps, 0 for even ones; what a busy machine is late by is in both.
    spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5 / mean
    below = sum(gap < mean / 2 for gap in gaps) / len(gaps)  # 0.39 of exponential ones
    if process == "poisson":
        assert 0.7 < spread and 0.25 < below < 0.6, (spread, below)
    else:
        assert below < 0.34, (spread, below)


@needs_fuse
def test_pauses_are_seen_beneath(directory):
    """Bursts of ten, and at least thinktime between one's last and the next one's first."""
    with fuse.Mount(directory) as mount:
        sample = run(directory, f"{mount.path}/t", mount.path, iodepth=4, thinktime=50000,
                     thinktime_blocks=10, thinktime_blocks_type="issue", runtime=2)
    arrivals = [o.ns for o in mount.log() if o.kind == "read"][-sample["read"]["ios"]:]
    gaps = [after - before for before, after in zip(arrivals, arrivals[1:])]
    pauses = sum(gap >= 50 * MS for gap in gaps)
    assert pauses >= len(gaps) // 10 - 1 > 3
    assert sample["read"]["ios"] <= 10 * (2000 // 50 + 1)
    # Every one, from where a burst begins: its last request may arrive late, on a busy machine, and
    # what is seen behind that is shorter than what was kept.
    firsts = arrivals[::10]
    assert all(after - before >= 50 * MS for before, after in zip(firsts, firsts[1:]))


def test_both_latencies_stand_in_every_format(directory, scratch):
    """The sample, and nothing of it where there is no rate."""
    sample = run(directory, f"{scratch}/t", scratch, rw="randrw", rate_iops=",100", runtime=1,
                 percentile_list="50:75")
    assert "intended_ns" not in sample["read"]
    assert sample["write"]["intended_histogram"]["count"] == sample["write"]["ios"] <= 101
    assert list(sample["write"]["intended_ns"]["percentiles"]) == ["50.000000", "75.000000"]
    assert sample["read"]["ios"] > 120


def test_a_sample_ends_when_it_is_steady(directory, scratch):
    sample = run(directory, f"{scratch}/t", scratch, rate_iops=200, runtime=60,
                 steadystate="iops:20%", steadystate_duration=2)
    assert sample["steadystate"]["attained"] and sample["seconds"] < 30
    assert abs(sample["steadystate"]["iops_mean"] - 200) < 40
    codes = [finding["code"] for finding in sample["findings"]]
    assert "steadystate_attained" in codes and "time_short" not in codes
