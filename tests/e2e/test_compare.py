# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs beside each other: as JSON, as a page, and what is refused."""
import json
import os

import pytest

NOBODY = "20200101-000000-aaaaaa"


def measure(service, **changes):
    run_id = service.client.submit(service.definition(**changes))
    service.client.wait_state(run_id, "done")
    return run_id


def compare(client, *runs, more=""):
    answer = client.get(f"/api/v1/comparisons?runs={','.join(runs)}{more}")
    assert answer.status == 200, answer
    return answer.json


def pretend(service, run, iops):
    """Makes a stored result one of so many operations a second, a percent more or less: how noisy a
    machine is decides about no verdict."""
    path = service.state / "runs" / run / "result.json"
    result = json.loads(path.read_text())
    for sample in result["samples"]:
        noise = (0.99, 1.0, 1.01)[sample["repeat"] - 1]
        sample["seconds"] = sample["read"]["ios"] / (iops * noise)
    made = path.with_name("pretended")
    made.write_text(json.dumps(result))
    os.replace(made, path)


def test_before_and_after(service):
    """The second run's rate is a tenth of what the first does: every cell is worse."""
    client = service.client
    before = measure(service, repeats=3)
    after = measure(service, repeats=3, override={"rate_iops": 100})
    pretend(service, before, 1000)
    pretend(service, after, 100)
    found = compare(client, before, after, more="&fail_if=iops_percent=-5,unmatched=0")
    assert [run["id"] for run in found["runs"]] == [before, after]
    assert found["summary"]["pairs"] == 2 and found["unmatched"] == []
    rate = found["differences"][0]
    assert (rate["name"], rate["kind"], rate["unfair"]) == ("rate_iops", "setting", True)
    assert rate["values"] == ["0", "100"]
    for pair in found["pairs"]:
        judged = pair["figures"][0]
        assert judged["judged"] and judged["figure"] == "iops"
        assert judged["baseline"]["samples"] == judged["other"]["samples"] == 3
        assert judged["low"] < judged["ratio"] < judged["high"] < 0.11
        assert judged["verdict"] == "worse" and judged["p_holm"] >= judged["p"]
        assert {f["figure"] for f in pair["figures"]} >= {"iops", "bandwidth", "latency"}
    assert found["outcome"] == "fail"
    limits = {limit["name"]: limit for limit in found["limits"]}
    assert limits["iops_percent"]["failed"] == limits["iops_percent"]["held"] == 2
    assert limits["unmatched"]["outcome"] == "pass"
    assert {b["held_against"] for b in found["breaches"]} == {"interval"}
    # the other way round nothing fails
    back = compare(client, after, before, more="&fail_if=iops_percent=-5")
    assert back["outcome"] == "pass" and back["summary"]["better"] == 2
    page = client.get(f"/compare?runs={before},{after}&fail_if=iops_percent=-5")
    text = page.body.decode()
    assert page.status == 200
    for words in ("Comparison of runs", "rate_<wbr/>iops", "Unfair.", "worse", "The limits are not kept",
                  f'href="/runs/{before}/"'):
        assert words in text, words


def test_chosen_in_the_list_of_runs(service):
    client = service.client
    first = measure(service)
    assert "/compare" not in client.get("/").body.decode(), "one run alone has no partner"
    second = measure(service)
    text = client.get("/").body.decode()
    assert 'action="/compare"' in text and f'name="other" value="{second}"' in text
    page = client.get(f"/compare?baseline={first}&other={second}")
    assert page.status == 200 and "2 have no repeats to judge by" in page.body.decode()
    found = compare(client, first, second)
    assert found["summary"]["unjudged"] == found["summary"]["pairs"] == 2
    assert "outcome" not in found
    for pair in found["pairs"]:
        assert "low" not in pair["figures"][0] and pair["figures"][0]["verdict"] == "none"


def test_what_has_no_partner(service):
    client = service.client
    first = measure(service)
    second = measure(service, factors={"bs": ["16k", "64k"]})
    found = compare(client, first, second, more="&fail_if=unmatched=0,files_percent=0")
    assert [pair["levels"] for pair in found["pairs"]] == [{"bs": "16k"}]
    assert [(u["missing_in"], u["levels"]) for u in found["unmatched"]] == [
        ("other", "bs=4k"), ("baseline", "bs=64k")
    ]
    assert [limit["outcome"] for limit in found["limits"]] == ["fail", "fail"]
    page = client.get(f"/compare?runs={first},{second}").body.decode()
    assert "Without a partner" in page


def table(client, name, figures, **more):
    """Imports a table of reads at two sizes; its id."""
    answer = client.request(
        "POST", f"/api/v1/imports?name={name}",
        {
            "schema": "volbench.table/1",
            "name": name,
            "workloads": [{"name": "dd", "fio": "--rw=read"}],
            "rows": [{"levels": {"bs": size}, "cells": {"dd": {"read": {"bandwidth": figure}}}}
                     for size, figure in figures.items()],
            **more,
        },
    )
    assert answer.status == 201, answer
    return answer.json["id"]


def test_imported_results(shared):
    """What others measured before and after: times, and no verdict of single figures."""
    client = shared.client
    before = table(client, "before", {"64k": "45 MB/s", "1M": "60 MB/s"}, memory="64G")
    after = table(client, "after", {"64k": "1.2 GB/s", "1M": "61 MB/s"}, memory="220G")
    assert f'name="baseline" value="{before}"' in client.get("/").body.decode()
    found = compare(client, before, after, more="&fail_if=bandwidth_percent=-5")
    assert [run["imported"] for run in found["runs"]] == [True, True]
    assert found["summary"]["unjudged"] == 2 and found["outcome"] == "pass"
    large = found["pairs"][0]["figures"][0]
    assert (large["figure"], large["verdict"]) == ("bandwidth", "none")
    assert 26 < large["ratio"] < 27.3 and "low" not in large
    assert large["baseline"]["told_low"] == 44.5e6
    memory = [d for d in found["differences"] if d["name"] == "memory"]
    assert memory[0]["values"] == ["64.0 GiB", "220.0 GiB"]
    assert not any(d["name"] == "kernel" for d in found["differences"]), "neither tells"
    page = client.get(f"/compare?runs={before},{after}").body.decode()
    assert "27 times" in page and "one sample: no verdict" in page
    # what rounding leaves open fails nothing: 61 may be 60.5, and 60 may be 60.5
    limit = compare(client, after, before, more="&fail_if=bandwidth_percent=-1")["limits"][0]
    assert (limit["failed"], limit["open"]) == (1, 1)
    analysis = client.get(f"/api/v1/runs/{before}/analysis")
    assert analysis.status == 200
    assert analysis.json["comparisons"][0]["unit"] == "bytes/s"


@pytest.mark.parametrize(
    "query, status, code",
    [
        ("", 400, "bad_parameter"),
        (f"?runs={NOBODY}", 400, "bad_parameter"),
        ("?runs=x,y", 400, "bad_id"),
        (f"?runs={NOBODY},", 400, "bad_id"),
        (f"?runs={NOBODY},{NOBODY}", 400, "bad_parameter"),
        (f"?runs={NOBODY},20200101-000000-bbbbbb", 404, "not_found"),
        (f"?runs={NOBODY},20200101-000000-bbbbbb&fail_if=iops=3", 400, "bad_parameter"),
        (f"?runs={NOBODY},20200101-000000-bbbbbb&fail_if=", 400, "bad_parameter"),
        (f"?runs={NOBODY},20200101-000000-bbbbbb&limit=3", 400, "bad_parameter"),
        ("?runs=" + ",".join(f"20200101-000000-{i:06d}" for i in range(8)), 404, "not_found"),
        ("?runs=" + ",".join(f"20200101-000000-{i:06d}" for i in range(9)), 400, "bad_parameter"),
    ],
)
def test_refusals(shared, query, status, code):
    for path in ("/api/v1/comparisons", "/compare"):
        answer = shared.client.get(path + query)
        assert (answer.status, answer.code) == (status, code)


def test_a_browser_without_runs_may_choose(service):
    """Where nothing is named there is a list to choose from; what is named wrongly is told."""
    wants = {"Accept": "text/html"}
    page = service.client.get("/compare", headers=wants)
    assert page.status == 200 and "takes two runs that have ended" in page.body.decode()
    first, second = (measure(service, factors=None) for _ in range(2))
    page = service.client.get("/compare", headers=wants)
    assert page.status == 200
    for name, run in (("baseline", first), ("other", second)):
        assert f'name="{name}" value="{run}"' in page.body.decode()
    refused = service.client.get("/compare?fail_if=unmatched=0", headers=wants)
    assert refused.status == 400 and "Two runs or more" in refused.body.decode()


def pad(path, size):
    """Makes a stored result as large by blanks before its samples."""
    head, samples = path.read_bytes().split(b',"samples":[')
    head = head.rstrip()
    rest = b',"samples":[' + samples
    path.write_bytes(head + b" " * (size - len(head) - len(rest)) + rest)


def test_results_too_large_together(service):
    """64 MiB are read at a time, and not a byte more."""
    client = service.client
    runs = [measure(service, factors=None) for _ in range(2)]
    paths = [service.state / "runs" / run / "result.json" for run in runs]
    pad(paths[0], 40 << 20)
    pad(paths[1], 24 << 20)
    assert compare(client, *runs)["summary"]["pairs"] == 1
    pad(paths[1], (24 << 20) + 1)
    refused = client.get(f"/api/v1/comparisons?runs={','.join(runs)}")
    assert (refused.status, refused.code) == (413, "body_too_large")


def test_a_run_that_has_not_begun(service):
    client = service.client
    done = measure(service)
    first = client.submit(service.long_definition())
    queued = client.submit(service.definition())
    for path in ("/api/v1/comparisons", "/compare"):
        refused = client.get(f"{path}?runs={done},{queued}")
        assert (refused.status, refused.code) == (409, "not_finished")
    client.wait_state(first, "running")
    assert compare(client, done, first)["pairs"] == [], "nothing is finished yet"
    client.post(f"/api/v1/runs/{first}/cancel")
    client.wait_state(queued, "done")
