# SPDX-License-Identifier: GPL-3.0-or-later
"""Datasets as targets: files of a recordsize, mounted where only the engine looks."""
import pytest

import definitions


def test_recordsizes(machine, pool, service):
    before = machine.datasets(pool.name)
    result = definitions.measure(
        service.client,
        definitions.definition(
            definitions.dataset(pool, primarycache="metadata"),
            [{"name": "reads", "rw": "randread", "numjobs": 2, "size": "8m"}, {"name": "writes", "rw": "randwrite"}],
            {"recordsize": ["8K", "128K"]},
        ),
    )
    assert len(result["samples"]) == 4
    for sample in result["samples"]:
        assert not sample["zfs"]["volume"]
        assert sample["zfs"]["properties"]["recordsize"] in (
            sample["levels"]["recordsize"], {"8K": "8192", "128K": "131072"}[sample["levels"]["recordsize"]],
        )  # fmt: skip
        assert sample["backend"] == "threads", "io_uring has no depth there"
    assert machine.datasets(pool.name) == before


def test_a_file_beside_a_volume(machine, pool, service):
    """The target itself as the factor, each of its own kind, one backend for both."""
    before = machine.datasets(pool.name)
    definition = definitions.definition(
        None,
        targets=[
            {"name": "volume", **definitions.zvol(pool, volblocksize="16K")},
            {"name": "file", **definitions.dataset(pool, recordsize="16K")},
        ],
    )
    result = definitions.measure(service.client, definition)
    assert {s["levels"]["target"] for s in result["samples"]} == {"volume", "file"}
    assert len({s["backend"] for s in result["samples"]}) == 1
    assert machine.datasets(pool.name) == before


@pytest.mark.parametrize("level", [None, "disabled"])
def test_direct(machine, pool, service, level):
    """direct=1 means what the version and the property `direct` make of it; the run says so."""
    if level and machine.run(f"zfs get -Ho value direct {pool.parent}")[0] != 0:
        pytest.skip("this OpenZFS has no property direct, which came with 2.3")
    properties = {"direct": level} if level else {}
    result = definitions.measure(
        service.client,
        definitions.definition(definitions.dataset(pool, **properties), defaults={"direct": 1}),
    )
    version = machine.ok("cat /sys/module/zfs/version")
    [told] = [f["message"] for f in definitions.all_findings(result) if f["code"] == "zfs_direct"]
    assert version in told
    assert "ARC" in told or "around" in told, told
    [sample] = result["samples"]
    assert sample["zfs"]["version"] == version
    if "no property direct" not in told:  # from 2.3
        expected = level or "standard"
        assert f"direct={expected}" in told and sample["zfs"]["properties"]["direct"] == expected


def test_sync_as_a_property(pool, service):
    result = definitions.measure(
        service.client,
        definitions.definition(
            definitions.dataset(pool),
            [{"name": "writes", "rw": "randwrite"}],
            {"sync": ["always", "disabled"]},
        ),
    )
    assert {s["levels"]["sync"]: s["zfs"]["properties"]["sync"] for s in result["samples"]} == {
        "always": "always", "disabled": "disabled",
    }  # fmt: skip
