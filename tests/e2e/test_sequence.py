# SPDX-License-Identifier: GPL-3.0-or-later
"""The order and the sizes of the requests, as they arrive beneath the engine, on every backend."""
import pytest

import fuse
from engine import Engine, definition, end, samples

KIB = 1 << 10
MIB = 1 << 20

pytestmark = pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")
ENGINES = pytest.mark.parametrize("ioengine", ["io_uring", "threads"])


def run(directory, rw, options):
    """The only sample, and what arrived for it in order: (kind, offset, length)."""
    with fuse.Mount(directory) as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            lines = engine.run(definition(
                {"file": f"{mount.path}/t"}, rw=rw,
                options={"size": "1M", "time_based": 0, "runtime": "30", "invalidate": 0, "direct": 1, **options}))
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
        lines = engine.run(definition(
            {"file": f"{directory}/t"}, rw=rw,
            options={"size": "1M", "time_based": 0, "runtime": "30", "direct": 0, "ioengine": "null", **options}))
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
