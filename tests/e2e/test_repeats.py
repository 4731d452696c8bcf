# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeats that end once enough is known, those that do not, and one that is killed; weights; whether
a sample was steady."""
import csv
import io
import json
import subprocess
import time

import pytest

import contract
from engine import PATIENCE, PROGRAM

# Many more than are needed where a machine is busy, or stands still for a moment.
EARLY = {"min": 5, "max": 100, "until_ci_percent": 50}
# Pauses of 10 ms between operations that cost nothing: each level does as much every time.
EVEN = {"size": "1m", "runtime": "150ms", "ioengine": "null", "thinktime": 10000}
QUICK = {"size": "1m", "runtime": "100ms", "ioengine": "null"}


def definition(service, repeats, options, **changes):
    return service.definition(
        defaults=options, repeats=repeats,
        workloads=[{"name": "r", "rw": "randread", "weight": 2.5}], **changes)


def measure(service, whole):
    run_id = service.client.submit(whole)
    early = isinstance(whole["repeats"], dict)
    run = service.client.wait(run_id, lambda r: r["progress"]["done"] > 0)
    if run["state"] == "running" and run["progress"]["phase"] == "measure":
        assert ("at_most" in run["progress"]) == early
    run = service.client.wait_state(run_id, "done", patience=3 * PATIENCE)
    result = service.client.get(f"/api/v1/runs/{run_id}/result").json
    return run, result


def check_blocks(result, factor="bs", levels=("4k", "16k")):
    """As many whole blocks as were made, each holding every level once."""
    made = result["repeats"]["made"]
    cells = sorted((s["repeat"], s["levels"][factor]) for s in result["samples"])
    assert cells == sorted((n + 1, level) for n in range(made) for level in levels)


def test_they_end_early(service):
    run, result = measure(service, definition(service, EARLY, EVEN))
    ended = run["repeats"]
    assert ended["ended"] == "precise" and 5 <= ended["made"] < 100 and ended["most"] == 100
    assert 0 < ended["ci_percent"] <= 50 and ended["until_ci_percent"] == 50
    assert run["progress"]["done"] == run["progress"]["total"] == 2 * ended["made"]
    assert run["progress"]["percent"] == 100
    assert result["repeats"] == ended and result["planned_samples"] == 200
    assert result["definition"]["repeats"] == EARLY
    assert result["definition"]["workloads"][0]["weight"] == 2.5
    check_blocks(result)
    service.client.wait_report(run["id"])
    page = service.client.get(f"/runs/{run['id']}/").body.decode()
    assert f"{ended['made']} of at most 100 repeats" in page
    assert "Incomplete" not in page

    # and after a start anew
    service.stop()
    service.start()
    again = service.client.run(run["id"])
    assert again["repeats"] == ended and again["progress"] == run["progress"]


def test_all_are_made_where_it_is_not_reached(service):
    """Sizes are drawn, a few of which make all the difference: of a dozen requests some are of 64
    KiB, and how many are so of one level more than of the other is chance's, of this seed."""
    levels = ["4k/50:64k/50", "4k/80:64k/20"]
    asked = {"min": 5, "max": 6, "until_ci_percent": 0.1}
    run, result = measure(service, definition(service, asked, EVEN, seed=1, factors={"bssplit": levels}))
    ended = run["repeats"]
    assert ended["ended"] == "most" and ended["made"] == ended["most"] == 6
    assert ended["ci_percent"] > 0.1
    assert run["progress"]["done"] == run["progress"]["total"] == 12
    check_blocks(result, "bssplit", levels)


def test_a_number_says_nothing_of_an_end(service):
    run, result = measure(service, definition(service, 2, QUICK))
    assert "repeats" not in run and "repeats" not in result
    assert result["definition"]["repeats"] == 2


def test_the_plan_is_a_range(service):
    whole = definition(service, EARLY, EVEN)
    plan = service.client.post("/api/v1/plan", whole).json
    least = plan["estimate"]["least"]
    assert plan["sample_count"] == 200 and least["sample_count"] == 10
    assert 10 * 0.15 < least["seconds"] < plan["estimate"]["seconds"]
    whole["repeats"] = 100
    assert "least" not in service.client.post("/api/v1/plan", whole).json["estimate"]


@pytest.mark.parametrize("changes, code, pointer", [
    ({"order": "grouped"}, "conflicting_options", "/order"),
    ({"repeats": {**EARLY, "min": 4}}, "out_of_range", "/repeats/min"),
    ({"repeats": {**EARLY, "max": 5}}, "out_of_range", "/repeats/max"),
    ({"repeats": {"max": 12}}, "missing_field", "/repeats/until_ci_percent"),
    ({"workloads": [{"name": "r", "weight": 0}]}, "out_of_range", "/workloads/0/weight"),
])
def test_refused_by_name(shared, changes, code, pointer):
    whole = {**definition(shared, EARLY, EVEN), **changes}
    answer = shared.client.post("/api/v1/runs", whole)
    assert answer.status in (400, 422)
    assert (answer.json["code"], answer.json["field"]) == (code, pointer)


def test_a_job_file_may_ask_for_it(service):
    text = b"[r]\nrw=randread\nsize=1m\nruntime=150ms\ntime_based=1\nioengine=null\nthinktime=10ms\n"
    query = f"?target=directory:{service.scratch}&repeats=5-100:50%25"
    answer = service.client.post(
        f"/api/v1/runs{query}", raw=text, headers={"Content-Type": "text/plain"})
    assert answer.status == 202, answer
    run = service.client.wait_state(answer.json["id"], "done", patience=3 * PATIENCE)
    assert run["repeats"]["ended"] == "precise"
    assert run["progress"]["total"] == run["repeats"]["made"] < 100


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


@pytest.mark.parametrize("whom", ["service", "engine"])
def test_killed_between_blocks(service, whom):
    """Two whole blocks are there, or more; nothing says that repeats had ended."""
    run_id = service.client.submit(
        definition(service, {**EARLY, "min": 30}, {**EVEN, "runtime": 1}))
    service.client.wait(run_id, lambda r: r["progress"]["done"] >= 4, 3 * PATIENCE)
    if whom == "service":
        service.kill()
        wait_for(lambda: not service.engines(), "the engine goes on measuring")
        service.start()
    else:
        for process in service.engines():
            subprocess.run(["kill", "-9", str(process)], check=True)
    run = service.client.wait_state(run_id, "interrupted")
    result = service.client.get(f"/api/v1/runs/{run_id}/result").json
    assert "repeats" not in run and "repeats" not in result
    assert run["progress"]["total"] == result["planned_samples"] == 200
    done = len(result["samples"])
    assert [s["repeat"] for s in result["samples"]] == [i // 2 + 1 for i in range(done)]
    assert 4 <= done == run["progress"]["done"] < 60
    service.client.wait_report(run_id)
    page = service.client.get(f"/runs/{run_id}/").body.decode()
    assert f"{done} of 200 samples" in page
    # the next one begins from nothing
    measure(service, definition(service, 2, QUICK))


def test_in_a_terminal(directory):
    scratch = directory / "scratch"
    scratch.mkdir()
    whole = {"name": "n", "target": {"file": str(scratch / "f")}, "factors": {"bs": ["4k", "16k"]},
             "defaults": EVEN, "workloads": [{"name": "r", "rw": "randread"}], "repeats": 3}
    common = ["--state", directory / "state", "--allow", scratch, "--repeats"]

    def volbench(command, *more):
        return subprocess.run(
            [PROGRAM, command, "-", *map(str, [*common, *more])], input=json.dumps(whole),
            capture_output=True, text=True, timeout=3 * PATIENCE, check=False)

    done = volbench("run", "5-100:50%", "--json", directory / "result.json")
    assert done.returncode == 0, done.stderr
    result = json.loads((directory / "result.json").read_text())
    contract.check_value("Result", result)
    made = result["repeats"]["made"]
    assert result["definition"]["repeats"] == EARLY
    said = f"{made} of at most 100 repeats: known to ±"
    assert said in done.stderr and said in " ".join(done.stdout.split())
    assert f"{2 * made} of {2 * made} samples" in done.stdout
    assert "at most 200 samples" in done.stderr

    plan = volbench("plan", "5-100:50%").stdout
    assert "10 to 200: 1 workload x 2 of bs x 5 to 100 repeats" in " ".join(plan.split())
    refused = volbench("plan", "5-100:50")
    assert refused.returncode == 2 and "5-30:2%" in refused.stderr


def whole_seconds(series):
    """The first one that lies behind the ramp, and the end. Where the machine stood still for a moment
    there are more of them than were asked for."""
    end = len(series["read_ios"]) - (series["last_span_s"] < 1)
    return series["ramp_seconds_count"], end


@pytest.mark.patient
def test_whether_a_sample_was_steady(service):
    options = {**EVEN, "runtime": "10.2", "ramp_time": "300ms"}
    del options["ioengine"]
    whole = definition(service, 1, options, factors=None)
    _, result = measure(service, whole)
    (sample,) = result["samples"]
    # what is left of the first second is of the ramp, and the last one is not whole
    first, end = whole_seconds(sample["series"])
    assert first == 1 and end >= 10
    assert ("steady_window" in sample) == (end > 10)

    whole["defaults"]["ramp_time"] = 1
    whole["defaults"]["runtime"] = "10.5"
    run, result = measure(service, whole)
    run_id, (sample,) = run["id"], result["samples"]
    window = sample["steady_window"]
    first, end = whole_seconds(sample["series"])
    assert first == 1 and end >= 11
    each = (end - first) // 5
    assert (window["first_second"], window["seconds"]) == (end - 5 * each, 5 * each)
    ios = sample["series"]["read_ios"][end - 5 * each:end]
    assert window["iops_mean"] == pytest.approx(sum(ios) / len(ios))
    rounds = [sum(ios[i:i + each]) / each for i in range(0, len(ios), each)]
    excursion = 100 * (max(rounds) - min(rounds)) / (sum(rounds) / 5)
    assert window["excursion_percent"] == pytest.approx(excursion)
    codes = [finding["code"] for finding in sample["findings"]]
    assert window["steady"] == ("not_steady" not in codes)
    text = service.client.get(f"/api/v1/runs/{run_id}/result.csv").body.decode()
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["steady"] == str(int(window["steady"]))
    assert float(row["slope_percent"]) == pytest.approx(window["slope_percent"])
