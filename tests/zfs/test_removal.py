# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has made is removed whatever ends it, and nothing else is."""
import pytest

import definitions


@pytest.fixture(name="others")
def fixture_others(machine, pool):
    """What a user has beneath the same parent, with names or marks like ours; it must stay."""
    machine.ok(
        f"zfs create {pool.parent}/volbench-mine && echo kept >/{pool.parent}/volbench-mine/file"
        f" && zfs create -V 16M -s {pool.parent}/volbench-20260101T000000Z-abcdef"
        f" && zfs create -o volbench:run=somebody {pool.parent}/marked"
        f" && zfs create {pool.parent}/marked/volbench-inherits"
    )
    return machine.datasets(pool.name)


def like(machine, pool, run_id):
    """The same for a run whose id is known by now."""
    machine.ok(
        f"zfs create {pool.parent}/volbench-{run_id}-mine"
        f" && zfs create -o volbench:run={run_id} {pool.parent}/{run_id}"
        f" && zfs create {pool.parent}/{run_id}/volbench-{run_id}"
        f" && zfs create -o volbench:run=another {pool.parent}/volbench-{run_id}-77"
    )
    return sorted(
        line for line in machine.datasets(pool.name)
        if f"{pool.parent}/volbench-{run_id}" not in line
        or line.split("\t")[0].endswith(("-mine", "-77"))
    )  # fmt: skip


def all_removed(machine, pool, expected):
    names = " ".join(line.split("\t")[0] for line in expected)
    machine.wait_for(f"[ $(zfs list -rHo name -t all {pool.name} | wc -l) -le {len(expected)} ]")
    assert sorted(machine.datasets(pool.name)) == sorted(expected), names


def measuring(run):
    return run["progress"]["phase"] == "measure"


@pytest.fixture
def begin(machine, pool, service, slow_writes):
    """begin(fill): a run that fills (for long) or measures (for longer): its id, and what must be left."""
    client = service.client

    def filling():
        slow_writes()  # 512 of them; and if they were over, it would measure
        big = definitions.zvol(pool, size="512M")
        run_id = client.submit(definitions.definition(big, defaults={"size": "512m", "runtime": 3600}))
        expected = like(machine, pool, run_id)
        client.wait(run_id, lambda run: run["progress"]["phase"] == "fill")
        written = f"zfs list -rHpo refer -t volume {pool.parent} | sort -n | tail -n1"
        machine.wait_for(f"[ $({written}) -gt 8000000 ]", pause=0)
        assert client.run(run_id)["progress"]["phase"] == "fill"
        return run_id, expected

    def measures():
        run_id = client.submit(definitions.endless(pool, factors={"volblocksize": ["16K", "64K"]}))
        expected = like(machine, pool, run_id)
        client.wait(run_id, measuring)
        return run_id, expected

    return lambda fill: filling() if fill else measures()


@pytest.mark.parametrize("fill", [True, False], ids=["mid-fill", "mid-sample"])
def test_kill_of_the_engine(machine, pool, service, others, begin, fill):
    del others
    run_id, expected = begin(fill)
    assert definitions.made(machine, pool)
    service.kill_engine()
    service.client.wait_state(run_id, "interrupted")
    service.stop()
    service.start()
    all_removed(machine, pool, expected)


def test_kill_of_service_and_engine(machine, pool, service, others, begin):
    del others
    run_id, expected = begin(fill=False)
    service.kill()
    service.start()
    all_removed(machine, pool, expected)
    assert service.client.run(run_id)["state"] == "interrupted"


@pytest.mark.parametrize("fill", [True, False], ids=["mid-fill", "mid-sample"])
def test_hard_reset(machine, pool, service, others, begin, fill):
    del others
    run_id, expected = begin(fill)
    machine.ok(f"zpool sync {pool.name}")  # what the user made; ours must be found either way
    machine.reboot(hard=True)
    assert definitions.made(machine, pool), "the reset has removed them itself"
    service.start()
    all_removed(machine, pool, expected)
    assert service.client.run(run_id)["state"] == "interrupted"


def test_cancel(machine, pool, service, others):
    run_id = service.client.submit(definitions.endless(pool))
    service.client.wait(run_id, measuring)
    assert service.client.post(f"/api/v1/runs/{run_id}/cancel").status == 202
    service.client.wait_state(run_id, "cancelled")
    assert machine.datasets(pool.name) == others


def test_datasets_of_a_run_are_unmounted_and_gone(machine, pool, service):
    before = machine.datasets(pool.name)
    run_id = service.client.submit(
        definitions.definition(definitions.dataset(pool, recordsize="16K"), defaults={"runtime": 3600})
    )
    service.client.wait(run_id, measuring)
    [name] = definitions.made(machine, pool)
    mounted = machine.ok(f"zfs get -Ho value mountpoint {name}")
    assert mounted.startswith(service.state), "it is mounted where others may look"
    service.kill()
    service.start()
    all_removed(machine, pool, before)
    assert machine.run(f"grep {mounted} /proc/mounts")[0] == 1
