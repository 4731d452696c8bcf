# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of other tools taken in: what fio measured a moment ago, by terminal and over HTTP."""
import json
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse

import pytest

import contract
from engine import PATIENCE, PROGRAM

FIO = shutil.which("fio")
needs_fio = pytest.mark.skipif(not FIO, reason="fio is not installed")

# One small result, as fio prints it but for what is not read.
IDLE = {"io_bytes": 0, "io_kbytes": 0, "total_ios": 0, "runtime": 0, "iops": 0.0, "bw_bytes": 0}


def result(iops=1000.0, name="reads", **options):
    ios = int(iops * 10)
    latency = {"min": 10000, "max": 90000, "mean": 50000.0, "stddev": 1.0, "N": ios}
    return {
        "fio version": "fio-3.33",
        "time": "Mon Nov 30 12:00:00 2026",
        "jobs": [{
            "jobname": name, "groupid": 0, "error": 0,
            "job options": {"rw": "randread", "bs": "4k", **options},
            "read": {"io_bytes": ios * 4096, "io_kbytes": ios * 4, "total_ios": ios,
                     "runtime": 10000, "iops": iops, "bw_bytes": int(iops * 4096),
                     "clat_ns": {**latency, "bins": {"10048": 1, "49920": ios - 2, "89600": 1}},
                     "lat_ns": latency},
            "write": IDLE, "trim": IDLE,
        }],
    }


def volbench(*arguments, text=None):
    return subprocess.run([PROGRAM, "import", *map(str, arguments)], input=text,
                          capture_output=True, text=True, timeout=3 * PATIENCE)


def imported(*arguments):
    """The document that the terminal's command writes."""
    done = volbench(*arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    contract.check_value("Result", document)
    return document


TIMED = ("--size=8m", "--runtime=1", "--time_based")


def fio(directory, *options, output="json+", length=TIMED):
    """What fio prints for a quick job, as text and as JSON."""
    path = directory / "fio.json"
    done = subprocess.run(
        [FIO, f"--output-format={output}", f"--filename={directory / 'target'}", *length,
         f"--output={path}", *options],
        capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    text = path.read_text()
    begin = re.search(r"^\{", text, re.M).start()
    return path, json.JSONDecoder().raw_decode(text[begin:])[0]


# ---- fio's own output ----

def check_percentiles(ours, theirs):
    """Ours lie within a bucket (a 256th) of fio's, where there are enough values for one. In the bins
    of the smallest and the largest value those stand for the middle, up to a 128th off."""
    compared = 0
    for key, value in ours["percentiles"].items():
        if key in theirs:
            near = 1 / 128 if value in (ours["min"], ours["max"]) else 1 / 256
            assert value == pytest.approx(theirs[key], rel=near), key
            compared += 1
    assert compared >= 5
    return compared


@needs_fio
def test_what_fio_says_is_what_is_shown(directory):
    # By size, not by time: as many each time, and so many that each percentile has a rank on which
    # fio's arithmetic and ours agree.
    path, told = fio(directory, "--name=mix", "--rw=randrw", "--bs=4k", "--ioengine=libaio",
                     "--iodepth=4", "--fsync=64", "--lat_percentiles=1", length=["--size=16m"])
    sample, = imported(path)["samples"]
    job = told["jobs"][0]
    assert sample["source"]["tool"] == told["fio version"]
    for way in ("read", "write"):
        fio_way = job[way]
        ours = sample[way]
        assert ours["ios"] == fio_way["total_ios"]
        assert ours["bytes"] == fio_way["io_bytes"]
        assert ours["iops"] == pytest.approx(fio_way["iops"], rel=1e-9)
        assert ours["bw_bytes_per_s"] == fio_way["bw_bytes"]
        assert ours["histogram"]["count"] == fio_way["lat_ns"]["N"]
        assert ours["latency_ns"]["min"] == fio_way["lat_ns"]["min"]
        assert ours["latency_ns"]["max"] == fio_way["lat_ns"]["max"]
        assert ours["latency_ns"]["mean"] == pytest.approx(fio_way["lat_ns"]["mean"], rel=1e-6)
        assert ours["latency_ns"]["stddev"] == pytest.approx(fio_way["lat_ns"]["stddev"], rel=1e-3)
        check_percentiles(ours["latency_ns"], fio_way["lat_ns"]["percentile"])
        check_percentiles(ours["clat_ns"], fio_way["clat_ns"]["percentile"])
    assert sample["sync"]["ios"] == job["sync"]["lat_ns"]["N"]
    assert sample["options"]["iodepth"] == 4
    assert sample["options"]["rw"] == "randrw"


@needs_fio
def test_jobs_are_not_counted_twice(directory):
    options = ("--name=j", "--rw=randread", "--bs=4k", "--numjobs=3")
    for more in ([], ["--group_reporting"]):
        path, told = fio(directory, *options, *more)
        assert len(told["jobs"]) == (1 if more else 3)
        sample, = imported(path)["samples"]
        assert sample["read"]["ios"] == sum(j["read"]["total_ios"] for j in told["jobs"])
        assert sample["read"]["histogram"]["count"] == sample["read"]["ios"]
        longest = max(j["read"]["runtime"] for j in told["jobs"]) / 1000
        assert sample["read"]["iops"] == pytest.approx(sample["read"]["ios"] / longest, rel=1e-6)
        assert sample["options"]["numjobs"] == 3
        assert "runtime" in sample["options"] and "time_based" not in sample["options"]


@needs_fio
def test_without_bins_there_are_the_percentiles_told(directory):
    path, told = fio(directory, "--name=j", "--rw=randread", output="json")
    sample, = imported(path)["samples"]
    assert "histogram" not in sample["read"]
    told_ns = told["jobs"][0]["read"]["clat_ns"]["percentile"]
    assert sample["source"]["read"]["latency_ns"]["percentiles"] == told_ns


@needs_fio
def test_both_directions_as_one(directory):
    path, told = fio(directory, "--name=j", "--rw=randrw", "--unified_rw_reporting=1")
    sample, = imported(path)["samples"]
    assert "mixed" in told["jobs"][0]
    assert "write" not in sample and "rw" not in sample["options"]
    assert "directions_together" in [f["code"] for f in sample["findings"]]
    path, told = fio(directory, "--name=j", "--rw=randwrite", "--unified_rw_reporting=1")
    sample, = imported(path)["samples"]
    assert sample["write"]["ios"] == told["jobs"][0]["mixed"]["total_ios"]
    assert "read" not in sample


@needs_fio
def test_text_around_and_a_steady_state(directory):
    path, told = fio(directory, "--name=j", "--rw=randread", "--ss=iops:90%", "--ss_dur=2",
                     "--runtime=4", "--iodepth=8", output="json,normal")
    document = imported(path)
    assert "text_left_out" in [f["code"] for f in document["findings"]]
    steady = document["samples"][0]["steadystate"]
    assert steady["attained"] is bool(told["jobs"][0]["steadystate"]["attained"])
    assert steady["window_seconds"] == 2


def wait_until(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


@needs_fio
def test_hosts_are_merged(directory):
    servers, clients = [], []
    job = directory / "job.fio"
    job.write_text(f"[j]\nfilename={directory}/target\nrw=randread\nbs=4k\nsize=8m\nruntime=1\n"
                   "time_based\nnumjobs=2\ngroup_reporting\n")
    try:
        for n in range(2):  # on sockets of their own: a port might be another's
            where, pid_file = directory / f"s{n}", directory / f"server{n}"
            subprocess.run([FIO, f"--server=sock:{where}", f"--daemonize={pid_file}"], check=True,
                           capture_output=True, timeout=PATIENCE)
            wait_until(lambda: pid_file.exists() and pid_file.read_text().strip())
            servers.append(int(pid_file.read_text()))
            wait_until(where.is_socket)
            clients += [f"--client=sock:{where}", str(job)]
        until = time.monotonic() + PATIENCE
        while True:  # a server listens some time after its socket is there
            done = subprocess.run([FIO, "--output-format=json+", *clients], capture_output=True,
                                  text=True, timeout=3 * PATIENCE)
            if done.returncode == 0 and done.stdout.count('"hostname"') >= 2:
                break
            assert time.monotonic() < until, done.stdout + done.stderr
            time.sleep(0.2)
    finally:
        for server in servers:
            subprocess.run(["kill", str(server)], check=False)
    path = directory / "clients.json"
    path.write_text(done.stdout)
    told = json.loads(done.stdout[re.search(r"^\{", done.stdout, re.M).start():])
    hosts = [e for e in told["client_stats"] if e["jobname"] != "All clients"]
    assert len(hosts) == 2 and len(told["client_stats"]) == 3
    sample, = imported(path)["samples"]
    assert sample["read"]["ios"] == sum(e["read"]["total_ios"] for e in hosts)
    assert sample["options"]["numjobs"] == 4
    # by histogram: the percentile of all operations of both, from fio's own bins, whose width is a 64th
    bins = {}
    for entry in hosts:
        for value, count in entry["read"]["clat_ns"]["bins"].items():
            bins[int(value)] = bins.get(int(value), 0) + count
    for percent in (50, 90, 99):
        seen = 0
        for value in sorted(bins):
            seen += bins[value]
            if seen * 100 >= percent * sum(bins.values()):
                break
        assert sample["read"]["latency_ns"]["percentiles"][f"{percent}.000000"] == pytest.approx(
            value, rel=1 / 64)


@needs_fio
def test_a_dash_of_blogs(directory):
    done = subprocess.run([FIO, "--name=j", "–rw=randread"], capture_output=True, text=True,
                          cwd=directory, timeout=PATIENCE)
    path = directory / "dash.txt"
    path.write_text(done.stdout + done.stderr)
    done = volbench(path)
    assert done.returncode == 2
    assert "typographic dash" in done.stderr


# ---- the terminal ----

def write(directory, name, document):
    path = directory / name
    path.write_text(json.dumps(document))
    return path


def test_several_files_are_levels(directory):
    paths = [write(directory, f"{size}.json", result(iops, iodepth="1"))
             for size, iops in (("a", 100.0), ("b", 200.0), ("b2", 220.0))]
    document = imported(*paths, "--factor", "recordsize", "--label", "16k", "--label", "128K",
                        "--label", "128K", "--workload", "small reads", "--name", "by hand")
    assert document["name"] == "by hand"
    assert document["definition"]["imported"] is True
    assert document["definition"]["factors"] == {"recordsize": ["16K", "128K"]}
    assert document["definition"]["repeats"] == 2
    assert [(s["levels"]["recordsize"], s["repeat"]) for s in document["samples"]] == [
        ("16K", 1), ("128K", 1), ("128K", 2)]
    assert {s["workload"] for s in document["samples"]} == {"small reads"}
    table = volbench(*paths)
    assert table.returncode == 0
    assert "reads" in table.stdout and "220" in table.stdout


def test_what_is_refused(directory):
    good = write(directory, "good.json", result())
    for arguments, word in (
            ([good, "--factor", "bs", "--label", "8k"], "the file itself says 4k"),
            ([good, "--factor", "bs", "--label", "large"], "no value of it"),
            ([good, "--label", "a", "--label", "b"], "2 labels for 1 files"),
            ([good, "--format", "csv"], "no format"),
            ([good, "--format", "dd"], "good.json"),
            ([directory / "none.json"], "none.json"),
            ([directory], "is a directory"),
            ([good] * 65, "at most 64"),
            (["-", "-"], "read once"),
    ):
        done = volbench(*arguments, text="")
        assert done.returncode == 2, arguments
        assert word in done.stderr, done.stderr
    (directory / "text").write_text("nothing of the kind")
    done = volbench(directory / "text")
    assert done.returncode == 2 and "no result of a format" in done.stderr


def test_a_report_and_a_state(directory):
    paths = [write(directory, f"{n}.json", result(100.0 * n)) for n in (1, 2)]
    done = volbench(*paths, "--html", directory / "report", "--state", directory / "state",
                    "--json", directory / "out.json")
    assert done.returncode == 0, done.stderr
    page = (directory / "report" / "index.html").read_text()
    assert "1.json" in page and "fio-3.33" in page
    run_id = re.search(r"Kept as run (\S+)", done.stdout)[1]
    document = json.loads((directory / "out.json").read_text())
    assert document["id"] == run_id
    kept = json.loads((directory / "state" / "runs" / run_id / "result.json").read_text())
    assert kept == document
    # without --state nothing is kept
    assert "Kept" not in volbench(*paths).stdout


# ---- HTTP ----

def boundary(parts, mark="a'b+c"):
    """(headers, body) of multipart/form-data: parts are (name, filename or None, bytes)."""
    body = b""
    for name, filename, data in parts:
        more = f'; filename="{filename}"' if filename is not None else ""
        body += (f'--{mark}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n'
                 f"\r\n").encode() + data + b"\r\n"
    body += f"--{mark}--\r\n".encode()
    return {"Content-Type": f'multipart/form-data; boundary="{mark}"'}, body


def post(client, parts):
    headers, body = boundary(parts)
    return client.post("/api/v1/imports", raw=body, headers=headers)


def packed(document):
    return json.dumps(document).encode()


def test_one_file_as_it_is(service):
    query = urllib.parse.urlencode({"name": "of another", "file": "reads.json",
                                    "description": "what it was about"})
    answer = service.client.post(f"/api/v1/imports?{query}", raw=packed(result()))
    assert answer.status == 201, answer
    run = answer.json
    assert answer.headers["location"] == f"/api/v1/runs/{run['id']}"
    assert run["state"] == "done" and run["name"] == "of another" and "started" not in run
    assert run["progress"]["done"] == run["progress"]["total"] == 1
    document = service.client.get(f"/api/v1/runs/{run['id']}/result").json
    assert document["definition"]["imported"] is True
    assert document["samples"][0]["source"]["file"] == "reads.json"
    assert "environment" not in document and "backend" not in document
    assert document["facts"] == {"time of fio's report": "Mon Nov 30 12:00:00 2026"}
    listed = service.client.get("/api/v1/runs").json["runs"]
    assert [r["id"] for r in listed] == [run["id"]]
    assert service.client.get(f"/api/v1/runs/{run['id']}/result.csv").status == 200
    assert service.client.get(f"/api/v1/runs/{run['id']}/analysis").status == 200
    missing = service.client.get(f"/api/v1/runs/{run['id']}/fio.json")
    assert missing.status == 404, missing
    assert "imported" in missing.json["detail"]
    page = service.client.wait_drawn(f"/runs/{run['id']}/")
    assert "fio-3.33" in page and "reads" in page
    assert service.client.delete(f"/api/v1/runs/{run['id']}").status == 204


def test_several_files_in_a_form(service):
    answer = post(service.client, [
        ("name", None, b"two hosts"), ("factor", None, b"host"),
        ("file", 'a"b.json', packed(result(100.0))), ("label", None, b"old"),
        ("file", "b.json", packed(result(150.0))), ("label", None, b"new"),
        ("workload", None, "Größe".encode()),
    ])
    assert answer.status == 201, answer
    document = service.client.get(f"/api/v1/runs/{answer.json['id']}/result").json
    assert document["definition"]["factors"] == {"host": ["old", "new"]}
    assert [s["read"]["iops"] for s in document["samples"]] == [100.0, 150.0]
    assert document["samples"][0]["workload"] == "Größe"
    analysis = service.client.get(f"/api/v1/runs/{answer.json['id']}/analysis").json
    assert analysis["factor"] == "host"


def test_a_key_makes_it_once(service):
    headers = {"Idempotency-Key": "import 1"}
    first = service.client.post("/api/v1/imports", raw=packed(result()), headers=headers)
    again = service.client.post("/api/v1/imports", raw=packed(result()), headers=headers)
    other = service.client.post("/api/v1/imports", raw=packed(result(5.0)), headers=headers)
    assert first.status == again.status == 201
    assert first.json["id"] == again.json["id"]
    assert other.status == 409 and other.code == "idempotency_mismatch"
    assert len(service.client.get("/api/v1/runs").json["runs"]) == 1


def test_a_form_sent_again_may_have_another_boundary(service):
    parts = [("file", "a.json", packed(result())), ("label", None, b"x")]
    answers = []
    for mark in ("first", "second"):
        headers, body = boundary(parts, mark)
        answers.append(service.client.post("/api/v1/imports", raw=body,
                                           headers={**headers, "Idempotency-Key": "k"}))
    assert [a.status for a in answers] == [201, 201]
    assert answers[0].json["id"] == answers[1].json["id"]
    headers, body = boundary([parts[0], ("label", None, b"y")])
    answer = service.client.post("/api/v1/imports", raw=body,
                                 headers={**headers, "Idempotency-Key": "k"})
    assert answer.status == 409


def test_bad_requests(service):
    client = service.client
    good = packed(result())
    for raw, headers, status, code in (
            (good, {"Content-Type": "application/x-www-form-urlencoded"}, 415, "content_type"),
            (good, {"Content-Type": "multipart/form-data"}, 415, "content_type"),
            (good, {"Content-Type": "multipart/form-data; boundary=x"}, 400, "bad_request"),
            (b"", {}, 422, "missing_field"),
            (b"text", {}, 422, "unsupported_option"),
            (good[:-20], {}, 422, "bad_value"),
            (packed({**result(), "jobs": []}), {}, 422, "missing_field"),
    ):
        answer = client.post("/api/v1/imports", raw=raw, headers=headers)
        assert (answer.status, answer.code) == (status, code), answer
    assert client.post("/api/v1/imports?format=csv", raw=good).code == "bad_parameter"
    assert client.post("/api/v1/imports?colour=red", raw=good).code == "bad_parameter"
    assert client.post("/api/v1/imports?factor=bs&label=8k", raw=good).code == "bad_value"
    assert post(client, [("colour", None, b"red"), ("file", "a", good)]).code == "unknown_field"
    assert post(client, [("name", None, b"only")]).code == "missing_field"
    assert post(client, [("name", None, b"a"), ("name", None, b"b")]).code == "duplicate"
    assert post(client, [("label", None, b"a"), ("label", None, b"b"),
                         ("file", "a", good)]).code == "too_many"
    headers, body = boundary([("file", "a", good)])
    assert client.post("/api/v1/imports", raw=body[:-30], headers=headers).code == "bad_request"
    crossed = client.post("/api/v1/imports", raw=good,
                          headers={"Origin": "http://evil.example"})
    assert (crossed.status, crossed.code) == (403, "cross_origin")
    assert client.get("/api/v1/runs").json["runs"] == []


def test_64_files_and_one_more(service):
    small = packed(result())
    for count, status in ((64, 201), (65, 422)):
        answer = post(service.client, [("file", f"{n}.json", small) for n in range(count)])
        assert answer.status == status, answer
        assert status == 201 or answer.code == "too_many"
    answer = service.client.get("/api/v1/runs").json["runs"]
    assert len(answer) == 1 and answer[0]["progress"]["total"] == 64


def test_16_mib_and_one_byte_more(service):
    whole = packed(result())
    largest = whole + b" " * ((16 << 20) - len(whole))
    assert service.client.post("/api/v1/imports", raw=largest).status == 201
    answer = service.client.post("/api/v1/imports", raw=largest + b" ")
    assert (answer.status, answer.code) == (413, "body_too_large")
    # other calls take as little as before
    answer = service.client.post("/api/v1/runs", raw=b"{" + b" " * (64 << 10) + b"}")
    assert (answer.status, answer.code) == (413, "body_too_large")


def test_few_large_bodies_at_a_time(service):
    """Four that are on their way hold their memory; the fifth is told to come again."""
    whole = packed(result()).ljust(100 << 10)
    head = (f"POST /api/v1/imports HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nConnection: close\r\n"
            "Content-Type: application/json\r\nExpect: 100-continue\r\n"
            f"Content-Length: {len(whole)}\r\n\r\n").encode()
    held = []
    for _ in range(4):
        held.append(socket.create_connection(("127.0.0.1", service.port), PATIENCE))
        held[-1].sendall(head)
        assert held[-1].recv(4096).startswith(b"HTTP/1.1 100 ")  # it has been let in
    answer = service.client.post("/api/v1/imports", raw=whole)
    assert (answer.status, answer.code) == (503, "queue_full")
    assert int(answer.headers["retry-after"]) > 0
    fifth = service.client.raw(head)  # whose body is not even waited for
    assert fifth.startswith(b"HTTP/1.1 503 ")
    for connection in held:  # and those four are answered
        connection.sendall(whole)
        assert connection.recv(4096).startswith(b"HTTP/1.1 201 ")
        connection.close()
    until = time.monotonic() + PATIENCE
    while (answer := service.client.post("/api/v1/imports", raw=whole)).status != 201:
        assert time.monotonic() < until, answer  # a place is free a moment after its answer


def test_an_imported_definition_is_not_run(service):
    run_id = service.client.post("/api/v1/imports", raw=packed(result())).json["id"]
    definition = service.client.get(f"/api/v1/runs/{run_id}/result").json["definition"]
    for answer in (service.client.post("/api/v1/runs", definition),
                   service.client.post("/api/v1/plan", definition),
                   service.client.put("/api/v1/definitions/theirs", definition)):
        assert answer.status == 422, answer
        assert answer.json["field"] == "/imported"
        assert "imported" in answer.json["detail"]


def test_it_is_there_after_kill_9(make_service):
    service = make_service()
    ids = [service.client.post("/api/v1/imports", raw=packed(result(n))).json["id"]
           for n in (1.0, 2.0)]
    service.process.send_signal(signal.SIGKILL)
    service.process.wait()
    service.start()
    for n, run_id in zip((1.0, 2.0), ids):
        assert service.client.run(run_id)["state"] == "done"
        sample, = service.client.get(f"/api/v1/runs/{run_id}/result").json["samples"]
        assert sample["read"]["iops"] == n


def test_hostile_names_are_texts(service):
    evil = '<script>alert(1)</script>"\'`$(touch x)\\'
    answer = post(service.client, [
        ("name", None, evil.encode()), ("factor", None, evil.encode()),
        ("file", "a.json", packed(result(name=evil))), ("label", None, evil.encode())])
    assert answer.status == 201, answer
    page = service.client.wait_drawn(f"/runs/{answer.json['id']}/")
    assert "<script>alert" not in page
    answer = post(service.client, [("name", None, b"a\nb"), ("file", "a", packed(result()))])
    assert answer.status == 422 and answer.json["field"] == "/name"
