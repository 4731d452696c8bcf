# SPDX-License-Identifier: GPL-3.0-or-later
"""`volbench run` and `volbench plan` in a terminal and in a pipe."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import pytest

import contract
from engine import PATIENCE, PROGRAM, SLOW

COMPARISON = {
    "name": "request sizes",
    "description": "A small comparison.",
    "factors": {"bs": ["4k", "64k"]},
    "defaults": {"size": "4M", "runtime": "0.2"},
    "workloads": [{"name": "read", "rw": "randread", "iodepth": 4},
                  {"name": "mix", "rw": "randrw", "rwmixread": 70}],
    "repeats": 2,
    "seed": 7,
}


@pytest.fixture
def scratch(directory):
    path = directory / "scratch"
    path.mkdir()
    return path


@pytest.fixture
def volbench(directory, scratch):
    """volbench("run", ...) with a state directory and the scratch directory allowed."""

    def call(command, *arguments, text=None, **options):
        options.setdefault("timeout", 3 * PATIENCE)
        return subprocess.run(
            [PROGRAM, command, *map(str, arguments), "--state", directory / "state",
             "--allow", scratch], input=text, capture_output=True, text=True, **options)

    return call


def write(directory, whole):
    path = directory / "definition.json"
    path.write_text(json.dumps(whole))
    return path


def with_target(scratch, **members):
    return {**COMPARISON, "target": {"file": str(scratch / "target")}, **members}


def widths(text):
    return [len(line) for line in text.splitlines()]


# ---- run ----

def test_table_and_documents(volbench, directory, scratch):
    out = directory / "result.json"
    done = volbench("run", write(directory, with_target(scratch)), "--json", out)
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text())
    contract.check_value("Result", result)
    assert result["state"] == "done"
    assert len(result["samples"]) == result["planned_samples"] == 8
    assert max(widths(done.stdout)) <= 80
    # Sentences may have the words as well.
    table = re.split(r"\n(?:What this shows|Findings)\n", done.stdout)[0]
    rows = [line.split() for line in table.splitlines() if " read " in line + " "
            or " write " in line + " "]
    assert len(rows) == 2 + 2 * 2  # read: two levels; mix: two levels, both directions
    assert "±" in done.stdout
    assert str(out) in done.stdout
    # One plain line a sample, no control characters, where standard error is no terminal.
    assert len(re.findall(r"^\d/8 ", done.stderr, re.M)) == 8
    assert "\r" not in done.stderr and "\x1b" not in done.stderr
    assert list(scratch.iterdir()) == []


def test_figures_of_the_table_are_those_of_the_samples(volbench, directory, scratch):
    out = directory / "result.json"
    whole = with_target(scratch, repeats=1, factors={"bs": ["4k"]}, workloads=[
        {"name": "only", "rw": "randread"}])
    done = volbench("run", write(directory, whole), "--json", out, "--quiet")
    assert done.returncode == 0 and done.stderr == ""
    iops = json.loads(out.read_text())["samples"][0]["read"]["iops"]
    shown = re.search(r"only +4k +read +([\d.]+)([kM]?)", done.stdout)
    value = float(shown.group(1)) * {"": 1, "k": 1e3, "M": 1e6}[shown.group(2)]
    assert value == pytest.approx(iops, rel=0.006)
    assert "±" not in done.stdout.split("\n\n")[1]


def test_json_on_standard_output_alone(volbench, directory, scratch):
    done = volbench("run", write(directory, with_target(scratch, repeats=1)), "--json", "-")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["samples"]) == 4
    assert "workload" in done.stderr


def test_report(volbench, directory, scratch):
    html = directory / "report" / "of-this"
    done = volbench("run", write(directory, with_target(scratch)), "--html", html)
    assert done.returncode == 0, done.stderr
    assert "request sizes" in (html / "index.html").read_text()
    assert f"{html}/index.html" in done.stdout


def test_command_line_overrides(volbench, directory, scratch):
    out = directory / "result.json"
    done = volbench("run", write(directory, COMPARISON), "--target", f"directory:{scratch}",
                    "--override", "size=1M", "--override", "numjobs=2", "--repeats", 1,
                    "--json", out)
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text())
    assert result["targets"][0]["kind"] == "directory"
    assert len(result["samples"]) == 4
    for sample in result["samples"]:
        assert sample["options"]["size"] == "1m" and int(sample["options"]["numjobs"]) == 2
    assert list(scratch.iterdir()) == []


def test_definition_from_standard_input(volbench, scratch):
    done = volbench("run", "-", text=json.dumps(with_target(scratch, repeats=1)))
    assert done.returncode == 0, done.stderr


def test_built_in_and_saved_names(volbench, directory, scratch):
    done = volbench("plan", "demo", "--target", f"directory:{scratch}", "--override", "size=1M")
    assert done.returncode == 0, done.stderr
    saved = directory / "state" / "definitions"
    saved.mkdir(parents=True)
    (saved / "mine.json").write_text(json.dumps(with_target(scratch)))
    done = volbench("plan", "mine")
    assert done.returncode == 0, done.stderr
    assert "request sizes" in done.stdout


@pytest.mark.parametrize("name, text, message", [
    ("missing", None, "missing"),
    ("./missing.json", None, "No such file"),
    ("-", "{", "json_invalid"),
    ("-", "[]", "line 1: a section begins with its name in brackets"),  # an fio job file
    ("-", "7", "wrong_type"),
    ("-", json.dumps({**COMPARISON, "target": {"file": "/x"}, "colour": 1}), "/colour"),
    ("-", json.dumps({**COMPARISON, "target": {"file": "/x"}, "repeats": 0}), "/repeats"),
])
def test_bad_definitions(volbench, name, text, message):
    for command in ("run", "plan"):
        done = volbench(command, name, text=text)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("arguments, message", [
    (["--override", "bs"], "OPTION=VALUE"),
    (["--override", "colour=1"], "colour"),
    (["--override", "bs=fast"], "/override/bs"),
    (["--target", "disk:x"], "file:PATH"),
    (["--repeats", "0"], "1 to 100"),
    (["--json", "/nowhere/at/all.json"], "/nowhere/at"),
    (["--bogus"], "--bogus"),
])
def test_bad_arguments(volbench, directory, scratch, arguments, message):
    done = volbench("run", write(directory, with_target(scratch)), *arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert list(scratch.iterdir()) == []


def test_allow_is_wanted(directory):
    done = subprocess.run([PROGRAM, "run", "demo"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "--allow PATH" in done.stderr


def test_refused_target(volbench, directory, scratch):
    (scratch / "target").write_bytes(b"precious")
    out = directory / "result.json"
    done = volbench("run", write(directory, with_target(scratch)), "--json", out)
    assert done.returncode == 1
    assert "file_exists" in done.stderr and "/target" in done.stderr
    assert (scratch / "target").read_bytes() == b"precious"


# ---- the end of one that is not let finish ----

@pytest.fixture
def start(directory, scratch):
    """start(...) begins a run of over a minute; it does not outlive the test."""
    made = []

    def call(*arguments, **options):
        made.append(subprocess.Popen(
            [PROGRAM, "run", write(directory, with_target(scratch, repeats=100)), "--state",
             directory / "state", "--allow", scratch, *map(str, arguments)], **options))
        return made[-1]

    yield call
    for process in made:
        process.kill()
        process.wait()


def wait_for_line(stream, pattern):
    for line in stream:
        if re.search(pattern, line):
            return
    raise AssertionError(f"nothing like {pattern}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal(start, directory, scratch, number):
    out = directory / "result.json"
    process = start("--json", out, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_line(process.stderr, r"^2/")
    began = time.monotonic()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    # what is left of it takes over a minute; after 5 s its engine would be hung up on
    assert SLOW or time.monotonic() - began < 4.5
    assert process.returncode == 130
    assert "cancelled" in stderr
    result = json.loads(out.read_text())
    contract.check_value("Result", result)
    assert result["state"] == "cancelled"
    assert 2 <= len(result["samples"]) < result["planned_samples"]
    assert "workload" in stdout
    assert list(scratch.iterdir()) == []


def test_killed_leaves_no_engine(start, scratch):
    process = start(stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    text=True)
    wait_for_line(process.stderr, r"^1/")
    process.kill()
    process.wait()
    process.stderr.close()
    deadline = time.monotonic() + PATIENCE
    while list(scratch.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)  # nothing tells of an orphan's end but what it removes
    assert list(scratch.iterdir()) == []


def test_dead_engine_is_told(start, scratch):
    process = start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_line(process.stderr, r"^1/")
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 1
    os.kill(int(children[0]), signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "engine_failed" in stderr
    assert "workload" in stdout  # the samples that were finished
    assert list(scratch.iterdir()) == []


# ---- on a terminal ----

def test_bar_on_a_terminal(start):
    master, slave = pty.openpty()
    process = start("--repeats", "1", stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        if not select.select([master], [], [], PATIENCE)[0]:
            raise TimeoutError("no progress")
        try:
            data = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    process.communicate(timeout=PATIENCE)
    os.close(master)
    assert process.returncode == 0
    text = shown.decode()
    frames = [frame for frame in re.split(r"\r|\n", text) if "%" in frame]
    assert len(frames) > 4
    for frame in frames:
        plain = re.sub(r"\x1b\[K", "", frame)
        assert len(plain) < 80
        assert re.match(r"\[[#.]+\] +\d+ %  ", plain), plain
    assert any("left  4/4" in frame for frame in frames)
    assert text.endswith("\r\x1b[K")  # wiped


# ---- plan ----

def test_plan_in_words(volbench, directory, scratch):
    done = volbench("plan", write(directory, with_target(scratch)))
    assert done.returncode == 0, done.stderr
    assert max(widths(done.stdout)) <= 80
    for text in ("request sizes", "8: 2 workloads x 2 of bs x 2 repeats", "seed 7", "Backend",
                 "a file of 4 MiB is made, and removed at the end", "rw=randrw rwmixread=70",
                 "bs: 4k, 64k"):
        assert text in done.stdout, text
    assert list(scratch.iterdir()) == []


def test_plan_document(volbench, directory, scratch):
    path = write(directory, with_target(scratch))
    done = volbench("plan", path, "--json", "-")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    contract.check_value("Plan", plan)
    out = directory / "plan.json"
    done = volbench("plan", path, "--json", out)
    assert json.loads(out.read_text())["samples"] == plan["samples"]
    assert "Samples" in done.stdout


def test_plan_refuses(volbench, directory, scratch):
    done = volbench("plan", write(directory, with_target(scratch, target={"file": "/etc/passwd"})))
    assert done.returncode == 1
    assert "target_not_allowed" in done.stderr and "/target" in done.stderr


# ---- help ----

@pytest.mark.parametrize("arguments", [
    ["--help"], ["run", "--help"], ["plan", "--help"], ["serve", "--help"], ["engine", "--help"],
    ["help", "options"]])
def test_help(arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert max(widths(done.stdout)) <= 80


def test_version():
    done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True)
    assert re.fullmatch(r"volbench \d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize("arguments", [[], ["dance"], ["serve", "--json", "x"]])
def test_usage(arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("volbench: ")
