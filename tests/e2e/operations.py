# SPDX-License-Identifier: GPL-3.0-or-later
"""What a workload issues, operation by operation: of the engine and of fio, and how to compare them.

The engine is `operations` (tests/tools/operations.c: the program, but that its null backend writes
down what it is given). fio is Debian's with write_iolog: on ioengine=null at depth 1, on io_uring and
an empty file at others, since null there turns operations away that then are logged again. Several
jobs, whose log would be one jumble, work on a file of tests/tools/fuse_file.c.
"""
import collections
import math
import pathlib
import shutil
import subprocess

import engine
import fuse

TOOL = pathlib.Path(engine.PROGRAM).parent / "tests" / "tools" / "operations"

Operation = collections.namedtuple("Operation", "kind offset length")

DATA = ("read", "write", "trim")


def definition(options, path, **members):
    """Of one workload, given as an fio command line."""
    return {"name": "operations", "seed": 1, "target": {"file": str(path)},
            "workloads": [{"name": "w", "fio": options}], **members}


def definition_in(options, directory, **members):
    """The same with jobs of several files, in a directory."""
    return {"name": "operations", "seed": 1, "target": {"directory": str(directory)},
            "workloads": [{"name": "w", "fio": options}], **members}


def parse(text):
    """An iolog of version 2 or 3: the operations in order."""
    version, *lines = text.splitlines()
    skip = {"fio version 2 iolog": 0, "fio version 3 iolog": 1}[version]
    words = (line.split()[skip:] for line in lines)
    return [Operation(w[1], int(w[2]), int(w[3])) for w in words if len(w) == 4]


def of_engine(options, directory, path=None):
    """The operations of each job."""
    assert TOOL.exists(), f"{TOOL} is not there: make tools"
    scratch = directory / "scratch"
    scratch.mkdir(exist_ok=True)
    process = engine.Engine(directory / "state", [scratch], program=TOOL,
                            environment={"VOLBENCH_OPERATIONS": str(directory / "log")})
    try:
        lines = process.run(definition(options + " --ioengine=null", scratch / "target"))
    finally:
        process.stop()
    assert engine.end(lines)["state"] == "done", lines[-1]
    logs = sorted(directory.glob("log.*"))
    jobs = [parse(log.read_text(encoding="ascii")) for log in logs]
    for log in logs:
        log.unlink()
    return jobs


def of_engine_files(options, directory):
    """Those of one job of several files: of each file, and the files' numbers in order."""
    scratch = directory / "scratch"
    scratch.mkdir(exist_ok=True)
    process = engine.Engine(directory / "state", [scratch], program=TOOL,
                            environment={"VOLBENCH_OPERATIONS": str(directory / "log")})
    try:
        lines = process.run(definition_in(options + " --ioengine=null", scratch))
    finally:
        process.stop()
    assert engine.end(lines)["state"] == "done", lines[-1]
    logs = sorted(directory.glob("log.0.*"), key=lambda log: int(log.suffix[1:]))
    order = [int(line) for line in (directory / "log-order.0").read_text(encoding="ascii").split()]
    return [parse(log.read_text(encoding="ascii")) for log in logs], order


def of_fio_files(options, directory):
    """The same of fio."""
    log, files = directory / "fio.log", directory / "files"
    files.mkdir()
    subprocess.run(["fio", "--name=w", *options.split(), "--ioengine=psync", f"--directory={files}",
                    f"--write_iolog={log}", "--output=/dev/null"], check=True, cwd=directory,
                   timeout=120)
    words = [line.split()[1:] for line in log.read_text(encoding="ascii").splitlines()[1:]]
    names = sorted({w[0] for w in words}, key=lambda name: int(name.rsplit(".", 1)[1]))
    number = {name: i for i, name in enumerate(names)}
    words = [w for w in words if len(w) == 4]
    order = [number[w[0]] for w in words]
    return [[Operation(w[1], int(w[2]), int(w[3])) for w in words if number[w[0]] == i]
            for i in range(len(names))], order


def of_shipped_engine(whole, directory):
    """What arrives beneath the program as it is shipped, from a sample's first operation on: the
    definition is given the path. Its target's making and filling are not told."""
    with fuse.Mount(directory) as mount:
        process = engine.Engine(directory / "state", [mount.path])
        try:
            lines = process.run(whole(f"{mount.path}/target"))
        finally:
            process.stop()
        assert engine.end(lines)["state"] == "done", lines[-1]
    return [Operation(*o[1:4]) for o in mount.log()], engine.samples(lines)


def of_fio(options, directory, bytes_):
    """The operations of one job on the first bytes_ of a file."""
    log, file = directory / "fio.log", directory / "fio.file"
    where = ["--ioengine=null"]
    if "--iodepth=" in options:
        where = ["--ioengine=io_uring", f"--filename={file.name}"]
        with open(file, "wb") as empty:
            empty.truncate(bytes_)
    subprocess.run(["fio", "--name=w", *options.split(), *where, f"--write_iolog={log}",
                    "--output=/dev/null"], check=True, cwd=directory, timeout=120)
    operations = parse(log.read_text(encoding="ascii"))
    log.unlink()
    file.unlink(missing_ok=True)
    return operations


def of_fio_jobs(options, directory, bytes_):
    """The operations of several, all in one list, as they arrive beneath."""
    with fuse.Mount(directory, size=bytes_) as mount:
        subprocess.run(["fio", "--name=w", *options.split(), "--ioengine=psync", "--direct=1",
                        f"--filename={mount.path}/file", "--output=/dev/null"], check=True,
                       cwd=directory, timeout=120)
    return [Operation(*o[1:4]) for o in mount.log()]


def missing():
    """Why there is nothing to compare here; None where there is."""
    return None if shutil.which("fio") else "there is no fio"


# ---- statistics ----


def far_off(chi, degrees):
    """How many standard deviations a chi-square is beyond what chance gives (Wilson and Hilferty's
    cube root, 1931)."""
    if degrees < 1:
        return 0.0
    spread = 2 / (9 * degrees)
    return ((chi / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def two_samples(ours, theirs, clump=1):
    """Chi-square of two counted samples, keyed by bin: how far off. Bins too thin (fewer than 16 of
    both) are thrown together. clump: operations that one draw decides about."""
    a_all, b_all = sum(ours.values()), sum(theirs.values())
    if not a_all or not b_all:
        return 0.0 if a_all == b_all else math.inf
    bins, thin = [], [0, 0]
    for key in sorted(set(ours) | set(theirs)):
        pair = [ours.get(key, 0), theirs.get(key, 0)]
        if sum(pair) >= 16:
            bins.append(pair)
        else:
            thin = [thin[0] + pair[0], thin[1] + pair[1]]
    if sum(thin) >= 16:
        bins.append(thin)
    ratio = math.sqrt(b_all / a_all)
    chi = sum((a * ratio - b / ratio) ** 2 / (a + b) for a, b in bins)
    return far_off(chi / clump, len(bins) - 1)


def binned(operations, region, bins=64):
    """How many begin in each of so many parts of the region."""
    return collections.Counter(min(o.offset * bins // region, bins - 1) for o in operations)


def sizes(operations, bins=64):
    """How many there are of each length; where there are many lengths, of ranges of them."""
    lengths = collections.Counter(o.length for o in operations)
    if len(lengths) <= bins:
        return lengths
    most = max(lengths) + 1
    return collections.Counter(o.length * bins // most for o in operations)


def popularity(operations):
    """How many went to the most frequent offset, the two after it, the four after them, ..."""
    counts = sorted(collections.Counter(o.offset for o in operations).values(), reverse=True)
    return collections.Counter({octave: sum(counts[2 ** octave - 1:2 ** (octave + 1) - 1])
                                for octave in range(len(counts).bit_length())})


def follows(operations):
    """How many begin where the one before of their kind ended, go on behind a hole, repeat its
    offset, or jump."""
    last, found = {}, collections.Counter()
    for o in operations:
        if o.kind in last:
            before = last[o.kind]
            step = o.offset - before.offset
            found["repeats" if step == 0 else
                  "follows" if step == before.length else
                  "jumps"] += 1
        last[o.kind] = o
    return found


def alignment(operations):
    return math.gcd(0, *(o.offset for o in operations))
