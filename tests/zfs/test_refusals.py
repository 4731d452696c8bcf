# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be made is told in words that help, and leaves nothing behind."""
import pytest

import definitions


@pytest.fixture(name="untouched", autouse=True)
def fixture_untouched(machine, pool, service):
    """Nothing is left in the pool, whatever a test here asks for; nor a manifest."""
    before = machine.datasets(pool.name)
    yield
    assert machine.datasets(pool.name) == before
    assert machine.run(f"find {service.state}/engine -name '*.manifest' | grep .")[0] == 1


def small(target, levels=("16K",), **more):
    return definitions.definition(target, factors={"volblocksize": list(levels)}, **more)


def test_a_parent_that_is_missing(service, pool):
    target = definitions.zvol(pool)
    target["zvol"]["parent"] = f"{pool.parent}/nowhere"
    problem = definitions.refused(service.client, small(target))
    assert problem["code"] == "target_missing", problem
    assert f"{pool.parent}/nowhere" in problem["message"]


def test_a_parent_that_is_not_allowed(service, machine, pool):
    machine.ok(f"zfs create {pool.name}/volbench2")
    target = definitions.zvol(pool)
    for parent in (pool.name, f"{pool.name}/volbench2"):
        target["zvol"]["parent"] = parent
        problem = definitions.refused(service.client, small(target))
        assert problem["code"] == "target_not_allowed", problem
    machine.ok(f"zfs destroy {pool.name}/volbench2")


def test_a_parent_that_is_a_volume(service, machine, pool):
    machine.ok(f"zfs create -s -V 16M {pool.parent}/volume")
    target = definitions.zvol(pool)
    target["zvol"]["parent"] = f"{pool.parent}/volume"
    problem = definitions.refused(service.client, small(target))
    assert problem["code"] in ("target_type", "target_missing"), problem
    machine.wait_for(f"udevadm settle; zfs destroy {pool.parent}/volume")


def test_a_pool_that_is_read_only(service, machine, pool):
    machine.wait_for(f"udevadm settle; zpool export {pool.name}")
    machine.ok(f"zpool import -o readonly=on {pool.found_at} {pool.name}")
    problem = definitions.refused(service.client, small(definitions.zvol(pool)))
    machine.wait_for(f"udevadm settle; zpool export {pool.name}")
    machine.wait_for(f"zpool import {pool.found_at} {pool.name}")
    assert problem["code"] == "target_read_only", problem
    assert "read-only" in problem["message"] or "read only" in problem["message"]


def test_a_pool_that_fills_up_under_a_fill(service, machine, pool, zfs_instead):
    """Sparse volumes promise nothing: the third has no room for what it is filled with."""
    # the last of them is there, and nothing is written
    zfs_instead(
        'case "$1 $*" in "create create -n"*) ;; create*-3) '
        f'$zfs "$@" && exec $zfs set quota=300M {pool.parent}; exit 1 ;; esac'
    )
    sparse = definitions.zvol(pool, size="128M")
    sparse["zvol"]["sparse"] = True
    definition = small(sparse, ["64K", "32K", "16K"], defaults={"size": "128m"})
    run_id = service.client.submit(definition)
    run = service.client.wait(run_id, lambda r: r["state"] in ("done", "failed"))
    machine.ok(f"zfs set quota=none {pool.parent}")
    # OpenZFS answers a zvol's writer EIO where a quota is met, as where a disk fails
    assert run["state"] == "failed" and run["error"]["code"] == "no_space", run
    assert pool.name in run["error"]["message"], run


def test_a_pool_that_is_full_at_the_third_level(service, machine, pool, zfs_instead):
    """The plan was right when it was made; then somebody takes what the third volume needs."""
    definition = small(definitions.zvol(pool, size="64M"), ["64K", "32K", "16K"])
    zfs_instead(
        f"case $1$($zfs list -rHo name -t volume {pool.name} | wc -l) in"
        f" create2) $zfs set quota=150M {pool.parent}; esac"
    )
    run_id = service.client.submit(definition)
    run = service.client.wait(run_id, lambda r: r["state"] in ("done", "failed"))
    machine.ok(f"zfs set quota=none {pool.parent}")
    assert run["state"] == "failed" and run["error"]["code"] == "no_space", run


def test_not_even_one_fits(service, pool):
    problem = definitions.refused(service.client, small(definitions.zvol(pool, size="4G")))
    assert problem["code"] == "no_space", problem
    assert pool.parent in problem["message"] or pool.name in problem["message"]


def test_a_volblocksize_above_any_limit(service, pool):
    problem = definitions.refused(service.client, small(definitions.zvol(pool), ["16K", "32M"]))
    assert problem["code"] in ("bad_value", "out_of_range"), problem
    assert "volblocksize" in problem["message"] + problem["field"], problem


def test_a_volblocksize_above_the_limit_of_the_pool(make_pool, make_service, machine):
    """Of a pool without the feature for large blocks."""
    old = make_pool(size="512M", options="-d")
    before = machine.datasets(old.name)
    client = make_service(datasets=[old.parent]).client
    problem = definitions.refused(client, small(definitions.zvol(old), ["16K", "256K"]))
    assert problem["code"] in ("bad_value", "out_of_range"), problem
    assert "volblocksize" in problem["message"] + problem["field"], problem
    assert machine.datasets(old.name) == before


def test_a_size_that_is_no_multiple(service, pool):
    problem = definitions.refused(
        service.client, small(definitions.zvol(pool, size=(64 << 20) + 4096), ["4K", "128K"])
    )
    assert problem["code"] in ("bad_size", "bad_value", "out_of_range"), problem
    assert "128k" in problem["message"].lower(), problem


@pytest.mark.parametrize("levels", [["16K", "16K"], ["16K", "16384"], ["16K", 16384]])
def test_a_level_given_twice(service, pool, levels):
    problem = definitions.refused(service.client, small(definitions.zvol(pool), levels))
    assert problem["code"] == "duplicate", problem


@pytest.mark.parametrize(
    "name, value", [("mountpoint", "/etc"), ("volmode", "full"), ("encryption", "on"), ("x:y", "z"), ("recordsize", "16K")]
)
def test_properties_a_run_does_not_set(service, pool, name, value):
    problem = definitions.refused(service.client, small(definitions.zvol(pool, **{name: value})))
    assert problem["code"] in ("unsupported_option", "unknown_field", "conflicting_options"), problem
    assert name in problem["message"] + problem.get("field", "")
