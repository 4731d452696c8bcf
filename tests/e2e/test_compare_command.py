# SPDX-License-Identifier: GPL-3.0-or-later
"""`volbench compare` and `volbench report`: results that were stored, read again."""
import copy
import json
import subprocess

import pytest

import contract
from engine import PATIENCE, PROGRAM

DEFINITION = {
    "name": "depths",
    "factors": {"iodepth": [1, 4]},
    "defaults": {"size": "1m", "runtime": "100ms"},
    "workloads": [{"name": "reads", "rw": "randread"}],
    "repeats": 3,
    "seed": 7,
}


def volbench(*arguments, text=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=3 * PATIENCE, check=False)


@pytest.fixture(scope="module")
def measured(work_directory):
    """The result of a run in a terminal."""
    scratch = work_directory / "compared"
    scratch.mkdir()
    definition = scratch / "definition.json"
    definition.write_text(json.dumps({**DEFINITION, "target": {"directory": str(scratch)}}))
    out = scratch / "result.json"
    done = volbench("run", definition, "--state", scratch / "state", "--allow", scratch, "--quiet",
                    "--json", out)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


@pytest.fixture
def make(measured, directory):
    """make(name, share): the result as if 1,000 x share operations a second had been done."""

    def call(name, share, **changes):
        result = copy.deepcopy(measured)
        for sample in result["samples"]:
            noise = (0.99, 1.0, 1.01)[sample["repeat"] - 1]
            sample["seconds"] = sample["read"]["ios"] / (1000 * share * noise)
        result.update(changes)
        path = directory / f"{name}.json"
        path.write_text(json.dumps(result))
        return path

    return call


def test_pass_and_fail(make, directory):
    before, after, same = make("before", 1), make("after", 0.9), make("same", 0.99)
    done = volbench("compare", before, after)
    assert done.returncode == 0, done.stderr
    assert "WORSE" in done.stdout and "Limits" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    done = volbench("compare", before, after, "--fail-if", "iops_percent=-5,unmatched=0")
    assert done.returncode == 1 and "FAIL  iops_percent -5: of 2 figures 2 fail" in done.stdout
    assert "its whole interval lies beyond" in done.stdout and done.stderr == ""
    # beyond the limit, but not shown to be: a pipeline goes on, and is told
    done = volbench("compare", before, same, "--fail-if", "iops_percent=-0.5")
    assert done.returncode == 0 and "of 2 figures 0 fail, 2 open" in done.stdout
    assert volbench("compare", before, same, "--fail-if", "iops_percent=-5").returncode == 0
    # a limit that holds nothing is no pass
    assert volbench("compare", before, same, "--fail-if", "files_percent=-5").returncode == 1
    limits = directory / "limits.json"
    limits.write_text('{"iops_percent": -5}')
    assert volbench("compare", before, after, "--limits", limits).returncode == 1
    assert volbench("compare", before, same, "--limits", limits).returncode == 0


def test_a_large_file_of_limits(make, directory):
    before, limits = make("before", 1), directory / "limits.json"
    limits.write_text('{"iops_percent": -5}'.ljust(64 << 10))
    assert volbench("compare", before, before, "--limits", limits).returncode == 0
    limits.write_text('{"iops_percent": -5}'.ljust((64 << 10) + 1))
    done = volbench("compare", before, before, "--limits", limits)
    assert done.returncode == 2 and "larger than 65536 bytes" in done.stderr


def test_single_samples(make):
    before, after = make("before", 1), make("after", 0.9)
    for path in (before, after):
        value = json.loads(path.read_text())
        value["samples"] = [s for s in value["samples"] if s["repeat"] == 2]
        path.write_text(json.dumps(value))
    done = volbench("compare", before, after, "--fail-if", "iops_percent=-5")
    assert done.returncode == 1 and "held against the ratio itself" in done.stdout
    assert "no verdict" in done.stdout and "WORSE" not in done.stdout
    assert volbench("compare", before, after, "--fail-if", "iops_percent=-11").returncode == 0


def test_as_json(make, directory):
    before, after = make("before", 1), make("after", 3.3, backend="threads")
    done = volbench("compare", before, after, before, "--json", "-", "--fail-if", "unmatched=0")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    contract.check_value("Comparison", value)
    assert value["outcome"] == "pass" and len(value["runs"]) == 3
    assert value["differences"][0]["name"] == "backend" and value["differences"][0]["unfair"]
    assert "3.3 times" in done.stderr, "the table goes where the document does not"
    assert [round(p["figures"][0]["ratio"], 2) for p in value["pairs"]] == [3.3, 3.3, 1, 1]
    out = directory / "comparison.json"
    assert volbench("compare", before, after, "--json", out).returncode == 0
    contract.check_value("Comparison", json.loads(out.read_text()))


def test_runs_of_a_service(service):
    runs = []
    for _ in range(2):
        runs.append(service.client.submit(service.definition()))
        service.client.wait_state(runs[-1], "done")
    done = volbench("compare", *runs, "--state", service.state)
    assert done.returncode == 0 and "no verdict" in done.stdout, done.stderr
    done = volbench("report", runs[0], "--state", service.state, "--json", "-")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    contract.check_value("Analysis", value)
    assert value["run"] == runs[0] and "random read" in done.stderr
    assert value == service.client.get(f"/api/v1/runs/{runs[0]}/analysis").json


def test_report_again(make, directory):
    before = make("before", 1)
    html = directory / "html"
    done = volbench("report", before, "--html", html)
    assert done.returncode == 0, done.stderr
    assert "reads" in done.stdout and f"Report: {html}/index.html" in done.stdout
    assert (html / "index.html").exists() and (html / "result.csv").exists()
    # a report's directory is a result too, and so is standard input
    again = volbench("report", html)
    assert again.returncode == 0 and again.stdout in done.stdout
    piped = volbench("report", "-", text=before.read_text())
    assert piped.stdout == again.stdout
    assert volbench("compare", html, "-", text=before.read_text()).returncode == 0


def test_bad_usage(make, directory):
    before = make("before", 1)
    other = directory / "other.json"
    other.write_text("{}")
    limits = directory / "limits.json"
    limits.write_text('{"iops_percent": 5, "x": 1}')
    missing = "20200101-000000-aaaaaa"
    for words, message in [
        ((before,), "wants BASELINE OTHER"),
        ((before, directory / "nothing.json"), "No such file"),
        ((before, missing, "--state", directory), f"no result of a run {missing}"),
        ((before, other), "other.json: /schema"),
        ((before, before, "--fail-if", "iops=-5"), "there is no limit"),
        ((before, before, "--fail-if", "iops_percent"), "NAME=NUMBER"),
        ((before, before, "--limits", limits), "limits.json: /iops_percent"),
        ((before, before, "--limits", other, "--limits", other), "given twice"),
        ((before, before, "--limits", directory), "Is a directory"),
        ((before, before, "--limits", other), "there is no limit in it"),
        ((before, before, "--json", directory), "is a directory"),
    ]:
        done = volbench("compare", *words)
        assert done.returncode == 2, (words, done)
        assert message in done.stderr and not done.stdout, (words, done.stderr)
    done = volbench("report", other)
    assert done.returncode == 2 and "/schema" in done.stderr
    assert "volbench import FILE --json RESULT" in done.stderr
    assert volbench("report", directory / "nothing.json").returncode == 2
