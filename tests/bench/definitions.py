#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast the definitions of tests/e2e/test_fio_operations.py run, on the engine and on fio.

Each round runs each of three once, in random order, for --seconds on a file of their own in
--directory with O_DIRECT: fio (ioengine=io_uring, else its defaults), the same again, and the engine.
A figure is the median over rounds of the IOPS in proportion to fio's of that round; `noise` is how far
fio was from itself in any round. The engine keeps up where it is not slower by more than that.
Definitions run for this time, whatever they say of their end; trims, requests of any bytes and loops
are left out. The engine writes data that are fresh each time, fio the same again and again; --refill
has it make new ones too.
"""
import argparse
import dataclasses
import json
import pathlib
import random
import re
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import bench  # noqa: E402
import programs  # noqa: E402
from test_fio_operations import CASES  # noqa: E402

# What ends by itself; what fio's io_uring or O_DIRECT cannot do.
LEFT_OUT = ("--loops", "trim", "--bs_unaligned")


def iops_of_fio(case, directory, seconds, *more):
    argv = ["fio", "--name=w", *case.options.split(), "--ioengine=io_uring", "--direct=1",
            f"--filename={directory}/fio.file", "--time_based", f"--runtime={seconds * 1000:.0f}ms",
            "--group_reporting", "--output-format=json", *more]
    text, _ = programs.run_child(argv)
    job = json.loads(text[text.index("{"):])["jobs"][0]
    return sum(job[kind]["iops"] for kind in ("read", "write", "trim"))


def iops_of_engine(case, directory, seconds, program):
    options = f"{case.options} --ioengine=io_uring --direct=1 --time_based --runtime={seconds * 1000:.0f}ms"
    whole = {"name": "bench", "target": {"file": f"{directory}/engine.file"},
             "workloads": [{"name": "w", "fio": options}]}
    text, _ = programs.run_child(
        [program, "engine", "--state", f"{directory}/state", "--allow", directory],
        json.dumps({"call": "run", "run": "20000101-000000-bench0", "definition": whole}) + "\n")
    samples = [m["sample"] for m in map(json.loads, text.splitlines()) if "sample" in m]
    if not samples:
        sys.exit("volbench: no sample: " + text[-800:])
    return sum(samples[0][kind]["iops"] for kind in ("read", "write", "trim")
               if samples[0].get(kind))


def measure(case, directory, arguments):
    """Ratio of the engine to fio, noise, and both medians."""
    more = ["--refill_buffers=1"] if arguments.refill else []
    runners = {
        "fio": lambda: iops_of_fio(case, directory, arguments.seconds, *more),
        "again": lambda: iops_of_fio(case, directory, arguments.seconds, *more),
        "engine": lambda: iops_of_engine(case, directory, arguments.seconds, arguments.program),
    }
    with open(f"{directory}/fio.file", "wb") as file:  # so that fio makes none of another size
        file.write(random.randbytes(programs.MIB) * (case.region // programs.MIB))
    rounds = []
    for _ in range(arguments.rounds):
        names = list(runners)
        random.shuffle(names)
        rounds.append({name: runners[name]() for name in names})
    noise = max(abs(r["again"] / r["fio"] - 1) for r in rounds)
    ratio = statistics.median(r["engine"] / r["fio"] for r in rounds)
    return (ratio, noise, *(statistics.median(r[name] for r in rounds)
                            for name in ("engine", "fio")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/volbench")
    parser.add_argument("--directory", default="/dev/shm")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--refill", action="store_true", help="fio writes fresh data as well")
    parser.add_argument("--only", default="", help="definitions whose name holds this")
    arguments = parser.parse_args()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    print(f"{arguments.rounds} rounds of {arguments.seconds} s on "
          f"{bench.file_system(arguments.directory)}, O_DIRECT")
    print(f"{'':44}{'engine/fio':>12}{'noise':>8}{'engine':>12}{'fio':>12}")
    slower = 0
    for name, case in CASES.items():
        if arguments.only not in name or any(word in case.options for word in LEFT_OUT):
            continue
        # So many operations, or bytes, are done too soon to be timed.
        case = dataclasses.replace(case, options=re.sub(
            r"--(io_size|number_ios)=\S+", "", case.options))
        with tempfile.TemporaryDirectory(dir=arguments.directory,
                                         prefix="volbench-bench-") as directory:
            ratio, noise, ours, theirs = measure(case, directory, arguments)
        behind = ratio < 1 - noise
        slower += behind
        print(f"{name:44}{ratio:>12.2f}{noise:>8.2f}{ours:>12,.0f}{theirs:>12,.0f}"
              f"{'  slower' if behind else ''}", flush=True)
    print(f"{slower} slower than fio by more than its own noise")


if __name__ == "__main__":
    main()
