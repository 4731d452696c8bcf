# SPDX-License-Identifier: GPL-3.0-or-later
"""The two programs that bench.py sets beside each other, as functions from a case and seconds to
figures: {"ios", "iops", "cpu", "lat_ns"}. Seconds 0: as few operations as it will do, which is its start-up.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BEST = (
    "--ioengine=io_uring --fixedbufs=1 --registerfiles=1 --nonvectored=1 --randrepeat=0 "
    "--random_generator=tausworthe64 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 "
    "--iodepth_batch_complete_max=32"
)
DEFAULT = "--ioengine=io_uring --norandommap=0"
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
        argv += (["--time_based", f"--runtime={int(seconds * 1000)}ms"] if seconds else ["--number_ios=32"])
        text, cpu = run_child(argv)
        job = json.loads(text[text.index("{"):])["jobs"][0]
        sides = [(s["total_ios"], s["iops"], s["lat_ns"]["mean"])
                 for s in (job["read"], job["write"]) if s["total_ios"]]
        return figures(sides, cpu)
    return run


def volbench(program, state, **settings):
    threads = set()  # paths that the engine serves with the threads backend

    def run(case, seconds):
        kind = "device" if case["path"].startswith("/dev/loop") else "file"
        writes = case["rw"] not in ("read", "randread")
        # It writes to no file that is there already: its own, made and filled first, which the
        # start-up has too and which does not count as operations.
        path = case["path"] + ".volbench" if writes else case["path"]
        own = writes or case.get("new")
        target = {kind: path} if own else {kind: path, "existing": True}
        workload = {"name": "bench", "rw": case["rw"], "bs": case["bs"], "iodepth": case["depth"],
                    "numjobs": case["jobs"], "direct": case["direct"], "size": case["size"],
                    "regions": "shared", "group_reporting": 1, "norandommap": 1, "invalidate": 0, **settings}
        if path in threads:
            del workload["iodepth_batch_complete_min"]
        elif "iodepth_batch_complete_min" in settings:
            workload["iodepth_batch_complete_min"] = min(settings["iodepth_batch_complete_min"], case["depth"])
        if case["sync"]:
            workload["sync"] = "dsync"
        if seconds:
            workload["runtime"] = seconds
        elif writes:
            workload["runtime"] = 0.1  # the least; its file must be made all the same
        else:
            # As few as fio's: 32 a job.
            workload.update({"time_based": 0, "io_size": f"{32 * int(case['bs'][:-1])}{case['bs'][-1]}"})
        request = {"call": "run", "run": "20000101-000000-bench0",
                   "definition": {"name": "bench", "target": target, "workloads": [workload]}}
        text, cpu = run_child([program, "engine", "--state", state, "--allow", case["allow"]],
                              json.dumps(request) + "\n")
        for line in text.splitlines():
            message = json.loads(line)
            if message.get("error", {}).get("field") == "/workloads/0/iodepth_batch_complete_min":
                threads.add(path)  # where nobody waits for several completions
                return run(case, seconds)
            if "error" in message or message.get("end", {}).get("error"):
                sys.exit(f"volbench: {line}")
            if "sample" in message:
                sample = message["sample"]
                sides = [(s["ios"], s["iops"], s["latency_ns"]["mean"])
                         for s in (sample.get("read"), sample.get("write")) if s and s["ios"]]
                return {**figures(sides, cpu), "backend": sample["backend"]}
        sys.exit("volbench: no sample: " + text[-800:])
    return run


def fio_instructions(settings, depth, directory):
    """User instructions of one random read of /dev/zero: callgrind of two lengths."""
    totals = []
    for operations in (20_000, 60_000):
        out = f"{directory}/callgrind.fio.{operations}"
        run_child(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "fio", "--thread",
                   "--name=bench", "--filename=/dev/zero", "--size=1g", "--rw=randread", "--bs=4k",
                   f"--iodepth={depth}", "--norandommap=1", f"--number_ios={operations}",
                   *settings.split()])
        with open(out, encoding="ascii", errors="replace") as file:
            totals.append(int(re.search(r"^totals: (\d+)", file.read(), re.M)[1]))
    return (totals[1] - totals[0]) / 40_000
