# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates and pauses seen from outside: what arrives at a file system and when, and a storage that hangs."""
import signal
import statistics
import time

import pytest

import fuse
from engine import Engine, definition, end, in_phase, samples

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
        existing = {"existing": True} if target.startswith("/dev/") else {}
        lines = engine.run(definition({"file": target, **existing}, options=options))
    finally:
        engine.stop()
    assert end(lines)["state"] == "done", lines[-1]
    return samples(lines)[0]


def percentile(direction, name, percent):
    return direction[name]["percentiles"][f"{percent:.6f}"]


def arrivals_of(mount, sample):
    """When the requests of the sample came, in order."""
    return [o.ns for o in mount.log() if o.kind == "read"][-sample["read"]["ios"]:]


def hang(directory, stop, options):
    """A sample whose storage stands still for so many seconds; when requests came; the time in
    which it stood still."""
    with fuse.Mount(directory, size="16M") as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            engine.send("run", run="test-run", definition=definition(
                {"file": f"{mount.path}/file", "existing": True}, options=options))
            measuring = in_phase("measure")
            left = engine.until(measuring)["progress"]["seconds_left"]
            engine.until(lambda line: measuring(line)
                         and line["progress"]["seconds_left"] <= left - 1)
            began = time.monotonic_ns()
            mount.process.send_signal(signal.SIGSTOP)
            time.sleep(stop)  # it is that long that it hangs
            mount.process.send_signal(signal.SIGCONT)
            over = time.monotonic_ns()
            while engine.read() is not None:
                pass
            assert engine.wait() == 0
        finally:
            mount.process.send_signal(signal.SIGCONT)
            engine.stop()
    assert end(engine.lines)["state"] == "done", engine.lines[-1]
    sample, = samples(engine.lines)
    return sample, arrivals_of(mount, sample), began, over


@needs_fuse
@pytest.mark.parametrize("ioengine", ["io_uring", "threads"])
def test_a_storage_that_hangs(directory, ioengine):
    """Under a rate a stop of 1.5 s is late for all it held up, while what was outstanding is a handful."""
    rate, seconds, depth, stop = 400, 8, 4, 1.5
    for _ in range(5):
        sample, arrivals, began, over = hang(directory, stop, {
            "size": "16M", "iodepth": depth, "rate_iops": rate, "runtime": seconds,
            "ioengine": ioengine, "direct": 0})
        # Else this test was held up itself, and it hung at another time.
        if over - began < (stop + 0.5) * SECOND and arrivals[-1] - over > 2 * SECOND:
            break
    read = sample["read"]
    assert sample["seconds"] >= seconds - 0.001 and read["ios"] <= rate * seconds + 1
    # The schedule lost nothing: what is on time behind the stop is what was due then.
    late = [at - number * SECOND / rate for number, at in enumerate(arrivals)]
    before = min(l for l, at in zip(late, arrivals) if at < began)
    after = min(l for l, at in zip(late, arrivals) if at > over)
    assert abs(after - before) < 0.1 * SECOND
    # From the submission only what was outstanding waited: 4 of 3,200.
    assert read["latency_ns"]["max"] >= (stop - 0.3) * SECOND
    assert percentile(read, "latency_ns", 99.5) < 300 * MS
    # From the intended start all that were due meanwhile did: a sixth of them for more than 0.1 s.
    assert percentile(read, "intended_ns", 90) >= 300 * MS
    assert percentile(read, "intended_ns", 99) >= (stop - 0.3) * SECOND
    assert read["intended_ns"]["max"] >= read["latency_ns"]["max"]
    # Each waited for the rest of the stop; but for the outstanding ones before it was submitted.
    waited = rate * stop ** 2 / 2 - depth * stop
    assert read["intended_ns"]["mean"] - read["latency_ns"]["mean"] > 0.9 * SECOND * waited / read["ios"]


@needs_fuse
@pytest.mark.parametrize("process", ["linear", "poisson"])
def test_reads_arrive_as_the_rate_has_them(directory, process):
    """The distances between arrivals: even, or with the spread of a Poisson process."""
    rate, seconds = 50, 8
    with fuse.Mount(directory) as mount:
        sample = run(directory, f"{mount.path}/t", mount.path, iodepth=8, rate_iops=rate, runtime=seconds,
                     rate_process=process)
    arrivals = arrivals_of(mount, sample)
    gaps = [after - before for before, after in zip(arrivals, arrivals[1:])]
    mean = sum(gaps) / len(gaps)
    assert abs(mean - SECOND / rate) < SECOND / rate * 0.15
    # How far behind an even schedule the most punctual one of each twenty is: a busy machine is late
    # with many, and with all of them for a while only.
    late = [at - number * SECOND / rate for number, at in enumerate(arrivals)]
    punctual = [min(late[i:i + 20]) for i in range(0, len(late), 20)]
    middle = statistics.median(punctual)
    off = statistics.median(abs(one - middle) for one in punctual)
    # 1 for exponential gaps, 0 for even ones; what a busy machine is late by is in both.
    spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5 / mean
    below = sum(gap < mean / 2 for gap in gaps) / len(gaps)  # 0.39 of exponential ones
    if process == "poisson":
        assert 0.7 < spread and 0.25 < below < 0.6 and off > SECOND / rate, (spread, below, off)
    else:
        assert below < 0.34 and off < SECOND / rate / 4, (spread, below, off)


@needs_fuse
def test_pauses_are_seen_beneath(directory):
    """Bursts of ten, and at least thinktime between one and the next."""
    with fuse.Mount(directory) as mount:
        sample = run(directory, f"{mount.path}/t", mount.path, iodepth=1, thinktime=50000,
                     thinktime_blocks=10, thinktime_blocks_type="issue", size="800k", time_based=0, runtime=600)
    arrivals = arrivals_of(mount, sample)
    assert len(arrivals) == 200 and sample["seconds"] >= 19 * 0.05
    # Every one, from where a burst begins: its last request may arrive late, on a busy machine, and
    # what is seen behind that is shorter than what was kept.
    firsts = arrivals[::10]
    assert all(after - before >= 50 * MS for before, after in zip(firsts, firsts[1:]))
    # And they stand behind each tenth, not between others.
    gaps = [after - before for before, after in zip(arrivals, arrivals[1:])]
    assert statistics.median(gaps[9::10]) > 25 * MS
    assert statistics.median(gap for i, gap in enumerate(gaps) if i % 10 != 9) < 25 * MS


def test_both_latencies_stand_in_every_format(directory, scratch):
    """The sample, and nothing of it where there is no rate."""
    sample = run(directory, f"{scratch}/t", scratch, rw="randrw", rate_iops=",100", runtime=2,
                 percentile_list="50:75", direct=0)
    assert "intended_ns" not in sample["read"]
    assert sample["write"]["intended_histogram"]["count"] == sample["write"]["ios"] <= 201
    assert list(sample["write"]["intended_ns"]["percentiles"]) == ["50.000000", "75.000000"]
    # More than the writes let through: those from the page cache are not waited for.
    assert sample["read"]["ios"] > 300


def test_a_sample_ends_when_it_is_steady(directory):
    """Of what no disk and no other test makes unsteady."""
    sample = run(directory, "/dev/zero", "/dev/zero", rate_iops=200, runtime=600, direct=0, size="1M",
                 steadystate="iops:20%", steadystate_duration=2)
    assert sample["steadystate"]["attained"] and sample["seconds"] < 60
    assert abs(sample["steadystate"]["iops_mean"] - 200) < 40
    codes = [finding["code"] for finding in sample["findings"]]
    assert "steadystate_attained" in codes and "time_short" not in codes
