#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine beside fio, in one interleaved run.

Each round runs every variant once, in random order; the reference (fio with its best settings) runs
twice, as "fio best" and "again". A figure is the median over rounds of the paired ratio to the
reference: operations a second of CPU time (user + system of the tool and its children, less its
start-up: of a run of few operations, both are taken off), operations a second, and mean latency (fio's `lat`).
Where the reference against itself leaves 0.98 to 1.02 in the first the machine was too noisy for the
figures beside it, and the table says so; it says by how much in all three.

The engine measured is the shipped one: `volbench engine` given a run on its standard input, with every
latency in the histogram, the series and the bound check on. It chooses its backend itself.

Metadata workloads stand beside bonnie++ (files.py, which also runs alone).

User instructions an operation are callgrind's, of both programs. At the end stand the goals
(tests/bench/README.md), what was reached of each, and how noisy it was.

Files are made in --directory (its file system is named in the table; O_DIRECT must work there) and in
/dev/shm. The loop device and the FUSE file need root and are left out without, which is told.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import files
import programs
import report
from programs import BEST, DEFAULT, MIB

NOISE = (0.98, 1.02)
METRICS = ("ios_per_cpu_s", "iops", "lat_ns")
HERE = pathlib.Path(__file__).resolve().parent


def variants(arguments, state):
    each = {
        "fio best": programs.fio(BEST),
        "again": programs.fio(BEST),
        "fio default": programs.fio(DEFAULT),
        "volbench": programs.volbench(arguments.program, state),
        # Beside fio's defaults: each block once before any is touched again.
        "volbench default": programs.volbench(arguments.program, state, norandommap=0),
    }
    if not arguments.quick:
        # fio's best settings wait for 16 completions at a time: the same of this engine.
        each["volbench min 16"] = programs.volbench(arguments.program, state, iodepth_batch_complete_min=16)
    return each


def make_file(path, size):
    with open(path, "wb") as out:
        for _ in range(size // MIB):
            out.write(os.urandom(MIB))
        out.flush()
        os.fsync(out.fileno())
    return path


def case(name, target, rw="randread", depth=32, bs="4k", jobs=1, **more):
    return {"rw": rw, "depth": depth, "bs": bs, "jobs": jobs, "sync": False,
            "name": f"{name}, {bs} {rw}, depth {depth}, {jobs} job{'s' * (jobs > 1)}",
            **target, **more}


def file_system(directory):
    return subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True,
                          check=True).stdout.strip().replace("ext2/ext3", "ext4")


class Loop:
    """A loop device on a file, read-only: for the with statement; path is None without the right."""

    def __init__(self, backing):
        self.backing, self.path = backing, None

    def __enter__(self):
        found = subprocess.run(["losetup", "--read-only", "--direct-io=off", "--find", "--show",
                                self.backing], capture_output=True, text=True, check=False) \
            if shutil.which("losetup") else None
        if found and found.returncode == 0:
            self.path = found.stdout.strip()
        else:
            print("no loop device:", found.stderr.strip() if found else "no losetup")
        return self

    def __exit__(self, *_):
        if self.path:
            subprocess.run(["losetup", "--detach", self.path], check=True)


@contextlib.contextmanager
def fuse_file(directory, program):
    """A file of 64 MiB that takes 1 ms for each operation and has no NOWAIT; None where it cannot be."""
    os.environ["VOLBENCH"] = program
    sys.path.insert(0, str(HERE.parent / "e2e"))
    import fuse  # once the program is known  pylint: disable=import-outside-toplevel

    reason = fuse.missing() or (None if fuse.TOOL.exists() else f"{fuse.TOOL} is not built: make tools")
    if reason:
        print("no FUSE file:", reason)
        yield None
        return
    with fuse.Mount(directory, size="64M", delay_us=1000) as mount:
        yield {"path": f"{mount.path}/file", "allow": mount.path, "size": "64m", "direct": 1}


def quick_cases(zero, cached):
    yield case("/dev/zero", zero)
    yield case("/dev/zero", zero, depth=1)
    yield case("cached", cached)


def all_cases(zero, cached, direct, tmpfs, loop, fuse):
    for target, name in ((zero, "/dev/zero"), (cached, "cached"), (direct, "O_DIRECT"),
                         (tmpfs, "tmpfs O_DIRECT"), (loop, "loop O_DIRECT")):
        if target:
            for depth in (1, 32, 128):
                yield case(name, target, depth=depth)
    # Small files where the engine makes its own and fills it, which costs time that is taken off.
    for target, name in ((cached, "cached"), (direct, "O_DIRECT"), (tmpfs, "tmpfs O_DIRECT")):
        yield case(name, {**target, "size": "32m"}, rw="randrw")
    for bs in ("128k", "1m"):
        yield case("O_DIRECT", direct, bs=bs, depth=8)
        yield case("tmpfs O_DIRECT", tmpfs, bs=bs, depth=8)
    for jobs in (2, 16, 64):
        yield case("/dev/zero", zero, jobs=jobs)
        yield case("cached", cached, jobs=jobs)
        yield case("/dev/zero", zero, jobs=jobs, depth=1)
        yield case("cached", cached, jobs=jobs, depth=1)
        yield case("O_DIRECT", direct, jobs=jobs, depth=1)
    yield case("dsync, buffered", {**cached, "size": "32m"}, rw="randwrite", sync=True)
    if fuse:
        yield case("FUSE of 1 ms", fuse)


# (row, reference, metric, at least; or for latency: at most)
GOALS = [
    ("/dev/zero, 4k randread, depth 32, 1 job", "fio best", "ios_per_cpu_s", 1.5),
    ("cached, 4k randread, depth 32, 1 job", "fio best", "ios_per_cpu_s", 1.1),
    ("O_DIRECT, 4k randread, depth 32, 1 job", "fio best", "ios_per_cpu_s", 1.05),
    ("O_DIRECT, 4k randread, depth 128, 1 job", "fio best", "ios_per_cpu_s", 1.2),
    ("/dev/zero, 4k randread, depth 32, 1 job", "fio default", "ios_per_cpu_s", 7),
    ("O_DIRECT, 4k randread, depth 32, 1 job", "fio default", "ios_per_cpu_s", 2.2),
    ("O_DIRECT, 4k randread, depth 128, 1 job", "fio default", "ios_per_cpu_s", 4.5),
    ("/dev/zero, 4k randread, depth 1, 64 jobs", "fio default", "ios_per_cpu_s", 5),
    ("cached, 4k randread, depth 1, 64 jobs", "fio default", "ios_per_cpu_s", 5),
    ("O_DIRECT, 4k randread, depth 1, 64 jobs", "fio default", "ios_per_cpu_s", 5),
    ("tmpfs O_DIRECT, 4k randread, depth 32, 1 job", "fio best", "ios_per_cpu_s", 1.3),
    ("dsync, buffered, 4k randwrite, depth 32, 1 job", "fio default", "iops", 10),
    ("FUSE of 1 ms, 4k randread, depth 32, 1 job", "fio default", "iops", 10),
    ("O_DIRECT, 4k randread, depth 1, 1 job", "fio default", "lat_ns", 1.03),
]


def efficiency(run, short):
    used = max(run["cpu"] - short["cpu"], 1e-4)
    return (run["ios"] - short["ios"]) / used


def measure(row, runners, arguments):
    short = {name: min((run(row, 0) for _ in range(3)), key=lambda r: r["cpu"])
             for name, run in runners.items()}
    rounds = []
    for _ in range(arguments.rounds):
        order = list(runners)
        random.shuffle(order)
        seen = {}
        for name in order:
            seen[name] = runners[name](row, arguments.seconds)
            seen[name]["ios_per_cpu_s"] = efficiency(seen[name], short[name])
        rounds.append(seen)
    table = {}
    for name in runners:
        line = table[name] = {}
        for key in METRICS:
            line[key] = statistics.median(r[name][key] / r["fio best"][key] for r in rounds)
            line[key + " to default"] = statistics.median(
                r[name][key] / r["fio default"][key] for r in rounds)
            line["median_" + key] = statistics.median(r[name][key] for r in rounds)
        line.update({k: rounds[0][name][k] for k in ("backend",) if k in rounds[0][name]})
    return table


def noise_of(table):
    return max(abs(table["again"][key] - 1) for key in METRICS)


def show(row, table):
    noisy = not NOISE[0] <= table["again"]["ios_per_cpu_s"] <= NOISE[1]
    print(f"{row['name']}{'  (too noisy for figures to hold)' if noisy else ''}")
    for name, line in table.items():
        print(f"  {name:20}{line.get('backend', ''):10}{line['ios_per_cpu_s']:>15.2f}{line['iops']:>8.2f}"
              f"{line['lat_ns']:>9.2f}{line['median_iops']:>14,.0f}"
              f"{line['median_lat_ns'] / 1000:>12,.1f} us", flush=True)
    return noisy


def judge(results):
    """What was reached of each goal whose row was measured."""
    told = []
    for row, reference, metric, goal in GOALS:
        if row not in results:
            continue
        table = results[row]["variants"]
        key = metric if reference == "fio best" else metric + " to default"
        found = table["volbench min 16" if reference == "fio best" else "volbench default"][key]
        reached = found <= goal if metric == "lat_ns" else found >= goal
        told.append({"row": row, "reference": reference, "metric": metric, "goal": goal,
                     "found": found, "reached": reached, "noise": noise_of(table)})
        print(f"{'reached' if reached else 'missed ':8}{metric:14}{found:>8.2f}  "
              f"({'at most' if metric == 'lat_ns' else 'at least'} {goal} x {reference}; "
              f"fio against itself off by {noise_of(table):.2f})  {row}")
    return told


def instructions(arguments, directory):
    """User instructions an operation: both programs, random reads of /dev/zero."""
    if not shutil.which("valgrind"):
        print("no instructions: there is no valgrind")
        return {}
    os.environ["VOLBENCH"] = arguments.program
    import test_instructions as ours  # which needs the program  pylint: disable=import-outside-toplevel

    library = ours.build_shim(pathlib.Path(directory) / "openat2.so")
    told = {}
    for depth in (1, 32):
        path = pathlib.Path(directory) / f"callgrind{depth}"
        path.mkdir()
        each, _ = ours.per_operation(library, path, {"rw": "randread", "iodepth": depth, "norandommap": 1})
        told[f"depth {depth}"] = {
            "volbench": sum(each.values()),
            "fio best": programs.fio_instructions(BEST, depth, directory),
            "fio default": programs.fio_instructions(DEFAULT, depth, directory),
        }
        print(f"user instructions an operation, depth {depth}: " + ", ".join(
            f"{name} {figure:,.0f}" for name, figure in told[f"depth {depth}"].items()), flush=True)
    return told


def refreshing(arguments, state):
    """Nanoseconds to make 4 KiB of random data: writes less reads, of the null backend."""
    target = {"path": state + ".data", "allow": os.path.dirname(state), "size": "4m", "direct": 1}
    run = programs.volbench(arguments.program, state, ioengine="null")
    figures = []
    for _ in range(arguments.rounds):
        each = []
        for rw in ("randread", "randwrite"):
            row = case("null", target, rw=rw, new=True)
            short, long = run(row, 0.1), run(row, 0.1 + arguments.seconds)
            each.append(1e9 / efficiency(long, short))
        figures.append(each[1] - each[0])
    print(f"random data of 4 KiB: {statistics.median(figures):.0f} ns (goal: at most 40)", flush=True)
    return statistics.median(figures)


def rows_of(arguments, stack, disk):
    size = 64 if arguments.quick else 256
    data = make_file(disk + "/data", size * MIB)
    zero = {"path": "/dev/zero", "allow": "/dev/zero", "size": "1g", "direct": 0}
    cached = {"path": data, "allow": disk, "size": f"{size}m", "direct": 0}
    if arguments.quick:
        yield from quick_cases(zero, cached)
        return
    shm = stack.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm", prefix="volbench-bench-"))
    backing = make_file(shm + "/data", size * MIB)
    tmpfs = {"path": backing, "allow": shm, "size": f"{size}m", "direct": 1}
    device = stack.enter_context(Loop(backing))
    loop = device.path and {**tmpfs, "path": device.path, "allow": device.path}
    fuse = stack.enter_context(fuse_file(disk, arguments.program))
    yield from all_cases(zero, cached, {**cached, "direct": 1}, tmpfs, loop, fuse)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/volbench")
    parser.add_argument("--directory", default="/var/tmp")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name holds this; no instructions")
    parser.add_argument("--goals", action="store_true", help="only the cases that a goal is about")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    results, document = {}, {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=arguments.directory, prefix="volbench-bench-") as disk, \
            contextlib.ExitStack() as stack:
        runners = variants(arguments, disk + "/state")
        print(f"files on {file_system(disk)}; figures are ratios to fio best, medians of "
              f"{arguments.rounds} rounds")
        print(f"{'':32}{'ops per CPU s':>15}{'IOPS':>8}{'latency':>9}{'IOPS':>14}{'latency':>15}")
        for row in rows_of(arguments, stack, disk):
            wanted = not arguments.goals or row["name"] in [goal[0] for goal in GOALS]
            if arguments.only in row["name"] and wanted:
                table = measure(row, runners, arguments)
                results[row["name"]] = {"variants": table, "noisy": show(row, table)}
        if not arguments.only and not arguments.quick:
            document["instructions"] = instructions(arguments, disk)
            document["random_data_ns"] = refreshing(arguments, disk + "/state")
            document["files"] = files.compare(arguments.program, arguments.directory,
                                              max(arguments.rounds // 3, 1), 64)
            document["report"] = report.compare(
                str(pathlib.Path(arguments.program).parent / "tests/tools/write_report"),
                arguments.directory, arguments.rounds)
    document.update(rows=results, goals=judge(results), load=os.getloadavg(),
                    seconds=time.monotonic() - began)
    print(f"{document['seconds']:.0f} s; load of the machine at the end: {document['load'][0]:.1f}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
