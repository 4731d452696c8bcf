#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time and weight of a report: nine workloads, six block sizes, five repeats (270 samples), all charts.

Time is from the samples in memory to the last file on disk, charts by one gnuplot process among it:
the median over rounds, and the processor time of the program and of gnuplot. Weight is what the page
and all it shows take, both themes of every chart: not what is only linked (result.json, result.csv,
fio.json).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

GOAL_MS, GOAL_BYTES = 1000, 1_000_000
LINKED = ("result.json", "result.csv", "fio.json")


def measure(tool, directory, rounds):
    with tempfile.TemporaryDirectory(dir=directory, prefix="volbench-bench-") as place:
        told = subprocess.run([tool, place, str(rounds)], check=True, capture_output=True, text=True)
        lines = [json.loads(line) for line in told.stdout.splitlines()]
        files = {path.name: path.stat().st_size for path in pathlib.Path(place).iterdir()}
    weighed = {name: size for name, size in files.items() if name not in LINKED}
    return {**{key: statistics.median(line[key] for line in lines) for key in lines[0]},
            "slowest_ms": max(line["ms"] for line in lines),
            "charts": len([name for name in files if name.endswith("-dark.svg")]),
            "chart_bytes": sum(size for name, size in files.items() if name.startswith("chart-")),
            "page_bytes": files["index.html"], "bytes": sum(weighed.values())}


def show(row):
    print(f"report of 270 samples: {row['ms']:.0f} ms, the slowest {row['slowest_ms']:.0f} (goal: under "
          f"{GOAL_MS}); processor {row['own_cpu_ms']:.0f} ms and gnuplot {row['gnuplot_cpu_ms']:.0f} ms; "
          f"load of the machine {row['load']:.1f}")
    print(f"its page: {row['bytes'] / 1000:.0f} kB (goal: under {GOAL_BYTES / 1000:.0f}), of these "
          f"{row['charts']} charts in two themes {row['chart_bytes'] / 1000:.0f} kB, text and tables "
          f"{row['page_bytes'] / 1000:.0f} kB", flush=True)


def compare(tool, directory, rounds):
    row = measure(tool, directory, rounds)
    row.update(load=os.getloadavg()[0], goals={"ms": GOAL_MS, "bytes": GOAL_BYTES},
               goals_reached={"ms": row["ms"] < GOAL_MS, "bytes": row["bytes"] < GOAL_BYTES})
    show(row)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default="build/tests/tools/write_report")
    parser.add_argument("--directory", default="/var/tmp")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    row = compare(str(pathlib.Path(arguments.tool).resolve()), arguments.directory, arguments.rounds)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(row, indent=1) + "\n")


if __name__ == "__main__":
    main()
