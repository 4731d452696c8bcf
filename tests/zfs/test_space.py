# SPDX-License-Identifier: GPL-3.0-or-later
"""Where space does not hold all levels at once they are measured one after another, and that is told."""
import definitions


def test_grouped_where_space_is_short(machine, pool, service, zfs_instead):
    machine.ok(f"zfs set quota=400M {pool.parent}")
    client = service.client
    before = machine.datasets(pool.name)
    definition = definitions.definition(
        definitions.zvol(pool, size="160M"),
        factors={"volblocksize": ["16K", "64K", "128K"]},
        repeats=2,
        defaults={"runtime": 2},
    )
    plan = client.post("/api/v1/plan", definition)
    assert plan.status == 200, plan
    assert "grouped_for_space" in definitions.codes(plan.json["findings"])

    log = f"{service.state}.there"
    zfs_instead(definitions.when_destroyed(pool, log, "volblocksize"))
    run_id = client.submit(definition)
    client.wait_state(run_id, "done", patience=600)
    there = definitions.read_when_destroyed(machine, log)
    assert all(len(volumes) == 1 for volumes in there), f"two were there at once: {there}"
    sizes = {size for volumes in there for [size] in volumes.values()}
    assert sizes == {"16384", "65536", "131072"}
    assert machine.datasets(pool.name) == before

    result = client.get(f"/api/v1/runs/{run_id}/result").json
    levels = [s["levels"]["volblocksize"] for s in result["samples"]]
    assert len(levels) == 6
    assert all(levels[n] == levels[n + 1] for n in (0, 2, 4)), levels
    assert "grouped_for_space" in definitions.codes(result["findings"])
    client.wait_report(run_id)
    assert "drift" in client.get(f"/runs/{run_id}/").body.decode()


def test_all_at_once_where_space_allows(pool, service):
    plan = service.client.post(
        "/api/v1/plan",
        definitions.definition(definitions.zvol(pool, size="64M"), factors={"volblocksize": ["16K", "64K"]}),
    )
    assert plan.status == 200, plan
    assert "grouped_for_space" not in definitions.codes(plan.json["findings"])
