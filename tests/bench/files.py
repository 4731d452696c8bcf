#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metadata workloads beside bonnie++ -s 0 -n, in one interleaved run.

Each round runs every variant once, in random order; bonnie++ runs twice, as "bonnie++" and "again".
Both make, stat and delete the same number of files of the same sizes in as many directories, in order
and then at random. A figure is the median over rounds of the paired ratio to bonnie++: operations a second
of each row, and of all rows together operations a second of CPU time (of the tool, its children and the
kernel's threads that work for it).

bonnie++ shows no figure for a row of less than half a second, "+++++": neither is there a ratio then, and
the row says "quick". Its names are not ours: it draws some letters for each. Its stat of files that are
not empty reads them too, so for those the engine's phases stat and read stand in one row: operations by
the seconds of both.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile

import programs

ROWS = [f"{order} {operation}" for order in ("sequential", "random")
        for operation in ("create", "stat", "delete")]
UNIT = 1024  # files that bonnie++ counts by


def bonnie(case):
    text, cpu = programs.run_child([
        "bonnie++", "-q", "-d", case["directory"], "-s", "0", "-u", "root", "-n",
        f"{case['units']}:{case['most']}:{case['least']}:{case['directories']}"])
    fields = [line for line in text.splitlines() if line.count(",") > 40][-1].split(",")
    rates = fields[-24:-12:2]  # behind them six latencies of files and six of other things
    return {"rows": {row: None if "+" in rate else float(rate) for row, rate in zip(ROWS, rates)},
            "cpu": cpu}


def volbench(program, state, **settings):
    def run(case):
        reads = case["most"] > 0
        workload = {"metadata": "create,stat,read,delete" if reads else "create,stat,delete",
                    "nrfiles": case["units"] * UNIT, "directories": case["directories"],
                    "filesize": f"{case['least']}-{case['most']}", "file_order": "both", **settings}
        request = {"call": "run", "run": "20000101-000000-bench0", "definition": {
            "name": "bench", "target": {"directory": case["directory"]}, "workloads": [workload]}}
        text, cpu = programs.run_child(
            [program, "engine", "--state", state, "--allow", case["directory"]],
            json.dumps(request) + "\n")
        for line in text.splitlines():
            message = json.loads(line)
            if "error" in message or message.get("end", {}).get("error"):
                sys.exit(f"volbench: {line}")
            if "sample" in message:
                return {"rows": rows_of(message["sample"]), "cpu": cpu,
                        "backend": message["sample"]["backend"]}
        sys.exit("volbench: no sample: " + text[-800:])
    return run


def rows_of(sample):
    seconds, ops = {}, {}
    for phase in sample["metadata"]:
        operation = "stat" if phase["operation"] == "read" else phase["operation"]
        row = f"{phase['order']} {operation}"
        seconds[row] = seconds.get(row, 0) + phase["seconds"]
        ops[row] = phase["ops"]
    return {row: ops[row] / seconds[row] for row in ROWS}


def variants(program, state):
    return {
        "bonnie++": bonnie,
        "again": bonnie,
        "volbench psync": volbench(program, state, ioengine="psync"),
        "volbench depth 1": volbench(program, state, ioengine="io_uring", iodepth=1),
        "volbench depth 16": volbench(program, state, ioengine="io_uring", iodepth=16),
    }


def measure(case, runners, rounds):
    seen = []
    for _ in range(rounds):
        order = list(runners)
        random.shuffle(order)
        seen.append({name: runners[name](case) for name in order})
    table = {}
    for name in runners:
        line = table[name] = {"rows": {}}
        for row in ROWS:
            pairs = [(r[name]["rows"][row], r["bonnie++"]["rows"][row]) for r in seen]
            pairs = [(ours, theirs) for ours, theirs in pairs if ours and theirs]
            rates = [r[name]["rows"][row] for r in seen if r[name]["rows"][row]]
            line["rows"][row] = {
                "ratio": statistics.median(a / b for a, b in pairs) if pairs else None,
                "ops_per_s": statistics.median(rates) if rates else None}
        line["ops_per_cpu_s"] = statistics.median(r["bonnie++"]["cpu"] / r[name]["cpu"] for r in seen)
        line["cpu_s"] = statistics.median(r[name]["cpu"] for r in seen)
    return table


def show(case, table):
    print(f"\n{case['name']}")
    print(f"  {'':18}" + "".join(f"{row.replace('sequential', 'seq.'):>19}" for row in ROWS) +
          f"{'ops per CPU s':>15}")
    for name, line in table.items():
        cells = ""
        for row in ROWS:
            figure = line["rows"][row]
            rate = "quick" if figure["ops_per_s"] is None else f"{figure['ops_per_s']:,.0f}/s"
            ratio = "" if figure["ratio"] is None else f" {figure['ratio']:.2f}"
            cells += f"{rate + ratio:>19}"
        print(f"  {name:18}{cells}{line['ops_per_cpu_s']:>15.2f}", flush=True)


def compare(program, directory, rounds, units):
    """Tables of all cases, printed as they come; {} and a line where there is no bonnie++."""
    if not shutil.which("bonnie++") or os.geteuid() != 0:
        print("no bonnie++, or no right to be its user: metadata workloads are not compared")
        return {}
    results = {}
    for name, parent in (("tmpfs", "/dev/shm"), ("disk", directory)):
        with tempfile.TemporaryDirectory(dir=parent, prefix="volbench-bench-") as place, \
                tempfile.TemporaryDirectory(prefix="volbench-bench-") as state:
            runners = variants(program, state + "/state")
            # The first figure of a file system that was not used for a while is its own.
            for most, files in ((0, units if name == "tmpfs" else max(units // 16, 1)),
                                (8192, max(units // 16, 1))):
                case = {"name": f"{files * UNIT} files of 0 to {most} bytes on {name}",
                        "directory": place, "units": files, "least": 0, "most": most,
                        "directories": 4}
                bonnie({**case, "units": 1})
                results[case["name"]] = measure(case, runners, rounds)
                show(case, results[case["name"]])
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/volbench")
    parser.add_argument("--directory", default="/var/tmp")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--units", type=int, default=128, help="of 1024 files, on tmpfs")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    results = compare(str(pathlib.Path(arguments.program).resolve()), arguments.directory,
                      arguments.rounds, arguments.units)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
