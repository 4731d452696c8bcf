# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeats that end once enough is known, on zvols: all of them are there to the end, then none is."""
import definitions

EARLY = {"min": 5, "max": 40, "until_ci_percent": 50}
LEVELS = ("16K", "64K")


def test_they_end_early(machine, pool, service, zfs_instead):
    """Pauses of 20 ms, which no read of so little takes: each sample does about as much."""
    client = service.client
    before = machine.datasets(pool.name)
    log = f"{service.state}.there"
    zfs_instead(definitions.when_destroyed(pool, log, "volblocksize"))
    definition = definitions.definition(
        definitions.zvol(pool, size="16M"),
        factors={"volblocksize": list(LEVELS)},
        defaults={"size": "8m", "iodepth": 1, "runtime": "500ms", "thinktime": 20000},
        repeats=EARLY,
    )
    plan = client.post("/api/v1/plan", definition)
    assert plan.status == 200, plan
    assert (plan.json["sample_count"], plan.json["estimate"]["least"]["sample_count"]) == (80, 10)

    run_id = client.submit(definition)
    run = client.wait_state(run_id, "done", patience=900)
    ended = run["repeats"]
    assert ended["ended"] == "precise" and 5 <= ended["made"] < 40 and ended["most"] == 40, ended
    assert 0 < ended["ci_percent"] <= ended["until_ci_percent"] == 50
    assert run["progress"]["done"] == run["progress"]["total"] == 2 * ended["made"]

    # both were kept for all repeats, and are gone
    first = definitions.read_when_destroyed(machine, log)[0]
    assert sorted(first.values()) == [["16384"], ["65536"]], first
    assert machine.datasets(pool.name) == before
    assert machine.run(f"find {service.state}/engine -name '*.manifest' | grep .")[0] == 1

    result = client.get(f"/api/v1/runs/{run_id}/result").json
    assert result["repeats"] == ended and result["planned_samples"] == 80
    cells = sorted((s["repeat"], s["levels"]["volblocksize"]) for s in result["samples"])
    assert cells == sorted((n + 1, level) for n in range(ended["made"]) for level in LEVELS)
    assert len({s["zfs"]["dataset"] for s in result["samples"]}) == len(LEVELS)
    client.wait_report(run_id)
    page = client.get(f"/runs/{run_id}/").body.decode()
    assert f"{ended['made']} of at most 40 repeats" in page
    assert "Incomplete" not in page


def test_none_does_where_there_is_no_space_for_all(machine, pool, service):
    """One level after the other: no repeat of everything is there before the last."""
    machine.ok(f"zfs set quota=150M {pool.parent}")
    definition = definitions.definition(
        definitions.zvol(pool, size="80M"),
        factors={"volblocksize": list(LEVELS)},
        defaults={"size": "8m", "runtime": "200ms"},
        repeats={"min": 5, "max": 6, "until_ci_percent": 50},
    )
    run_id = service.client.submit(definition)
    run = service.client.wait_state(run_id, "done", patience=600)
    assert (run["repeats"]["ended"], run["repeats"]["made"]) == ("most", 6)
    result = service.client.get(f"/api/v1/runs/{run_id}/result").json
    assert len(result["samples"]) == 12
    assert "grouped_for_space" in definitions.codes(result["findings"])
    assert definitions.made(machine, pool) == {}
