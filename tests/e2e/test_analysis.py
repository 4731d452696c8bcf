# SPDX-License-Identifier: GPL-3.0-or-later
"""What the samples of a run mean, as JSON; the contract holds every answer against openapi.yaml."""

import re

import contract


def test_codes_of_statements():
    """Those that the program has, by the list they are kept in, are those that are promised."""
    text = (contract.ROOT / "engine/analysis/statements.h").read_text(encoding="utf-8")
    rows = re.findall(r"^ \*   ([a-z_]+(?:, [a-z_]+)*) +\S", text, re.M)
    kept = [code for row in rows for code in row.split(", ")]
    schema = contract.DOCUMENT["components"]["schemas"]["Analysis"]["properties"]["statements"]
    assert sorted(kept) == sorted(schema["items"]["properties"]["code"]["enum"])
    used = set()
    for path in (contract.ROOT / "engine/analysis").glob("statements*.c"):
        for call in re.findall(r"statement_end\(statements,([^;]*)\);", path.read_text(encoding="utf-8")):
            used |= set(re.findall(r'"([a-z_]+)"', call))
    assert used == set(kept)


def names(analysis):
    return [comparison["title"] for comparison in analysis["comparisons"]]


def test_levels_are_compared(service):
    client = service.client
    run_id = client.submit(
        service.definition(
            repeats=3,
            factors={"bs": ["16k", "4k"], "iodepth": [1, 4]},
            defaults={"size": "1m", "runtime": "100ms"},
            workloads=[{"name": "reads", "rw": "randread"}, {"name": "mix", "rw": "randrw"}],
        )
    )
    client.wait_state(run_id, "done")
    answer = client.get(f"/api/v1/runs/{run_id}/analysis")
    assert answer.status == 200, answer
    analysis = answer.json
    assert (analysis["run"], analysis["factor"]) == (run_id, "bs")
    assert analysis["levels"] == ["4k", "16k"], "sizes are shown by size"
    assert names(analysis) == [
        "reads, iodepth=1", "reads, iodepth=4", "mix, iodepth=1", "mix, iodepth=4"
    ]
    samples = client.get(f"/api/v1/runs/{run_id}/result").json["samples"]
    for comparison in analysis["comparisons"]:
        assert comparison["measure"] == "bandwidth", "the request size is what is compared"
        for figure in comparison["figures"]:
            found = [
                (s["read"]["bytes"] + s.get("write", {"bytes": 0})["bytes"]) / s["seconds"]
                for s in samples
                if s["workload"] == comparison["workload"]
                and s["levels"] == {**comparison["levels"], "bs": figure["level"]}
            ]
            assert figure["samples"] == len(found) == 3
            assert abs(figure["mean"] / (sum(found) / 3) - 1) < 1e-9


def test_nothing_compared_and_files(service):
    client = service.client
    run_id = client.submit(
        service.definition(
            factors=None,
            defaults={},
            workloads=[
                {"name": "small", "metadata": "create,stat,delete", "nrfiles": 20, "filesize": "1k"}
            ],
        )
    )
    client.wait_state(run_id, "done")
    analysis = client.get(f"/api/v1/runs/{run_id}/analysis").json
    assert "factor" not in analysis and analysis["levels"] == []
    assert analysis["recommendation"]["kind"] == "none"
    phases = [c["phase"]["operation"] for c in analysis["comparisons"]]
    assert phases == ["create", "stat", "delete"]
    assert {c["unit"] for c in analysis["comparisons"]} == {"files/s"}


def test_before_there_is_anything(service):
    client = service.client
    first = client.submit(service.long_definition())
    second = client.submit(service.definition())
    client.wait_state(first, "running")
    answer = client.get(f"/api/v1/runs/{first}/analysis")
    assert answer.status == 200 and answer.json["state"] == "running", answer
    refused = client.get(f"/api/v1/runs/{second}/analysis")
    assert (refused.status, refused.code) == (409, "not_finished")
    refused = client.get("/api/v1/runs/20200101-000000-aaaaaa/analysis")
    assert (refused.status, refused.code) == (404, "not_found")
    client.post(f"/api/v1/runs/{first}/cancel")
    client.wait_state(first, "cancelled")
    client.wait_state(second, "done")
