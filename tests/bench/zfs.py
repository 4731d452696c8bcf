#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an asked depth is a real one on OpenZFS, through the engine and the backend it chooses.

    zfs.py [--json FILE]

Operations a second at depth 16 against depth 1, five interleaved repeats each, in the machine of
tests/zfs: direct sync random writes of a dataset's file, where io_uring alone reaches 1.04 times, and
random reads of a zvol that ARC does not answer. The pool lies on a null_blk device that takes 2 ms for
each request: depth hides a disk's latency, and without any two emulated processors are all there is to
wait for. Exits with 1 below a goal.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "zfs"))

import machine as machine_module  # noqa: E402

SHARED = {"bs": "16k", "size": "64m", "ramp_time": 1, "runtime": 3, "direct": 1}
SLOW_POOL = (
    "modprobe null_blk nr_devices=1 memory_backed=1 gb=1 irqmode=2 completion_nsec=2000000 queue_mode=2"
    " hw_queue_depth=256 && zpool create -o ashift=12 slow /dev/nullb0 && zfs create slow/volbench"
)
ROWS = [
    # name, what the target is, workload, goal
    ("dataset file, direct sync random write", {"dataset": {"properties": {"recordsize": "16K"}}},
     {"rw": "randwrite", "sync": "sync"}, 5),
    ("zvol, direct random read", {"zvol": {"properties": {"volblocksize": "16K", "primarycache": "metadata"}}},
     {"rw": "randread"}, 3),
    ("dataset file, direct random read", {"dataset": {"properties": {"recordsize": "16K"}}},
     {"rw": "randread"}, None),
    ("zvol, direct sync random write", {"zvol": {"properties": {"volblocksize": "16K"}}},
     {"rw": "randwrite", "sync": "sync"}, None),
]  # fmt: skip


def measure(machine, parent, target, workload):
    """IOPS of each depth over the repeats, and what a sample says of the backend."""
    [(kind, more)] = target.items()
    definition = {
        "name": "depth",
        "target": {kind: {"parent": parent, **more}},
        "factors": {"iodepth": [1, 16]},
        "defaults": SHARED,
        "workloads": [{"name": "depth", **workload}],
        "repeats": 5,
    }
    machine.put(json.dumps(definition), "/tmp/depth.json")
    machine.ok(
        f"volbench run /tmp/depth.json --state /tmp/depth --allow-dataset {parent} --json /tmp/result.json",
        timeout=900,
    )
    samples = json.loads(machine.get("/tmp/result.json"))["samples"]
    found = {"1": [], "16": []}
    for sample in samples:
        found[sample["levels"]["iodepth"]] += [
            sum(sample[side]["iops"] for side in ("read", "write") if side in sample)
        ]
    return found, samples[0]["backend"], samples[0]["backend_reason"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="where the figures go as JSON")
    arguments = parser.parse_args()
    machine_module.end_by_signals()
    directory = tempfile.mkdtemp(prefix="volbench-zfs-", dir="/var/tmp")
    machine, figures = None, []
    try:
        machine = machine_module.make(directory)
        if isinstance(machine, machine_module.Virtual):
            machine.ok(SLOW_POOL)
            parent = "slow/volbench"
        else:  # a real machine's own disks have a latency
            parent = machine.make_pool(size="6G").parent
        for name, target, workload, goal in ROWS:
            found, backend, reason = measure(machine, parent, target, workload)
            low, high = (statistics.median(found[depth]) for depth in ("1", "16"))
            figures.append({"row": name, "iops": found, "ratio": high / low, "goal": goal,
                            "backend": backend, "reason": reason})  # fmt: skip
            print(f"{name}: {low:,.0f} at depth 1, {high:,.0f} at depth 16: {high / low:.2f} x"
                  f"{f' (goal {goal} x)' if goal else ''}; {backend}: {reason}", flush=True)  # fmt: skip
    finally:
        if machine is not None:
            machine.stop()
        shutil.rmtree(directory)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 1 if any(f["goal"] and f["ratio"] < f["goal"] for f in figures) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
