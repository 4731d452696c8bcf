# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sample tells of OpenZFS, on real pools: where reads came from, what writes cost, what it
holds; and the findings that follow."""
import itertools
import json
import shlex

numbers = itertools.count()
MIB = 1 << 20


class Runs:
    """`volbench run` in the machine: the samples of a definition, by the words of its levels."""

    def __init__(self, machine, allow=(), datasets=()):
        self.machine = machine
        self.words = [word for path in allow for word in ("--allow", path)]
        self.words += [word for name in datasets for word in ("--allow-dataset", name)]

    def samples(self, target, workloads, **more):
        if isinstance(workloads, dict):
            workloads = [{"name": "w", **workloads}]
        here = f"{self.machine.state}/telemetry-{next(numbers)}"
        definition = {"name": "t", "target": target, "workloads": workloads, **more}
        definition.setdefault("repeats", 1)
        self.machine.ok(f"mkdir {here}")
        self.machine.put(json.dumps(definition), f"{here}/definition.json")
        words = ["run", f"{here}/definition.json", *self.words, "--state", f"{here}/state", "--quiet"]
        self.machine.ok(f"volbench {shlex.join(words)} --json {here}/result.json", timeout=900)
        return json.loads(self.machine.get(f"{here}/result.json"))["samples"]

    def sample(self, target, workload):
        (sample,) = self.samples(target, workload)
        return sample


def codes(sample):
    return {finding["code"] for finding in sample["findings"]}


def volume(pool, size="64M", sparse=True, **properties):
    return {
        "zvol": {"parent": pool.parent, "size": size, "sparse": sparse, "properties": properties}
    }


def existing(machine, name):
    """An existing zvol as a device that is only read."""
    machine.wait_for(f"test -b /dev/zvol/{name}")
    return {"device": machine.ok(f"readlink -f /dev/zvol/{name}"), "existing": True}


def test_with_metadata_alone_in_arc_reads_come_from_the_devices(machine, pool):
    """Sequential ones too, which prefetch fetches before they are asked for.

    No pattern comes back to a block later: what was just read stays in memory for some hundredths of
    a second all the same, and requests smaller than a block, at random over this little, meet it by
    chance, and a second pass does where the first was as quick (sample_zfs.h). So each reads all of
    it once."""
    runs = Runs(machine, datasets=[pool.parent])
    workloads = [
        {"name": "16k at random", "rw": "randread", "bs": "16k"},
        {"name": "4k in order", "rw": "read", "bs": "4k"},
        {"name": "128k in order", "rw": "read", "bs": "128k"},
        {"name": "64k at random", "rw": "randread", "bs": "64k", "iodepth": 8},
    ]
    target = volume(pool, volblocksize="16K", primarycache="metadata", compression="off")
    for workload in workloads:
        # A zvol of its own: nothing of it was fetched ahead by another sample.
        (sample,) = runs.samples(target, [workload], defaults={"size": "64m", "time_based": 0, "direct": 1})
        assert sample["read"]["bytes"] == 64 * MIB
        zfs = sample["zfs"]
        assert zfs["volume"] is True
        assert zfs["dataset"].startswith(f"{pool.parent}/volbench-")
        assert zfs["properties"]["volblocksize"] == "16384"
        assert zfs["properties"]["primarycache"] == "metadata"
        assert zfs["version"] == machine.ok("cat /sys/module/zfs/version")
        assert zfs["from_devices"] > 0.95, sample
        # the disks say the same: no less was read from them than was asked for
        assert zfs["read_amplification"] > 0.9, sample
        assert zfs["pool"]["asked_read_bytes"] >= sample["read"]["bytes"]
        assert not codes(sample) & {"reads_from_arc", "unwritten_volume", "compressed_data"}


def test_what_was_filled_is_proven(machine, pool):
    runs = Runs(machine, datasets=[pool.parent])
    target = volume(pool, volblocksize="16K", primarycache="metadata", compression="lz4")
    zfs = runs.sample(target, {"rw": "randread", "bs": "16k", "size": "64m", "runtime": 1})["zfs"]
    assert zfs["size_bytes"] == 64 * MIB
    assert zfs["logical_bytes"] >= 64 * MIB
    assert zfs["written_bytes"] >= 64 * MIB
    assert 1 <= zfs["compress_ratio"] <= 1.02


def test_reads_that_never_leave_arc(machine, pool):
    runs = Runs(machine, datasets=[pool.parent])
    target = volume(pool, size="32M", volblocksize="16K", compression="off")
    sample = runs.sample(target, {"rw": "randread", "bs": "16k", "size": "32m", "runtime": 2})
    assert sample["zfs"]["from_devices"] < 0.05, sample["zfs"]
    assert "reads_from_arc" in codes(sample)


def test_reads_of_what_was_never_written(machine, pool):
    """An existing zvol, a tenth of which holds data."""
    name = f"{pool.parent}/empty"
    machine.ok(f"zfs create -s -V 64M -o compression=off {name}")
    target = existing(machine, name)
    machine.ok(f"dd if=/dev/urandom of={target['device']} bs=1M count=6 conv=fsync")
    runs = Runs(machine, allow=[target["device"]])
    workload = {"rw": "randread", "bs": "16k", "size": "64m", "runtime": 1, "direct": 1}
    sample = runs.sample(target, workload)
    assert sample["zfs"]["dataset"] == name
    assert {"unwritten_volume", "direct_on_zvol"} <= codes(sample)
    # what was written is read as it should be
    assert "unwritten_volume" not in codes(runs.sample(target, {**workload, "size": "6m"}))


def test_reads_of_compressed_data(machine, pool):
    name = f"{pool.parent}/texts"
    machine.ok(f"zfs create -s -V 32M -o compression=lz4 -o primarycache=metadata {name}")
    target = existing(machine, name)
    machine.ok(f"yes 'the same words again' | head -c 33554432 | dd of={target['device']} bs=1M conv=fsync")
    runs = Runs(machine, allow=[target["device"]])
    sample = runs.sample(target, {"rw": "randread", "bs": "16k", "size": "32m", "runtime": 1})
    assert sample["zfs"]["compress_ratio"] > 2
    assert "compressed_data" in codes(sample)
    assert "unwritten_volume" not in codes(sample)


def test_write_amplification_grows_with_the_block(machine, pool, one_txg):
    """4k random writes on volumes that are full: whole blocks are read and written for parts.

    By number, and synced together: of slow writes, in many transaction groups, metadata are much even
    with small blocks; of many on few large blocks each block is written once for all of them. These
    600 meet some 350 of the 512 large blocks; metadata are 16 indirect blocks at most."""
    del one_txg
    runs = Runs(machine, datasets=[pool.parent])
    target = volume(pool, primarycache="metadata", compression="off")
    samples = runs.samples(
        target,
        {"rw": "randwrite", "bs": "4k", "size": "64m", "number_ios": 600},
        factors={"volblocksize": ["4K", "128K"]},
    )
    found = {s["levels"]["volblocksize"]: s["zfs"] for s in samples}
    small, large = found["4K"], found["128K"]
    print("write amplification of 4k random writes:", small["write_amplification"], large["write_amplification"])
    assert small["properties"]["volblocksize"] == "4096"
    assert large["properties"]["volblocksize"] == "131072"
    assert small["write_amplification"] > 1
    assert large["write_amplification"] > 3 * small["write_amplification"]
    assert large["pool"]["read_bytes"] > large["pool"]["asked_written_bytes"]
    assert small["pool"]["txgs"] > 0 and small["pool"]["dirty_bytes"] > 0


def test_a_dataset_and_what_direct_means_on_it(machine, pool):
    runs = Runs(machine, datasets=[pool.parent])
    target = {"dataset": {"parent": pool.parent, "properties": {"recordsize": "16K", "compression": "off"}}}
    sample = runs.sample(target, {"rw": "randread", "bs": "16k", "size": "32m", "runtime": 2, "direct": 1})
    zfs = sample["zfs"]
    assert zfs["volume"] is False
    assert zfs["properties"]["recordsize"] == "16384"
    assert zfs["size_bytes"] == 32 * MIB
    assert zfs["written_bytes"] >= 32 * MIB
    (finding,) = [f for f in sample["findings"] if f["code"] == "direct_on_dataset"]
    assert zfs["version"] in finding["found"]
    if "direct" in zfs["properties"]:  # from 2.3
        assert "direct=standard" in finding["found"]
        assert zfs["arc"]["direct_reads"] > 0
        assert zfs["from_devices"] > 0.95, zfs


def test_files_on_a_dataset_of_the_users(machine, pool):
    """Found by the mount, by whatever path; and what a file takes, not the dataset."""
    machine.ok(f"zfs create -o compression=off {pool.parent}/home")
    directory = f"/{pool.parent}/home"
    machine.ok(f"truncate -s 32M {directory}/hole; dd if=/dev/urandom of={directory}/full bs=1M count=16")
    runs = Runs(machine, allow=[directory])
    workload = {"rw": "randread", "bs": "16k", "size": "16m", "runtime": 1, "direct": 0}
    full = runs.sample({"file": f"{directory}/full", "existing": True}, workload)
    hole = runs.sample({"file": f"{directory}/hole", "existing": True}, workload)
    made = runs.sample({"directory": directory}, {"metadata": "create,read,delete", "nrfiles": 50, "filesize": "4k"})
    for sample in (full, hole, made):
        assert sample["zfs"]["dataset"] == f"{pool.parent}/home"
        assert sample["zfs"]["volume"] is False
    assert "unwritten_volume" not in codes(full)
    assert "unwritten_volume" in codes(hole)
    assert made["zfs"]["pool"]["asked_written_bytes"] == 50 * 4096


def test_a_pool_on_files_counts_for_itself(machine):
    """Linux has no counters of files; OpenZFS has, from 2.2."""
    machine.ok("rm -f /tmp/leaf; truncate -s 256M /tmp/leaf; zpool create -o ashift=12 leafy /tmp/leaf")
    try:
        runs = Runs(machine, allow=["/leafy"])
        sample = runs.sample(
            {"directory": "/leafy"}, {"rw": "write", "bs": "128k", "size": "16m", "runtime": 2, "direct": 0}
        )
        zfs = sample["zfs"]
        if "pool" in zfs:
            assert zfs["pool"]["written_bytes"] > 0
            assert "pool_unknown" not in zfs
        else:
            assert "2.2" in zfs["pool_unknown"]
    finally:
        machine.wait_for("zpool destroy -f leafy && rm /tmp/leaf")


def test_without_a_history_of_txgs(machine, pool, zfs_parameters):
    """What is not kept is not known; the rest is."""
    zfs_parameters(zfs_txg_history=0)
    runs = Runs(machine, datasets=[pool.parent])
    target = volume(pool, size="16M", compression="off")
    zfs = runs.sample(target, {"rw": "randwrite", "bs": "16k", "size": "16m", "runtime": 1})["zfs"]
    assert zfs["pool"]["txgs"] == 0
    assert zfs["pool"]["written_bytes"] > 0


def test_elsewhere_nothing_is_told(machine):
    runs = Runs(machine, allow=["/dev/zero"])
    sample = runs.sample({"file": "/dev/zero", "existing": True}, {"rw": "read", "bs": "4k", "size": "1m", "runtime": 1})
    assert "zfs" not in sample


def test_a_cancel_is_heard_while_a_sync_hangs(machine, pool):
    """A pool whose disks take no writes for now: zpool sync waits in the kernel, the run does not."""
    name = f"{pool.parent}/volume"
    machine.ok(f"zfs create -s -V 16M -o primarycache=metadata {name}")
    target = existing(machine, name)
    machine.ok(f"dd if=/dev/urandom of={target['device']} bs=1M count=16 conv=fsync; zpool sync {pool.name}")
    here = f"{machine.state}/telemetry-{next(numbers)}"
    workload = {"name": "w", "rw": "randread", "bs": "16k", "size": "16m", "runtime": 60}
    machine.ok(f"mkdir {here}")
    machine.put(json.dumps({"name": "t", "target": target, "workloads": [workload], "repeats": 1}), f"{here}/d.json")
    parameters = [f"/sys/module/zfs/parameters/zfs_vdev_async_write_{end}_active" for end in ("min", "max")]
    before = [machine.ok(f"cat {parameter}") for parameter in parameters]
    try:
        for parameter in parameters:
            machine.ok(f"echo 0 >{parameter}")
        machine.ok(f"dd if=/dev/urandom of=/{pool.parent}/dirty bs=1M count=1")
        process = machine.start(
            f"volbench run {here}/d.json --allow {target['device']} --state {here}/state --quiet", f"{here}/log"
        )
        machine.wait_for(f"ps -eo args | grep '[z]pool sync {pool.name}'")
        machine.ok(f"kill -INT {process}")
        machine.wait_for(f"! kill -0 {process}")  # long before the run would have given the sync up
        assert "cancelled" in machine.ok(f"cat {here}/log")
        assert machine.run(f"ps -eo args | grep '[z]pool sync {pool.name}'")[0] == 0, "it did not hang"
    finally:
        for parameter, value in zip(parameters, before):
            machine.ok(f"echo {value} >{parameter}")
        # any read of a disk has the queues looked at again
        machine.ok(f"dd if={target['device']} of=/dev/null bs=1M iflag=direct; zpool sync {pool.name}")
