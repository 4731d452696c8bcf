# SPDX-License-Identifier: GPL-3.0-or-later
"""fio job files in a terminal and over REST, and definitions written out as job files for fio.

tests/data/fio/index.json says of each file there which jobs it makes, or which option on which line
refuses it. @SCRATCH@ stands for the scratch directory.

Length: what is read and what is written are held against each other.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

from engine import PATIENCE, PROGRAM

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "fio"
CASES = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
ACCEPTED = [c for c in CASES if "jobs" in c]
REFUSED = [c for c in CASES if "jobs" not in c]


def names(cases):
    return {"argvalues": cases, "ids": [c["file"] for c in cases]}


@pytest.fixture
def scratch(directory):
    path = directory / "scratch"
    path.mkdir()
    return path


def job_text(case, scratch):
    return (DATA / case["file"]).read_bytes().replace(b"@SCRATCH@", str(scratch).encode())


@pytest.fixture
def job_file(directory, scratch):
    """job_file(case) is its path, and what of the environment it wants."""

    def make(case):
        path = directory / case["file"]
        path.write_bytes(job_text(case, scratch))
        wanted = case.get("environment", {})
        return path, {n: v.replace("@SCRATCH@", str(scratch)) for n, v in wanted.items()}

    return make


@pytest.fixture
def volbench(directory, scratch):
    def call(command, *arguments, environment=None, text=None):
        places = ["--state", directory / "state"]
        if command != "fio":
            places += ["--allow", scratch]
        return subprocess.run(
            [PROGRAM, command, *map(str, arguments), *places], input=text, capture_output=True,
            text=True, timeout=3 * PATIENCE, env={**os.environ, **(environment or {})})

    return call


def target_arguments(case, scratch):
    return ["--target", f"directory:{scratch}"] if case.get("target") == "given" else []


def groups(definition):
    """The names of the jobs that run at the same time, workload by workload."""
    return [[job["name"] for job in workload.get("jobs", [workload])]
            for workload in definition["workloads"]]


def check_jobs(definition, case):
    """The definition that the service or the command made of a file."""
    commands = {}
    for workload in definition["workloads"]:
        for job in workload.get("jobs", [workload]):
            words = shlex.split(job["fio"])
            commands[job["name"]] = dict(word[2:].split("=", 1) for word in words)
    assert groups(definition) == case.get("together", [[name] for name in case["jobs"]])
    assert list(commands) == list(case["jobs"])
    for name, options in case["jobs"].items():
        for option, value in options.items():
            assert commands[name].get(option) == str(value), (name, option, commands[name])
        assert not {"filename", "directory"} & set(commands[name])
    assert definition.get("description") == case.get("description")


@pytest.mark.parametrize("case", **names(ACCEPTED))
def test_planned_in_a_terminal(volbench, job_file, scratch, case):
    path, environment = job_file(case)
    done = volbench("plan", path, "--json", "-", *target_arguments(case, scratch),
                    environment=environment)
    assert done.returncode == 0, done.stderr
    definition = json.loads(done.stdout)["definition"]
    assert definition["name"] == path.stem
    kind = "file" if case.get("target") == "file" else "directory"
    assert definition["target"] == {kind: str(scratch) + ("/data" if kind == "file" else "")}
    check_jobs(definition, case)


@pytest.mark.parametrize("case", **names(REFUSED))
def test_refused_in_a_terminal(volbench, job_file, case):
    path, _ = job_file(case)
    for command in ("plan", "run", "fio"):
        done = volbench(command, path)
        assert done.returncode == 2, done
        place = f"line {case['line']}: " if case["line"] else ""
        assert place in done.stderr and case["option"] in done.stderr, done.stderr
        assert f"({case['code']})" in done.stderr, done.stderr
        assert not done.stdout
        if place:
            assert done.stderr.startswith(f"volbench: {path}: "), done.stderr


def test_run_in_the_order_of_the_file(volbench, job_file, scratch):
    case = next(c for c in CASES if c["file"] == "globals.fio")
    path, _ = job_file(case)
    done = volbench("run", path, "--json", "-", "--override", "iodepth=2")
    assert done.returncode == 0, done.stderr
    samples = json.loads(done.stdout)["samples"]
    assert [s["workload"] for s in samples] == list(case["jobs"])
    assert [{"read", "write"} & set(s) for s in samples] == [{"read"}, {"write"}, {"read", "write"}]
    assert {s["options"]["iodepth"] for s in samples} == {2}
    assert not list(scratch.iterdir())


def test_run_from_standard_input_to_its_size(volbench, scratch):
    text = f"; two passes\n[global]\nfilename={scratch}/x\nsize=2m\nbs=64k\nnumjobs=2\n[once]\nrw=read\n"
    done = volbench("run", "-", "--json", "-", "--repeats", "2", text=text)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["definition"]["name"] == "fio job"
    # as fio: without a runtime each job reads its size, both in one region
    assert [s["read"]["bytes"] for s in result["samples"]] == [4 << 20, 4 << 20]


def test_what_differs_from_fio_is_said(volbench, job_file):
    path, _ = job_file(next(c for c in CASES if c["file"] == "one-job.fio"))
    done = volbench("plan", path, "--json", "-")
    finding = next(f for f in json.loads(done.stdout)["findings"]
                   if f["code"] == "fio_defaults_differ")
    assert "direct=1 (fio: 0)" in finding["message"]


TOGETHER = [c for c in ACCEPTED if any(len(group) > 1 for group in c.get("together", []))]


def test_twenty_files_have_sections_that_run_together():
    assert len(TOGETHER) >= 20


@pytest.mark.parametrize("case", **names(TOGETHER))
def test_jobs_that_run_together_are_measured(volbench, job_file, scratch, case):
    """Every section has its figures, and the sample is their sum."""
    path, environment = job_file(case)
    # what a section does within so short a time is the machine's affair: nothing, where it stood still
    timed = b"runtime=" in path.read_bytes()
    done = volbench("run", path, "--json", "-", *target_arguments(case, scratch),
                    environment=environment)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    told = [[job["name"] for job in s["jobs"]] if "jobs" in s else [s["workload"]]
            for s in result["samples"]]
    apart = [[name for name in group
              for _ in range(case["jobs"][name].get("numjobs", 2 if name == "a" else 1)
                             if case["jobs"][name].get("group_reporting") == 0 else 1)]
             for group in case["together"]]
    assert told == apart
    for sample in result["samples"]:
        for direction in ("read", "write"):
            parts = [job[direction] for job in sample.get("jobs", []) if direction in job]
            if not parts:
                continue
            for figure in ("ios", "bytes"):
                assert sum(p[figure] for p in parts) == sample[direction][figure]
            assert timed or all(p["ios"] > 0 for p in parts)
    assert not list(scratch.iterdir())


# ---- REST ----


def post(client, call, text, query="", **more):
    headers = {"Content-Type": "text/plain", **more}
    return client.post(f"/api/v1/{call}{query}", raw=text, headers=headers)


@pytest.mark.parametrize("case", **names([c for c in ACCEPTED if c.get("rest", True)]))
def test_planned_over_rest(shared, case):
    query = f"?target=directory:{shared.scratch}" if case.get("target") == "given" else ""
    answer = post(shared.client, "plan", job_text(case, shared.scratch), query)
    assert answer.status == 200, answer
    assert answer.json["definition"]["name"] == "fio job"
    check_jobs(answer.json["definition"], case)


@pytest.mark.parametrize("case", **names(REFUSED))
def test_refused_over_rest(shared, case):
    for call in ("plan", "runs"):
        answer = post(shared.client, call, job_text(case, shared.scratch))
        assert answer.code == case.get("rest_code", case["code"]), answer
        assert answer.status == 422, answer
        place = f"line {case['line']}: " if case["line"] else ""
        detail = answer.json["detail"]
        assert place in detail and case["option"] in detail, answer
        assert answer.json["field"] == ""


def test_a_run_over_rest(service):
    client = service.client
    text = b"[reads]\nrw=randread\nsize=1m\nruntime=200ms\ntime_based\nfilename=/nowhere/at-all\n"
    query = f"?target=directory:{service.scratch}&name=my%20job&repeats=2"
    answer = post(client, "runs", text, query, **{"Content-Type": "Text/Plain; charset=utf-8"})
    assert answer.status == 202, answer
    assert answer.json["name"] == "my job"
    run = client.wait_state(answer.json["id"], "done")
    assert run["progress"]["total"] == 2
    result = client.get(f"/api/v1/runs/{run['id']}/result").json
    assert result["definition"]["order"] == "interleaved"
    assert [s["workload"] for s in result["samples"]] == ["reads", "reads"]


def test_one_key_is_one_job_with_its_query(service):
    text = b"[reads]\nsize=1m\nruntime=100ms\ntime_based\n"
    query = f"?target=directory:{service.scratch}"
    key = {"Idempotency-Key": "k"}
    first = post(service.client, "runs", text, query, **key)
    again = post(service.client, "runs", text, query, **key)
    assert first.status == again.status == 202
    assert first.json["id"] == again.json["id"]
    other = post(service.client, "runs", text, query + "&repeats=2", **key)
    assert (other.status, other.code) == (409, "idempotency_mismatch"), other
    service.client.wait_state(first.json["id"], "done")


@pytest.mark.parametrize("query, code, word", [
    ("?target=floppy:/a", "bad_parameter", "file:PATH"),
    ("?target=directory", "bad_parameter", "file:PATH"),
    ("?target=", "bad_parameter", "file:PATH"),
    ("?target=directory:relative", "bad_value", "whole path"),
    ("?target=directory:/etc", "target_not_allowed", "allow"),
    ("?target=directory:/etc&repeats=0", "bad_parameter", "repeats"),
    ("?target=directory:/etc&repeats=101", "bad_parameter", "repeats"),
    ("?target=directory:/etc&name=", "out_of_range", "name"),
    ("?target=directory:/etc&name=" + "n" * 129, "out_of_range", "name"),
    ("?size=1g", "bad_parameter", "size"),
    ("", "missing_field", "target"),
])
def test_bad_queries(shared, query, code, word):
    answer = post(shared.client, "plan", b"[a]\nsize=1m\n", query)
    assert answer.code == code and word in answer.json["detail"], answer


def test_json_has_no_query_and_other_calls_no_job_files(shared):
    answer = shared.client.post("/api/v1/plan?repeats=2", shared.definition())
    assert (answer.status, answer.code) == (400, "bad_parameter"), answer
    assert "repeats" in answer.json["detail"]
    answer = shared.client.put("/api/v1/definitions/x", raw=b"[a]\n",
                               headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.code) == (415, "content_type"), answer


def test_job_files_have_the_limit_of_json(shared):
    head = f"[a]\nsize=1m\ndirectory={shared.scratch}\n".encode()
    line = b"#" * 1023 + b"\n"
    text = head + line * 63
    text += b"#" * (65536 - len(text))
    assert post(shared.client, "plan", text).status == 200
    answer = post(shared.client, "plan", text + b"#")
    assert (answer.status, answer.code) == (413, "body_too_large"), answer
    assert post(shared.client, "plan", b"").code == "missing_field"


def test_another_sites_page_cannot_send_one(shared):
    """text/plain is what a page may send without asking first."""
    text = f"[a]\nsize=1m\ndirectory={shared.scratch}\n".encode()
    answer = post(shared.client, "runs", text, Origin="http://evil.example")
    assert (answer.status, answer.code) == (403, "cross_origin"), answer


# ---- for fio ----


def fio(directory, *arguments):
    """Where it runs it leaves a file for each job with verify."""
    return subprocess.run(["fio", *map(str, arguments)], capture_output=True, text=True,
                          cwd=directory, timeout=3 * PATIENCE, check=False)


def run_by_fio(directory, text):
    """fio's own jobs of a job file, by name."""
    path = directory / "written.fio"
    path.write_text(text, encoding="utf-8")
    parsed = fio(directory, "--parse-only", path)
    assert parsed.returncode == 0, parsed.stderr
    done = fio(directory, "--output-format=json", path)
    assert done.returncode == 0, done.stderr + text
    document = json.loads(done.stdout[done.stdout.index("\n{") + 1:]
                          if not done.stdout.startswith("{") else done.stdout)
    assert not document.get("global options")
    return {job["jobname"]: job for job in document["jobs"]}


@pytest.mark.parametrize("case", **names(ACCEPTED))
def test_fio_takes_what_is_written(volbench, job_file, directory, scratch, case):
    path, environment = job_file(case)
    written = volbench("fio", path, *target_arguments(case, scratch),
                       environment=environment)
    assert written.returncode == 0, written.stderr
    # it reads back as it was
    again = volbench("plan", "-", "--json", "-", text=read_back(written.stdout))
    assert again.returncode == 0, again.stderr
    definition = json.loads(again.stdout)["definition"]
    assert groups(definition) == case.get("together", [[name] for name in case["jobs"]])
    jobs = run_by_fio(directory, written.stdout)
    assert list(jobs) == list(case["jobs"])
    for name, options in case["jobs"].items():
        told = jobs[name]["job options"]
        for option, value in options.items():
            assert told[option] == str(value), (name, option, told)
        assert told["direct"] == str(options.get("direct", 1)), told
    assert all(job["error"] == 0 for job in jobs.values())


def read_back(text):
    """What is written for fio's sake alone, and refused when it is read, left out."""
    ours = ("refill_buffers", "offset_increment", "filename_format")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(ours))


MEETING = """\
: > "$1/here.$$"
for i in $(seq 600); do
    set -- "$1" "$1"/here.*
    [ $# -gt 3 ] && exit 0
    sleep 0.1
done
echo "nobody else came"
exit 1
"""


def runtime(job):
    """Of the longest of those that are told as one."""
    return max(job[direction]["runtime"] for direction in ("read", "write"))


def test_fio_runs_together_what_runs_together(volbench, service, directory):
    """Its three processes are there at the same time, each begins when the others have come; and each
    job has its figures in both."""
    meeting = directory / "meeting"
    meeting.write_text(MEETING, encoding="ascii")
    text = f"""[global]
directory={service.scratch}
size=4m
runtime=2
time_based
[readers]
rw=randread
numjobs=2
[logger]
rw=write
bs=16k
"""
    path = directory / "together.fio"
    path.write_text(text, encoding="utf-8")
    written = volbench("fio", path).stdout
    jobs = run_by_fio(directory, written.replace(
        "\nioengine=", f"\nexec_prerun=/bin/sh {meeting} {directory}\nioengine="))
    for path in service.scratch.iterdir():
        path.unlink()  # fio leaves its files behind
    answer = post(service.client, "runs", text.encode())
    service.client.wait_state(answer.json["id"], "done")
    ours = service.client.get(f"/api/v1/runs/{answer.json['id']}/fio.json").json["jobs"]
    assert [job["jobname"].split("/")[0] for job in ours] == list(jobs) == ["readers", "logger"]
    for own, theirs, bs, count in zip(ours, jobs.values(), (4096, 16384), (2, 1)):
        for direction in ("read", "write"):
            assert bool(own[direction]["total_ios"]) == bool(theirs[direction]["total_ios"])
            assert own[direction]["io_bytes"] == bs * own[direction]["total_ios"]
        for option in ("rw", "bs", "size"):
            assert own["job options"][option] == theirs["job options"][option]
        # of all that ran together; fio's begins a little before their first operation
        assert own["job_runtime"] == pytest.approx(count * runtime(own), abs=count)
        assert theirs["job_runtime"] > (count - 1) * runtime(theirs)
    assert ours[0]["groupid"] == ours[1]["groupid"]


def test_fio_does_every_combination(volbench, directory, scratch):
    definition = {
        "name": "combinations",
        "target": {"directory": str(scratch)},
        "factors": {"bs": ["4k", "64k"], "iodepth": [1, 8]},
        "defaults": {"size": "2m", "runtime": "0.1"},
        "workloads": [{"name": "reads", "rw": "randread", "norandommap": 1},
                      {"name": "mix/half", "rw": "randrw", "numjobs": 2, "randseed": 7}],
        "repeats": 3,
    }
    written = volbench("fio", "-", text=json.dumps(definition))
    assert written.returncode == 0, written.stderr
    assert "Volbench measures each 3 times" in written.stdout
    # Run to its size: in a tenth of a second a machine that is busy may do nothing.
    timed = "\nruntime=100ms\ntime_based=1\n"
    assert written.stdout.count(timed) == 8
    jobs = run_by_fio(directory, written.stdout.replace(timed, "\n"))
    assert list(jobs) == [f"{w} bs={b} iodepth={d}" for w in ("reads", "mix_half")
                          for b in ("4k", "64k") for d in (1, 8)]
    for name, job in jobs.items():
        options = job["job options"]
        assert f"bs={options['bs']} iodepth={options['iodepth']}" in name
        assert options["direct"] == "1" and options["ioengine"] == "io_uring"
        reads = name.startswith("reads")
        assert (options.get("norandommap") == "1") == reads
        assert (options.get("randseed") == "7") == (not reads)
        assert (options.get("refill_buffers") == "1") == (not reads)
        assert job["read"]["total_ios"] > 0
        assert bool(job["write"]["total_ios"]) != reads
    # the jobs are one after another, each a group of its own, on the same two files
    assert len({job["groupid"] for job in jobs.values()}) == len(jobs)
    assert len(list(scratch.iterdir())) == 2


def test_disjoint_regions_are_disjoint_in_fio(volbench, directory, scratch):
    definition = {
        "name": "regions", "target": {"file": str(scratch / "file")},
        "workloads": [{"name": "w", "rw": "write", "bs": "4k", "size": "1m", "numjobs": 4,
                       "time_based": 0, "iodepth": 4}],
    }
    written = volbench("fio", "-", text=json.dumps(definition))
    assert written.returncode == 0, written.stderr
    job = run_by_fio(directory, written.stdout)["w"]
    assert job["write"]["io_bytes"] == 4 << 20
    data = (scratch / "file").read_bytes()
    assert len(data) == 4 << 20
    blocks = [data[i:i + 4096] for i in range(0, len(data), 4096)]
    assert len(set(blocks)) == len(blocks), "a block was left out, or data repeats"


def test_built_in_definitions_are_written_too(volbench, directory, scratch):
    for name in ("demo", "nine-workloads", "disk-vs-vsan", "atto"):
        written = volbench("fio", name, "--target", f"directory:{scratch}")
        assert written.returncode == 0, written.stderr
        path = directory / "built-in.fio"
        path.write_text(written.stdout, encoding="utf-8")
        assert fio(directory, "--parse-only", path).returncode == 0
        assert not list(scratch.iterdir())
    for name, option in (("diskspd", "interlocked=1"), ("bonnie", "rw=rewrite")):
        written = volbench("fio", name, "--target", f"directory:{scratch}")
        assert written.returncode == 2
        assert option in written.stderr and "unsupported_option" in written.stderr


def test_zvols_and_datasets_are_named_for_fio(volbench, directory):
    """fio makes none: the job file says how, and names them where they will be."""
    definition = {
        "name": "made", "parent": "tank/volbench",
        "targets": [{"name": "file", "dataset": {"properties": {"primarycache": "metadata"}}},
                    {"name": "zvol", "zvol": {"size": "1G", "sparse": True}}],
        "factors": {"compression": ["off", "lz4"]}, "repeats": 2,
        "workloads": [{"name": "r", "rw": "randread", "size": "256M", "numjobs": 2},
                      {"name": "w", "rw": "write", "size": "512M"}],
    }
    written = volbench("fio", "-", text=json.dumps(definition))
    assert written.returncode == 0, written.stderr
    lines = written.stdout.splitlines()
    made = [shlex.split(line[1:]) for line in lines if line.startswith(";   zfs create")]
    assert made == [
        ["zfs", "create", "-o", f"mountpoint=/mnt/fio-{n}", "-o", "primarycache=metadata",
         "-o", f"compression={c}", f"tank/volbench/fio-{n}"] for n, c in ((1, "off"), (2, "lz4"))
    ] + [
        ["zfs", "create", "-s", "-V", str(1 << 30), "-o", f"compression={c}",
         f"tank/volbench/fio-{n}"] for n, c in ((3, "off"), (4, "lz4"))
    ]
    places = [line for line in lines if line.startswith(("directory=", "filename="))]
    assert sorted(places) == 2 * ["directory=/mnt/fio-1"] + 2 * ["directory=/mnt/fio-2"] + \
        2 * ["filename=/dev/zvol/tank/volbench/fio-3"] + \
        2 * ["filename=/dev/zvol/tank/volbench/fio-4"]
    path = directory / "made.fio"
    path.write_text(written.stdout, encoding="utf-8")
    parsed = fio(directory, "--parse-only", path)
    assert parsed.returncode == 0, parsed.stderr
    for line in lines:  # the fills too
        if line.startswith(";   fio"):
            parsed = fio(directory, "--parse-only", *shlex.split(line[1:])[1:])
            assert parsed.returncode == 0, parsed.stderr


README = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
EXAMPLES = [
    text
    for text in re.findall(r"```json\n(.*?)```", README, re.S)
    if '"workloads"' in text and "volbench.table" not in text  # those: test_import_formats.py
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_definitions_in_the_readme(volbench, directory, text):
    """They are what it says, for us and for fio."""
    written = volbench("fio", "-", text=text)
    assert written.returncode == 0, written.stderr
    path = directory / "readme.fio"
    path.write_text(written.stdout, encoding="utf-8")
    assert fio(directory, "--parse-only", path).returncode == 0


def test_fio_has_its_own_options_only(volbench, scratch):
    done = volbench("fio", "demo", "--repeats", "3")
    assert done.returncode == 2 and "has no option --repeats" in done.stderr
    done = volbench("fio", "demo")
    assert done.returncode == 2 and "target" in done.stderr and not done.stdout
    done = volbench("fio", "demo", "--target", f"directory:{scratch}/a;b")
    assert done.returncode == 2 and "cannot stand in an fio job file" in done.stderr
