# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a job does: io_size, number_ios and loops, held against fio itself where it is
installed: the same options make the same operations and bytes."""
import json
import shutil
import subprocess

import pytest

from engine import PATIENCE, PROGRAM

CASES = [
    "--rw=read --bs=12k",
    "--rw=randread --bs=12k",
    "--rw=write --bs=12k --io_size=135k",
    "--rw=randwrite --bs=12k --io_size=80k --numjobs=2",
    "--rw=randread --bs=12k --io_limit=70k --norandommap",
    "--rw=randrw --bs=4k --io_size=160k --numjobs=2",
    "--rw=randrw --bs=4k --number_ios=10 --loops=2 --numjobs=2",
    "--rw=randrw --rwmixread=70 --bs=4k --io_size=160k --number_ios=30",
    "--rw=rw --bs=12k --loops=3 --io_size=40k",
    "--rw=randread --bs=12k --loops=3 --iodepth=4",
]


def total(sides):
    return sum(s["total_ios"] for s in sides), sum(s["io_bytes"] for s in sides)


@pytest.mark.parametrize("options", CASES)
def test_the_same_as_fio(directory, options):
    scratch = directory / "scratch"
    scratch.mkdir()
    job = directory / "job.fio"
    job.write_text("[x]\n" + options.replace("--", "").replace(" ", "\n") + "\nsize=64k\n",
                   encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, "run", job, "--repeats", "1", "--target", f"file:{scratch}/ours", "--state",
         directory / "state", "--allow", scratch, "--json", "-"],
        capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    sample = json.loads(done.stdout)["samples"][0]
    ours = [sample[d] for d in ("read", "write") if d in sample]
    ours = sum(d["ios"] for d in ours), sum(d["bytes"] for d in ours)
    if not shutil.which("fio"):
        pytest.skip("fio is not installed: there is nothing to hold it against")
    theirs = subprocess.run(
        ["fio", "--name=x", f"--filename={scratch}/theirs", "--ioengine=libaio", "--thread",
         "--group_reporting", "--size=64k", "--output-format=json", *options.split()],
        capture_output=True, text=True, timeout=3 * PATIENCE)
    assert theirs.returncode == 0, theirs.stderr
    job = json.loads(theirs.stdout[theirs.stdout.index("{"):])["jobs"][0]
    assert ours == total([job["read"], job["write"]])
