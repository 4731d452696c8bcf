# SPDX-License-Identifier: GPL-3.0-or-later
"""What diskspd, bonnie++ and dd print, and tables, taken in by terminal and over HTTP."""
import json
import re
import shutil
import subprocess

import pytest

import contract
from engine import PATIENCE, PROGRAM

DISKSPD = """
Command Line: diskspd.exe {switches} D:\\test.dat

Input parameters:
\ttimespan:   1
\t\tperforming {what}

Results for timespan 1:
actual test time:\t2.02s

Total IO
thread |  bytes  |  I/Os  | MiB/s | I/O per s | AvgLat | IopsStdDev | LatStdDev | file
total:  81920000 | 10000 | 38.68 | 4950.50 | 1.500 | 10.00 | 2.000

Read IO
thread |  bytes  |  I/Os  | MiB/s | I/O per s | AvgLat | IopsStdDev | LatStdDev | file
total:  65536000 | 8000 | 30.94 | 3960.40 | 0.133 | 9.00 | 0.222

Write IO
thread |  bytes  |  I/Os  | MiB/s | I/O per s | AvgLat | IopsStdDev | LatStdDev | file
total:  16384000 | 2000 | 7.74 | 990.10 | 6.968 | 1.00 | 8.469

total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
    min |      0.043 |      1.919 |      0.043
   99th |      0.280 |     34.100 |     28.732
    max |     19.003 |     35.213 |     35.213
"""

DISKSPD_XML = """<Results><System><Tool><Version>2.0.21a</Version></Tool></System>
<Profile><TimeSpans><TimeSpan><Duration>2</Duration><Targets><Target><BlockSize>8192</BlockSize>
<Random>8192</Random><RequestCount>4</RequestCount><WriteRatio>0</WriteRatio>
<ThreadsPerFile>4</ThreadsPerFile></Target></Targets></TimeSpan></TimeSpans></Profile>
<TimeSpan><TestTimeSeconds>2.00</TestTimeSeconds>
<Latency><AverageReadMilliseconds>0.133</AverageReadMilliseconds>
<Bucket><Percentile>99</Percentile><ReadMilliseconds>0.280</ReadMilliseconds></Bucket></Latency>
<Thread><Target><ReadBytes>65536000</ReadBytes><ReadCount>8000</ReadCount>
<WriteBytes>0</WriteBytes><WriteCount>0</WriteCount></Target></Thread></TimeSpan></Results>"""

BONNIE = ("1.98,2.00a,{name},1,1796072440,64M,8k,8192,5,510,99,31485,14,20000,9,+++++,+++,64000,21,"
          "450.3,7,16,1024,1024,,,1099,37,+++++,+++,5000,80,1150,30,,,890,3,64522us,5632us,8044us,"
          "43ms,5188us,1s,32137us,584us,1us,56248us,32355us,34us\n")

DD = """$ dd if={path} of=/dev/null bs=128k
2457600+0 records in
2457600+0 records out
322122547200 bytes (322 GB, 300 GiB) copied, {seconds} s, 2.0 GB/s
"""

TABLE = {
    "schema": "volbench.table/1", "name": "as printed", "memory": "220G", "mean_of": 3,
    "system": {"pool": "10 mirrors"},
    "workloads": [{"name": "Mail", "fio": "--bs=8k --rw=randrw --rwmixread=70 --iodepth=32"}],
    "rows": [
        {"levels": {"volblocksize": "4K"},
         "cells": {"Mail": {"read": "~10.0k / 78.2 MiB", "write": "~4.3k / -"}}},
        {"levels": {"volblocksize": "16384"}, "cells": {"Mail": {"read": 12000}}},
    ],
}

CHANGES = {
    "schema": "volbench.table/1", "name": "changes", "base": {"stripe": "64K"},
    "workloads": [{"name": "Scan", "rw": "read"},
                  {"name": "Files", "metadata": "create,delete"}],
    "rows": [{"levels": {"stripe": "256K"},
              "cells": {"Scan": {"read": {"bandwidth": "+56 %"}},
                        "Files": {"files": {"sequential delete": "-5 %"}}}}],
}


def terminal(directory, texts, *arguments):
    """The result of files with these texts, as the terminal's command makes it."""
    paths = []
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
        paths.append(directory / name)
    done = subprocess.run([PROGRAM, "import", *map(str, paths), *arguments, "--json", "-"],
                          capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    contract.check_value("Result", document)
    return document


def refused(directory, text):
    (directory / "bad.txt").write_text(text, encoding="utf-8")
    done = subprocess.run([PROGRAM, "import", directory / "bad.txt"], capture_output=True,
                          text=True, timeout=3 * PATIENCE)
    assert done.returncode == 2, done.stdout
    return done.stderr


def codes(document):
    """Of all findings, the samples' too."""
    found = {finding["code"] for finding in document["findings"]}
    for sample in document["samples"]:
        found |= {finding["code"] for finding in sample["findings"]}
    return found


def test_diskspd(directory):
    text = DISKSPD.format(switches="-b8K -d2 -Sh -L -o4 -t4 -r -w20 -Z1G -c50G",
                          what="mix test (read/write ratio: 80/20)")
    document = terminal(directory, {"spd.txt": text})
    sample, = document["samples"]
    assert sample["source"]["tool"] == "diskspd"
    assert sample["source"]["given"].startswith("diskspd.exe -b8K")
    assert sample["workload"] == "randrw 80/20"
    assert sample["options"]["rwmixread"] == 80 and sample["options"]["iodepth"] == 4
    assert sample["options"]["sync"] == "dsync" and sample["options"]["direct"] == 1
    assert sample["read"]["ios"] == 8000
    assert sample["read"]["iops"] == 3960.40
    assert sample["read"]["bw_bytes_per_s"] == pytest.approx(30.94 * 2**20)
    told = sample["source"]["write"]["latency_ns"]
    assert told["percentiles"] == {"99.000000": 34100000}
    assert "trim" not in sample


def test_depths_compared_by_files(directory):
    texts = {f"{depth}.txt": DISKSPD.format(switches=f"-b8K -r -w20 -Zr -o{depth}", what="something")
             for depth in (1, 32)}
    document = terminal(directory, texts, "--factor", "iodepth", "--label", "1", "--label", "32")
    assert document["definition"]["factors"] == {"iodepth": ["1", "32"]}
    assert {s["workload"] for s in document["samples"]} == {"randrw 80/20"}


def test_diskspd_bare_w(directory):
    text = DISKSPD.format(switches="-w -b8K -d2", what="something")
    document = terminal(directory, {"spd.txt": text})
    assert "diskspd_bare_w" in codes(document)
    assert document["samples"][0]["options"]["rw"] == "read"
    document = terminal(directory, {"spd.txt": text}, "--workload", "Night")
    assert document["samples"][0]["workload"] == "Night"
    found, = [f for f in document["samples"][0]["findings"] if f["code"] == "diskspd_bare_w"]
    assert found["workloads"] == ["Night"]


def test_diskspd_xml(directory):
    document = terminal(directory, {"spd.xml": DISKSPD_XML})
    sample, = document["samples"]
    assert sample["source"]["tool"] == "diskspd 2.0.21a"
    assert sample["read"]["iops"] == 4000
    assert sample["options"]["numjobs"] == 4
    said = refused(directory, '<!DOCTYPE Results [<!ENTITY a "a">]>' + DISKSPD_XML)
    assert "DOCTYPE" in said and "bad.txt: line 1" in said


def test_bonnie(directory):
    document = terminal(directory, {"b.csv": BONNIE.format(name="64K") + BONNIE.format(name="256K")})
    assert document["definition"]["factors"] == {"name": ["64K", "256K"]}
    samples = {(s["workload"], s["levels"]["name"]): s for s in document["samples"]}
    assert len(samples) == 12
    assert ("Sequential character read", "64K") not in samples  # "+++++" is missing, not zero
    write = samples["Sequential block write", "64K"]
    assert write["write"]["bw_bytes_per_s"] == 31485 * 1024
    assert "iops" not in write["write"] and "read" not in write
    files = samples["Small files", "256K"]["metadata"]
    assert {(f["operation"], f["order"]): f["ops_per_s"] for f in files} == {
        ("create", "sequential"): 1099, ("delete", "sequential"): 5000,
        ("create", "random"): 1150, ("delete", "random"): 890}
    assert {"too_quick", "memory_unknown"} <= codes(document)


@pytest.mark.skipif(not shutil.which("bonnie++"), reason="bonnie++ is not installed")
def test_what_bonnie_prints(directory):
    directory.chmod(0o777)
    done = subprocess.run(["bonnie++", "-d", directory, "-u", "nobody", "-s", "16M:8k:300:3",
                           "-r", "8", "-n", "0", "-f", "-m", "here", "-q"],
                          capture_output=True, text=True, timeout=10 * PATIENCE)
    if done.returncode != 0 or "," not in done.stdout:
        pytest.skip("bonnie++ does not run here: " + done.stderr)
    fields = done.stdout.strip().split(",")
    (directory / "b.csv").write_text(done.stdout)
    done = subprocess.run([PROGRAM, "import", directory / "b.csv"], capture_output=True, text=True,
                          timeout=3 * PATIENCE)
    told = [fields[at] for at in (11, 13, 17, 19) if fields[at] and "+" not in fields[at]]
    assert (done.returncode == 0) is bool(told), done.stderr
    for name, at in (("Sequential block write", 11), ("Sequential rewrite", 13)):
        assert (name in done.stdout.split("Findings")[0]) is (fields[at] in told)


def test_dd(directory):
    text = DD.format(path="/tank/file", seconds="163.977835") + DD.format(
        path="/dev/zvol/tank/a", seconds="270.188876")
    document = terminal(directory, {"session.txt": text})
    assert document["definition"]["factors"] == {"target": ["/tank/file", "/dev/zvol/tank/a"]}
    sample = document["samples"][0]
    assert sample["workload"] == "Sequential read"
    assert sample["read"]["ios"] == 2457600
    assert sample["read"]["bw_bytes_per_s"] == pytest.approx(322122547200 / 163.977835)
    assert sample["options"]["rw"] == "read"


def test_what_dd_prints(directory):
    done = subprocess.run(["dd", "if=/dev/zero", f"of={directory / 'zeros'}", "bs=64k", "count=64"],
                          capture_output=True, text=True, timeout=3 * PATIENCE,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    document = terminal(directory, {"dd.txt": done.stderr})
    sample, = document["samples"]
    assert sample["read"]["ios"] == 64 and sample["read"]["bytes"] == 4 << 20
    assert sample["options"]["bs"] == "64k"
    assert "dd_direction" in codes(document) and "dd_rate_differs" not in codes(document)


def test_table(directory):
    contract.check_value("Table", TABLE)
    document = terminal(directory, {"table.json": json.dumps(TABLE)})
    assert document["name"] == "as printed"
    assert document["facts"] == {"pool": "10 mirrors"}
    assert document["definition"]["factors"] == {"volblocksize": ["4K", "16K"]}
    sample = document["samples"][0]
    assert sample["source"]["samples"] == 3
    assert sample["source"]["memory_bytes"] == 220 << 30
    assert sample["read"]["iops"] == 10000
    # what the printed digits leave open comes along
    assert sample["source"]["read"]["iops"] == {"value": 10000, "low": 9950, "high": 10050}
    assert "bw_bytes_per_s" not in sample["write"]
    assert document["samples"][1]["write"] == {}  # it was not told, and is not zero


def test_table_of_changes(directory):
    contract.check_value("Table", CHANGES)
    document = terminal(directory, {"table.json": json.dumps(CHANGES)})
    assert "changes_only" in codes(document)
    assert [s["levels"]["stripe"] for s in document["samples"]] == ["64K", "256K"] * 2
    assert all(s["source"]["index"] for s in document["samples"])
    assert document["samples"][1]["read"]["bw_bytes_per_s"] == 156
    assert document["samples"][3]["metadata"][0]["ops_per_s"] == 95


def test_the_table_in_the_readme(directory):
    """It is what it says."""
    (text,) = [
        text
        for text in re.findall(r"```json\n(.*?)```", (contract.ROOT / "README.md").read_text("utf-8"), re.S)
        if "volbench.table" in text
    ]
    contract.check_value("Table", json.loads(text))
    document = terminal(directory, {"table.json": text})
    assert len(document["samples"]) == 2


def test_tables_that_are_none(directory):
    table = json.loads(json.dumps(TABLE))
    table["rows"][0]["cells"]["Mail"]["read"] = "fast"
    said = refused(directory, json.dumps(table))
    assert "/rows/0/cells/Mail/read" in said and '"fast"' in said


@pytest.mark.parametrize("text, workloads", [
    (DISKSPD.format(switches="-b8K -w20 -r", what="mix test (read/write ratio: 80/20)"), 1),
    (DISKSPD_XML, 1),
    (BONNIE.format(name="nas"), 6),
    (DD.format(path="/tank/file", seconds="163.98"), 1),
    (json.dumps(TABLE), 1),
    (json.dumps(CHANGES), 2),
], ids=["diskspd", "diskspd-xml", "bonnie", "dd", "table", "changes"])
def test_over_http(service, text, workloads):
    """A run that is done, with figures, analysis and page as any other."""
    client = service.client
    answer = client.post("/api/v1/imports", raw=text.encode())
    assert answer.status == 201, answer
    address = f"/api/v1/runs/{answer.json['id']}"
    document = client.get(address + "/result").json
    assert len(document["definition"]["workloads"]) == workloads
    assert client.get(address + "/result.csv").status == 200
    assert client.get(address + "/analysis").status == 200
    page = client.wait_drawn(f"/runs/{answer.json['id']}/")
    for workload in document["definition"]["workloads"]:
        assert workload["name"] in page


def test_formats_are_named(service):
    """A format that is given is not looked for; another text is none of it."""
    good = DD.format(path="/tank/file", seconds="163.98").encode()
    assert service.client.post("/api/v1/imports?format=dd", raw=good).status == 201
    for name in ("fio", "diskspd", "diskspd-xml", "bonnie", "table"):
        answer = service.client.post(f"/api/v1/imports?format={name}", raw=good)
        assert answer.status == 422, name
