# SPDX-License-Identifier: GPL-3.0-or-later
"""How many instructions an operation costs: the gate that does not depend on a quiet machine.

callgrind counts the user instructions of `volbench engine` (its working threads, libraries included)
for two runs of different length; their difference over the difference in operations is what one
operation costs, with the histogram, the series and the bound check on. The kernel's work is not
counted, nor the control thread's, which costs what time costs.

Reads are of /dev/zero through io_uring. A target that may be written is a file, where completions
come when they like, so the mix is measured on the null backend, which fills every batch; what that does
in place of io_uring (null_exchange) is taken off, and what io_uring does for as many reads is put in its
place. Making the data of a write new costs what its bytes cost whatever the engine does, and is told
apart.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ.get("VOLBENCH", "build/volbench")
SHORT, LONG = 100_000, 300_000
REFRESH = ("refresh", "buffer_refresh", "xor_avx2", "xor_words")


def build_shim(path):
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-shared",
                    "-fPIC", "-o", path, HERE / "openat2.c", "-ldl"], check=True)
    return path


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    return build_shim(tmp_path_factory.mktemp("shim") / "openat2.so")


def costs(path):
    """What each function costs by itself, from a callgrind file."""
    names, totals, current, skip = {}, {}, None, False
    for line in path.read_text().splitlines():
        if match := re.match(r"fn=\((\d+)\)(?: (.*))?", line):
            if match[2]:
                names[match[1]] = match[2]
            current = match[1]
        elif match := re.match(r"cfn=\((\d+)\) (.*)", line):
            names[match[1]] = match[2]
        elif line.startswith("calls="):
            skip = True  # the next line is the callee's cost
        elif match := re.match(r"[+*\-\d]\S* (\d+)$", line):
            if current and not skip:
                totals[current] = totals.get(current, 0) + int(match[1])
            skip = False
    by_name = {}
    for number, cost in totals.items():
        name = names[number].split("'")[0]
        by_name[name] = by_name.get(name, 0) + cost
    return by_name


def count(shim, tmp_path, operations, workload, target, allow):
    out = tmp_path / f"callgrind.{operations}"
    request = {"call": "run", "run": "20000101-000000-gate00", "definition": {
        "name": "gate", "target": target, "workloads": [{
            "name": "gate", "time_based": 0, "invalidate": 0, "direct": 0,
            # Without a bs operations are counted, and not bytes.
            **({"number_ios": operations, "size": "64g"} if "bsrange" in workload
               else {"bs": "4k", "size": operations * 4096}), **workload}]}}
    child = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--dump-after=reactor_main",
         f"--callgrind-out-file={out}", PROGRAM, "engine", "--state", tmp_path / f"state{operations}", "--allow", allow],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "LD_PRELOAD": str(shim)})
    child.stdin.write(json.dumps(request) + "\n")
    child.stdin.flush()  # and left open: the end of the input stops the engine
    text, errors = child.stdout.read(), child.stderr.read()
    child.stdin.close()
    assert child.wait() == 0, text + errors
    samples = [m["sample"] for m in map(json.loads, text.splitlines()) if "sample" in m]
    assert len(samples) == 1, text + errors
    sides = [samples[0][d] for d in ("read", "write") if d in samples[0]]
    assert sum(s["ios"] for s in sides) == operations
    assert sum(s["latency_ns"]["count"] for s in sides if "count" in s["latency_ns"]) in (
        0, operations)
    # What the first reactor's thread had cost when it was done. Where a sample takes a second, as on
    # slow machines, there is another: one operation at a time is tried beside it (engine/alone.h).
    first, = tmp_path.glob(f"callgrind.{operations}.1-*")
    return costs(first), samples[0]


ZERO = {"file": "/dev/zero", "existing": True}
RING = ("uring_exchange", "io_uring_enter2")


def per_operation(shim, tmp_path, workload, target=ZERO, allow="/dev/zero"):
    """What each function costs an operation, and the share of writes."""
    short, _ = count(shim, tmp_path, SHORT, workload, target, allow)
    long, sample = count(shim, tmp_path, LONG, workload, target, allow)
    writes = sample.get("write", {"ios": 0})["ios"] / LONG
    return {f: (cost - short.get(f, 0)) / (LONG - SHORT) for f, cost in long.items()}, writes


def held(name, figure, limit, aim):
    print(f"\n{name}: {figure:.1f} instructions an operation (limit {limit}, aim {aim})")
    assert figure <= limit


RANDOM = {"norandommap": 1}


def test_random_read_in_batches(shim, tmp_path):
    each, _ = per_operation(shim, tmp_path, {"rw": "randread", "iodepth": 32, **RANDOM})
    held("random read, batch 16", sum(each.values()), 80, 65)


def test_each_block_once_in_batches(shim, tmp_path):
    """300,000 blocks in an order of 2^19 places: 1.7 are looked at for each."""
    each, _ = per_operation(shim, tmp_path, {"rw": "randread", "iodepth": 32})
    held("random read, each block once, batch 16", sum(each.values()), 115, 105)


def test_sequential_read_in_batches(shim, tmp_path):
    each, _ = per_operation(shim, tmp_path, {"rw": "read", "iodepth": 32})
    held("sequential read, batch 16", sum(each.values()), 80, 65)


def test_random_read_one_by_one(shim, tmp_path):
    each, _ = per_operation(shim, tmp_path, {"rw": "randread", "iodepth": 1, **RANDOM})
    held("random read, one by one", sum(each.values()), 170, 145)


def test_requests_of_many_sizes_in_batches(shim, tmp_path):
    """Step by step, as all that has no loop of its own."""
    each, _ = per_operation(shim, tmp_path, {"rw": "randread", "bsrange": "4k-64k", "iodepth": 32, **RANDOM})
    held("random read of many sizes, step by step, batch 16", sum(each.values()), 700, 250)
    each, _ = per_operation(shim, tmp_path, {"rw": "randread", "bsrange": "4k-64k", "iodepth": 32})
    held("the same, each byte once", sum(each.values()), 850, 350)


def test_mix_in_batches(shim, tmp_path):
    workload = {"rw": "randrw", "rwmixread": 50, "iodepth": 32, **RANDOM}
    reads, _ = per_operation(shim, tmp_path, {**workload, "rw": "randread"})
    each, writes = per_operation(shim, tmp_path, {**workload, "ioengine": "null"},
                                 {"file": str(tmp_path / "data")}, str(tmp_path))
    refresh = sum(each.pop(f, 0) for f in REFRESH)
    assert each.pop("null_exchange") > 0
    ring = sum(reads.get(f, 0) for f in RING)
    assert ring > 1
    held("mix of random reads and writes, batch 16", sum(each.values()) + ring, 100, 80)
    print(f"and {refresh / writes:.0f} to make the data of a write new")
    assert 0.4 < writes < 0.6 and refresh / writes < 400
