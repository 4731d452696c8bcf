#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine beside fio, in one interleaved run.

Each round runs every variant once, in random order; the reference (fio with its best settings) runs
twice, as "fio best" and "again". A figure is the median over rounds of the paired ratio to the
reference: operations a second of CPU time (user + system of the tool and its children, less its
start-up: of a run of few operations, both are taken off), operations a second, and mean latency (fio's `lat`).
Where the reference against itself leaves 0.98 to 1.02 in the first the machine was too noisy for the
figures beside it, and the table says so.

The engine measured is the shipped one: `volbench engine` given a run on its standard input, with every
latency in the histogram, the series and the bound check on. It chooses its backend itself.

Files are made in --directory (its file system is named in the table; O_DIRECT must work there) and in
/dev/shm. The loop device needs root and is left out without, which is told.
"""
import argparse
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

BEST = (
    "--ioengine=io_uring --fixedbufs=1 --registerfiles=1 --nonvectored=1 --randrepeat=0 "
    "--random_generator=tausworthe64 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 "
    "--iodepth_batch_complete_max=32"
)
DEFAULT = "--ioengine=io_uring"
NOISE = (0.98, 1.02)
MIB = 1 << 20


def run_child(argv, stdin=None):
    """Runs a command; returns its output, its CPU seconds and its children's, and its exit status."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            argv, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT)
        if stdin:
            # Left open until the end: end of file would tell the engine to stop.
            child.stdin.write(stdin.encode())
            child.stdin.flush()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.stdin:
            child.stdin.close()
        out.seek(0)
        text = out.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"{argv[0]} ended with {child.returncode}: {text[-800:]}")
    return text, usage.ru_utime + usage.ru_stime


def figures(sides, cpu):
    """sides: of each direction with operations, (ios, iops, mean latency in ns)."""
    ios = sum(s[0] for s in sides)
    return {"ios": ios, "iops": sum(s[1] for s in sides), "cpu": cpu,
            "lat_ns": sum(s[0] * s[2] for s in sides) / max(ios, 1)}


def fio(settings):
    def run(case, seconds):
        argv = ["fio", "--name=bench", f"--filename={case['path']}", f"--size={case['size']}",
                f"--rw={case['rw']}", f"--bs={case['bs']}", f"--iodepth={case['depth']}",
                f"--numjobs={case['jobs']}", f"--direct={case['direct']}", "--norandommap=1",
                "--invalidate=0", "--group_reporting", "--output-format=json", *settings.split()]
        if case["sync"]:
            argv.append("--sync=dsync")
        argv += (["--time_based", f"--runtime={seconds}s"] if seconds else ["--number_ios=32"])
        text, cpu = run_child(argv)
        job = json.loads(text[text.index("{"):])["jobs"][0]
        sides = [(s["total_ios"], s["iops"], s["lat_ns"]["mean"])
                 for s in (job["read"], job["write"]) if s["total_ios"]]
        return figures(sides, cpu)
    return run


def volbench(program, state, **settings):
    def run(case, seconds):
        kind = "device" if case["path"].startswith("/dev/loop") else "file"
        writes = case["rw"] not in ("read", "randread")
        # It writes to no file that is there already: its own, made and filled first, which the
        # start-up has too and which does not count as operations.
        path = case["path"] + ".volbench" if writes else case["path"]
        target = {kind: path} if writes else {kind: path, "existing": True}
        workload = {"name": "bench", "rw": case["rw"], "bs": case["bs"], "iodepth": case["depth"],
                    "numjobs": case["jobs"], "direct": case["direct"], "size": case["size"],
                    "regions": "shared", "group_reporting": 1, "norandommap": 1, "invalidate": 0, **settings}
        if case["path"] == "/dev/zero":
            workload["direct"] = 0
        if case["sync"]:
            workload["sync"] = "dsync"
        if seconds:
            workload["runtime"] = seconds
        elif writes:
            workload["runtime"] = 0.1  # the least; its file must be made all the same
        else:
            workload.update({"time_based": 0, "size": "32m" if case["bs"] == "1m" else "4m"})
        request = {"call": "run", "run": "20000101-000000-bench0",
                   "definition": {"name": "bench", "target": target, "workloads": [workload]}}
        text, cpu = run_child([program, "engine", "--state", state, "--allow", case["allow"]],
                              json.dumps(request) + "\n")
        for line in text.splitlines():
            message = json.loads(line)
            if "error" in message or message.get("end", {}).get("error"):
                sys.exit(f"volbench: {line}")
            if "sample" in message:
                sample = message["sample"]
                sides = [(s["ios"], s["iops"], s["latency_ns"]["mean"])
                         for s in (sample.get("read"), sample.get("write")) if s and s["ios"]]
                return {**figures(sides, cpu), "backend": sample["backend"]}
        sys.exit("volbench: no sample: " + text[-800:])
    return run


def variants(arguments, state):
    return {
        "fio best": fio(BEST),
        "again": fio(BEST),
        "fio default": fio(DEFAULT),
        "volbench": volbench(arguments.program, state),
        # The one of fio's best settings that is a choice: less processor time, less depth.
        "volbench min 16": volbench(arguments.program, state, iodepth_batch_complete_min=16),
    }


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


def quick_cases(zero, cached):
    yield case("/dev/zero", zero)
    yield case("/dev/zero", zero, depth=1)
    yield case("cached", cached)


def all_cases(zero, cached, direct, tmpfs, loop):
    for target, name in ((zero, "/dev/zero"), (cached, "cached"), (direct, "O_DIRECT"),
                         (tmpfs, "tmpfs O_DIRECT"), (loop, "loop O_DIRECT")):
        if target:
            for depth in (1, 32, 128):
                yield case(name, target, depth=depth)
    yield case("O_DIRECT", direct, rw="randrw")
    for bs in ("128k", "1m"):
        yield case("O_DIRECT", direct, bs=bs, depth=8)
        yield case("tmpfs O_DIRECT", tmpfs, bs=bs, depth=8)
    for jobs in (2, 16, 64):
        yield case("/dev/zero", zero, jobs=jobs)
        yield case("cached", cached, jobs=jobs)
        yield case("O_DIRECT", direct, jobs=jobs, depth=1)
    yield case("dsync, buffered", {**cached, "size": "64m"}, rw="randwrite", sync=True)


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
            used = max(seen[name]["cpu"] - short[name]["cpu"], 1e-4)
            seen[name]["ios_per_cpu_s"] = (seen[name]["ios"] - short[name]["ios"]) / used
        rounds.append(seen)
    table = {}
    for name in runners:
        table[name] = {
            key: statistics.median(r[name][key] / r["fio best"][key] for r in rounds)
            for key in ("ios_per_cpu_s", "iops", "lat_ns")
        }
        for key in ("ios_per_cpu_s", "iops", "lat_ns"):
            table[name]["median_" + key] = statistics.median(r[name][key] for r in rounds)
        table[name].update({k: rounds[0][name][k] for k in ("backend",) if k in rounds[0][name]})
    return table


def show(row, table):
    same = table["again"]["ios_per_cpu_s"]
    noisy = not NOISE[0] <= same <= NOISE[1]
    print(f"{row['name']}{'  (too noisy: no figures)' if noisy else ''}")
    for name, line in table.items():
        print(f"  {name:16}{line.get('backend', ''):10}{line['ios_per_cpu_s']:>15.2f}{line['iops']:>8.2f}"
              f"{line['lat_ns']:>9.2f}{line['median_iops']:>14,.0f}"
              f"{line['median_lat_ns'] / 1000:>12,.1f} us", flush=True)
    return noisy


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/volbench")
    parser.add_argument("--directory", default="/var/tmp")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    results = {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=arguments.directory, prefix="volbench-bench-") as disk, \
            tempfile.TemporaryDirectory(dir="/dev/shm", prefix="volbench-bench-") as shm:
        size = 64 if arguments.quick else 256
        data = make_file(disk + "/data", size * MIB)
        zero = {"path": "/dev/zero", "allow": "/dev/zero", "size": "1g", "direct": 0}
        cached = {"path": data, "allow": disk, "size": f"{size}m", "direct": 0}
        direct = {**cached, "direct": 1}
        runners = variants(arguments, disk + "/state")
        print(f"files on {file_system(disk)}; figures are ratios to fio best, medians of "
              f"{arguments.rounds} rounds")
        print(f"{'':28}{'ops per CPU s':>15}{'IOPS':>8}{'latency':>9}{'IOPS':>14}{'latency':>15}")
        backing = make_file(shm + "/data", size * MIB)
        tmpfs = {"path": backing, "allow": shm, "size": f"{size}m", "direct": 1}
        with Loop(backing) as device:
            loop = device.path and {**tmpfs, "path": device.path, "allow": device.path}
            rows = quick_cases(zero, cached) if arguments.quick else \
                all_cases(zero, cached, direct, tmpfs, loop)
            for row in rows:
                if arguments.only not in row["name"]:
                    continue
                table = measure(row, runners, arguments)
                results[row["name"]] = {"variants": table, "noisy": show(row, table)}
    print(f"{time.monotonic() - began:.0f} s")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
