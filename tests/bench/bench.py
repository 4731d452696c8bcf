#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine beside fio, in one interleaved run.

Each round runs every variant once, in random order; the reference (fio with its best settings) runs
twice, as "fio best" and "again". A figure is the median over rounds of the paired ratio to the
reference: operations per second of CPU time (user + system of the tool and its children, less its
start-up, which is measured with 32 operations), and operations per second of wall time. Where the
reference against itself leaves 0.98 to 1.02 the machine was too noisy for the figure beside it, and
the table says so.

The engine measured is the shipped one: `volbench engine` given a run on its standard input, with every
latency in the histogram, the series and the bound check on.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

FIO_BEST = (
    "--direct={direct} --rw={rw} --bs=4k --iodepth={depth} --ioengine=io_uring --fixedbufs=1 "
    "--registerfiles=1 --nonvectored=1 --norandommap=1 --randrepeat=0 "
    "--random_generator=tausworthe64 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 "
    "--iodepth_batch_complete_max=32 --invalidate=0 --group_reporting"
)
FIO_DEFAULT = (
    "--direct={direct} --rw={rw} --bs=4k --iodepth={depth} --ioengine=io_uring --invalidate=0 "
    "--group_reporting"
)
NOISE = (0.98, 1.02)


def run_child(argv, stdin=None):
    """Runs a command; returns its output and the CPU seconds of it and its children."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            argv, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=out,
            stderr=subprocess.DEVNULL)
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


def fio(template, case, length):
    argv = ["fio", "--name=bench", f"--filename={case['path']}", f"--size={case['size']}",
            "--output-format=json", *template.format(**case).split(), *length]
    text, cpu = run_child(argv)
    job = json.loads(text[text.index("{"):])["jobs"][0]
    sides = [job["read"], job["write"]]
    return {
        "ios": sum(s["total_ios"] for s in sides),
        "iops": sum(s["iops"] for s in sides),
        "lat_ns": job["read"]["lat_ns"]["mean"],
        "cpu": cpu,
    }


def volbench(program, state, case, options):
    target = {"file": case["path"], "existing": True}
    workload = {"name": "bench", "rw": case["rw"], "bs": "4k", "iodepth": case["depth"],
                "direct": case["direct"], "size": case["size"], "norandommap": 1,
                "invalidate": 0, **options}
    if case["path"] == "/dev/zero":
        workload["direct"] = 0
    request = {"call": "run", "run": "20000101-000000-bench0",
               "definition": {"name": "bench", "target": target, "workloads": [workload]}}
    text, cpu = run_child(
        [program, "engine", "--state", state, "--allow", case["allow"]], json.dumps(request) + "\n")
    for line in text.splitlines():
        message = json.loads(line)
        if "error" in message or message.get("end", {}).get("error"):
            sys.exit(f"volbench: {line}")
        if "sample" in message:
            sample = message["sample"]
            sides = [sample[d] for d in ("read", "write") if d in sample]
            return {
                "ios": sum(s["ios"] for s in sides),
                "iops": sum(s["iops"] for s in sides),
                "lat_ns": sample["read"]["latency_ns"]["mean"],
                "cpu": cpu,
                "backend": sample["backend"],
            }
    sys.exit("volbench: no sample: " + text[-800:])


def variants(arguments, state):
    def fio_variant(template):
        return lambda case, seconds: fio(
            template, case,
            ["--time_based", f"--runtime={seconds}s"] if seconds else ["--number_ios=32"])

    def ours(case, seconds):
        options = {"runtime": seconds} if seconds else {"time_based": 0, "size": "128k"}
        return volbench(arguments.program, state, case, options)

    return {
        "fio best": fio_variant(FIO_BEST),
        "again": fio_variant(FIO_BEST),
        "fio default": fio_variant(FIO_DEFAULT),
        "volbench": ours,
    }


def cases(directory, quick):
    data = directory / "data"
    with open(data, "wb") as out:
        for _ in range(256):
            out.write(os.urandom(1 << 20))
        out.flush()
        os.fsync(out.fileno())
    zero = {"path": "/dev/zero", "allow": "/dev/zero", "size": "1G", "direct": 0}
    file = {"path": str(data), "allow": str(directory), "size": "256M"}
    yield {"name": "/dev/zero, depth 32", **zero, "rw": "randread", "depth": 32}
    yield {"name": "cached file, depth 32", **file, "rw": "randread", "depth": 32, "direct": 0}
    if quick:
        return
    yield {"name": "/dev/zero, depth 128", **zero, "rw": "randread", "depth": 128}
    yield {"name": "/dev/zero, depth 1", **zero, "rw": "randread", "depth": 1}
    for depth in (1, 32, 128):
        yield {"name": f"O_DIRECT file, depth {depth}", **file, "rw": "randread",
               "depth": depth, "direct": 1}


def measure(case, runners, arguments):
    startup = {name: min((run(case, 0)["cpu"] for _ in range(3))) for name, run in runners.items()}
    rounds = []
    for _ in range(arguments.rounds):
        order = list(runners)
        random.shuffle(order)
        seen = {}
        for name in order:
            seen[name] = runners[name](case, arguments.seconds)
            used = max(seen[name]["cpu"] - startup[name], 1e-4)
            seen[name]["ios_per_cpu_s"] = seen[name]["ios"] / used
        rounds.append(seen)
    table = {}
    for name in runners:
        table[name] = {
            key: statistics.median(r[name][key] / r["fio best"][key] for r in rounds)
            for key in ("ios_per_cpu_s", "iops", "lat_ns")
        }
        table[name]["median_iops"] = statistics.median(r[name]["iops"] for r in rounds)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/volbench")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    results = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="volbench-bench-") as temporary:
        directory = pathlib.Path(temporary)
        state = str(directory / "state")
        runners = variants(arguments, state)
        print(f"{'':28}{'ops per CPU s':>15}{'IOPS':>8}{'latency':>9}{'IOPS, median':>15}")
        for case in cases(directory, arguments.quick):
            table = measure(case, runners, arguments)
            results[case["name"]] = table
            same = table["again"]["ios_per_cpu_s"]
            noise = "" if NOISE[0] <= same <= NOISE[1] else "  (too noisy: no figure)"
            print(f"{case['name']}{noise}")
            for name, row in table.items():
                print(f"  {name:26}{row['ios_per_cpu_s']:>15.2f}{row['iops']:>8.2f}"
                      f"{row['lat_ns']:>9.2f}{row['median_iops']:>15,.0f}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
