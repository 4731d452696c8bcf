# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison the program is for, from the request to the report."""
import re

import definitions

LEVELS = {"4K": 4096, "16K": 16384, "128K": 131072}


def test_through_rest_to_the_report(machine, make_pool, make_service, zfs_instead):
    pool = make_pool(size="2G")
    service = make_service(datasets=[pool.parent])
    client = service.client
    before = machine.datasets(pool.name)
    definition = definitions.definition(
        definitions.zvol(pool, size="64M", primarycache="metadata", compression="off"),
        [
            {"name": "reads", "rw": "randread"},
            {"name": "writes", "rw": "randwrite"},
            {"name": "mix", "rw": "randrw", "rwmixread": 70, "numjobs": 2, "size": "16m"},
        ],
        {"volblocksize": list(LEVELS)},
        repeats=2,
    )
    plan = client.post("/api/v1/plan", definition)
    assert plan.status == 200, plan
    assert plan.json["sample_count"] == 18
    assert machine.datasets(pool.name) == before, "a plan has made something"

    log = f"{service.state}.there"
    looked_at = ("volblocksize", "volbench:run", "volmode", "primarycache", "compression")
    zfs_instead(definitions.when_destroyed(pool, log, *looked_at))
    run_id = client.submit(definition)
    client.wait_state(run_id, "done", patience=900)
    assert machine.datasets(pool.name) == before
    there = definitions.read_when_destroyed(machine, log)[0]  # all, as the first of them is to go
    assert sorted(int(size) for size, *_ in there.values()) == sorted(LEVELS.values())
    for name, (_, *rest) in there.items():
        assert re.fullmatch(rf"{pool.parent}/volbench-{run_id}(-\d+)?", name)
        assert rest == [run_id, "dev", "metadata", "off"]

    result = client.get(f"/api/v1/runs/{run_id}/result").json
    assert len(result["samples"]) == 18
    for sample in result["samples"]:
        zfs = sample["zfs"]
        level = sample["levels"]["volblocksize"]
        assert zfs["volume"] and zfs["dataset"].startswith(f"{pool.parent}/volbench-")
        assert zfs["properties"]["volblocksize"] in (level, str(LEVELS[level]))
        assert zfs["version"] and zfs["written_bytes"] >= zfs["size_bytes"] >= 32 << 20
        assert sum(sample[way]["ios"] for way in ("read", "write") if way in sample) > 0
    client.wait_report(run_id)
    text = client.get(f"/runs/{run_id}/").body.decode()
    for word in ("volblocksize", *LEVELS, "reads", "writes", "mix"):
        assert word in text, word
    charts = set(re.findall(r'src="([A-Za-z0-9_-]+\.svg)"', text))
    assert charts
    for chart in charts:
        assert client.get(f"/runs/{run_id}/{chart}").status == 200


def test_blocks_above_128k(machine, pool, service):
    """Legal with the feature large_blocks. udev reads a zvol of 16M blocks for seconds before we may."""
    largest = int(machine.ok("cat /sys/module/zfs/parameters/zfs_max_recordsize")) >> 20
    levels = ["1M", f"{largest}M"] if largest > 1 else ["1M"]
    result = definitions.measure(
        service.client, definitions.definition(definitions.zvol(pool), factors={"volblocksize": levels})
    )
    assert {s["levels"]["volblocksize"] for s in result["samples"]} == set(levels)
    assert all(s["read"]["ios"] > 0 for s in result["samples"])
    assert definitions.made(machine, pool) == {}


def test_in_a_terminal(machine, pool):
    """The same engine without a service; nothing is left in pool or state either."""
    before = machine.datasets(pool.name)
    machine.put(
        definitions.json.dumps(
            definitions.definition(definitions.zvol(pool), factors={"volblocksize": ["8K", "64K"]})
        ),
        f"{machine.state}/definition.json",
    )
    told = machine.ok(
        f"volbench run {machine.state}/definition.json --state {machine.state}/terminal"
        f" --allow-dataset {pool.parent}",
        timeout=600,
    )
    assert "8K" in told and "64K" in told
    assert machine.datasets(pool.name) == before
    assert machine.run(f"find {machine.state}/terminal -name '*.manifest' | grep .")[0] == 1


def test_two_factors_make_a_volume_for_each_pair(machine, make_pool, make_service):
    pool = make_pool(size="2G")
    client = make_service(datasets=[pool.parent]).client
    result = definitions.measure(
        client,
        definitions.definition(
            definitions.zvol(pool, size="32M"),
            factors={"volblocksize": ["16K", "64K"], "compression": ["off", "lz4"]},
            defaults={"size": "16m"},
        ),
    )
    seen = {(s["levels"]["volblocksize"], s["levels"]["compression"]): s["zfs"] for s in result["samples"]}
    assert len(seen) == 4
    assert len({zfs["dataset"] for zfs in seen.values()}) == 4
    for (_, compression), zfs in seen.items():
        assert zfs["properties"]["compression"] == compression
    assert definitions.made(machine, pool) == {}


def test_write_amplification_stands_in_the_report(make_pool, make_service, one_txg):
    """4 KiB into blocks of 128 KiB: each is read and written whole."""
    del one_txg
    pool = make_pool()
    client = make_service(datasets=[pool.parent]).client
    run_id = client.submit(
        definitions.definition(
            definitions.zvol(pool, compression="off"),
            [{"name": "random write", "rw": "randwrite"}],
            {"volblocksize": ["4K", "128K"]},
            defaults={"bs": "4k", "size": "64m", "runtime": None, "number_ios": 600, "iodepth": 8},
        )
    )
    client.wait_state(run_id, "done", patience=600)
    result = client.get(f"/api/v1/runs/{run_id}/result").json
    amplification = {s["levels"]["volblocksize"]: s["zfs"]["write_amplification"] for s in result["samples"]}
    assert amplification["4K"] >= 1
    assert amplification["128K"] > 3 * amplification["4K"], amplification
    client.wait_report(run_id)
    assert "amplification" in client.get(f"/runs/{run_id}/").body.decode().lower()


def test_facts_of_the_pool_stand_in_the_result(make_pool, make_service):
    pool = make_pool(size="1G", disks=2, layout="mirror")
    client = make_service(datasets=[pool.parent]).client
    result = definitions.measure(client, definitions.definition(definitions.zvol(pool)))
    [target] = result["targets"]
    facts = target["zfs"]
    assert facts["pool"] == pool.name
    assert facts["layout"] == "1 x mirror of 2" or facts["layout"] == "mirror of 2", facts
    assert facts["ashift"] == 12 and facts["recommended_volblocksize"] == 16384
    assert facts["free_bytes"] > 0 and facts["health"] == "ONLINE" and not facts["parity"]
