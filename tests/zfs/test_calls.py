# SPDX-License-Identifier: GPL-3.0-or-later
"""What engine/zfs/ asks of OpenZFS and makes of its answers, call by call (tests/tools/zfs_calls.c)."""
import os
import pathlib
import re

import pytest

import machine as machine_module

TOOL = pathlib.Path(
    os.environ.get("ZFS_CALLS", pathlib.Path(machine_module.PROGRAM).parent / "tests/tools/zfs_calls")
)
SIZE = 32 << 20
RUN = "r1"


@pytest.fixture
def calls(machine):
    """calls("get", "tank", ...) is (exit status, its lines)."""
    path = f"{machine.state}/zfs_calls"
    if machine.run(f"test -x {path}")[0] != 0:
        machine.put(TOOL.read_bytes(), path)
        machine.ok(f"chmod 755 {path}")

    def call(*words, timeout=120):
        status, output = machine.run(f"{path} {' '.join(map(str, words))}", timeout)
        return status, output.splitlines()

    return call


def made(calls, name, *properties):
    status, lines = calls("made", "zvol", name, RUN, SIZE, *properties)
    assert status == 0, lines
    return lines[0].split()[0]


def refused(answer, code, words):
    status, lines = answer
    assert status == 1, lines
    assert lines[0].startswith(code + " "), lines
    assert words in lines[0]


def figures(calls, pool):
    status, lines = calls("pool", pool)
    assert status == 0, lines
    facts = dict(line.split("=", 1) for line in lines if not line.startswith("leaf="))
    return facts, [line[len("leaf=") :] for line in lines if line.startswith("leaf=")]


def test_it_is_there(calls):
    assert calls("available") == (0, [])


def test_properties(calls, machine, pool):
    machine.ok(f"zfs set compression=zstd volbench:run=above {pool.name}")
    status, lines = calls(
        "get", pool.parent, "type", "compression", "no_such_thing", "volbench:run", "volbench:other",
        "compressratio", "volblocksize", "recordsize", "sync", "direct",
    )  # fmt: skip
    assert status == 0, lines
    got = dict(line.split("|", 1) for line in lines)
    assert got["type"] == "filesystem|-"
    assert got["compression"] == f"zstd|inherited from {pool.name}"
    assert got["no_such_thing"] == "NULL|NULL"
    assert got["volbench:run"] == f"above|inherited from {pool.name}"
    assert got["volbench:other"] == "-|-"
    assert re.fullmatch(r"\d+\.\d\d\|-", got["compressratio"])
    assert got["volblocksize"] == "-|-"
    assert got["recordsize"] == "131072|default"
    assert got["sync"] == "standard|default"
    assert got["direct"] in ("standard|default", "NULL|NULL")
    refused(calls("get", pool.parent + "/no", "type"), "target_missing", "dataset does not exist")


@pytest.mark.parametrize(
    "disks, layout, words, parity, recommended",
    [
        (1, "", "disk", "0", "16384"),
        (2, "mirror", "mirror of 2", "0", "16384"),
        (2, "", "2 x disk", "0", "16384"),
        (2, "raidz1", "raidz1 of 2", "1", "16384"),
    ],
)
def test_a_pool(calls, machine, make_pool, disks, layout, words, parity, recommended):
    pool = make_pool(disks=disks, layout=layout)
    facts, leaves = figures(calls, pool.name)
    if not isinstance(machine, machine_module.Virtual):
        words = words.replace("disk", "file")
    assert facts["layout"] == words
    assert (facts["parity"], facts["recommended"]) == (parity, recommended)
    assert (facts["pool"], facts["health"], facts["readonly"]) == (pool.name, "ONLINE", "0")
    assert facts["ashift"] == "12"
    assert facts["version"] == machine.ok("cat /sys/module/zfs/version")
    assert int(facts["size"]) == int(machine.ok(f"zpool list -Hpo size {pool.name}"))
    assert 0 < int(facts["free"]) <= int(facts["size"])
    assert 0 <= int(facts["fragmentation"]) <= 100
    assert len(leaves) == disks
    if isinstance(machine, machine_module.Virtual):
        for disk in pool.disks:
            name = pathlib.Path(disk).name
            number = machine.ok(f"cat /sys/block/{name}/{name}1/dev")
            assert f"data {number}" in leaves


def test_a_pool_with_everything(calls, machine, make_pool):
    """Classes of vdevs on files; ashift left to them, which only vdevs can tell (2.2)."""
    pool = make_pool()
    files = [f"/tmp/calls-{n}" for n in range(14)]
    machine.ok("for f in " + " ".join(files) + "; do truncate -s 96M $f; done")
    data, rest = files[:7], files[7:]
    machine.ok(
        f"zpool create -f calls raidz2 {' '.join(data)} special mirror {rest[0]} {rest[1]} "
        f"log {rest[2]} cache {pool.disks[0]}2 spare {rest[4]} || "
        f"zpool create -f calls raidz2 {' '.join(data)} special mirror {rest[0]} {rest[1]} "
        f"log {rest[2]} spare {rest[4]}"
    )
    try:
        facts, leaves = figures(calls, "calls")
        assert facts["layout"].startswith("raidz2 of 7; special: mirror of 2; logs: file")
        assert (facts["parity"], facts["recommended"]) == ("1", "65536")
        assert leaves[:10] == ["data 0:0"] * 9 + ["log 0:0"]
        newer = tuple(map(int, facts["version"].split(".")[:2])) >= (2, 2)
        assert facts["ashift"] == ("9" if newer else "0")
        machine.ok(f"zpool offline calls {data[0]}")
        facts, _ = figures(calls, "calls")
        assert (facts["health"], facts["layout"][:11]) == ("DEGRADED", "raidz2 of 7")
    finally:
        machine.wait_for("zpool destroy -f calls && rm -f /tmp/calls-*")
    refused(calls("pool", "calls"), "target_missing", "no such pool")


def test_draid(calls, machine):
    machine.ok("for n in 1 2 3 4 5; do truncate -s 96M /tmp/calls-$n; done")
    machine.ok("zpool create -f calls draid1:2d:5c:1s /tmp/calls-*")
    try:
        facts, leaves = figures(calls, "calls")
        assert facts["layout"] == "draid1:2d:5c:1s"
        assert (facts["parity"], facts["recommended"]) == ("1", "32768")
        assert leaves == ["data 0:0"] * 5
    finally:
        machine.wait_for("zpool destroy -f calls && rm -f /tmp/calls-*")


def test_what_a_volume_needs(calls, machine, pool):
    """The dry run's figure is the refreservation the volume then has, and nothing is made by it."""
    before = machine.datasets(pool.name)
    for size in ("512", "4K", "16K", "128K"):
        name = f"{pool.parent}/volbench-{RUN}"
        answer = calls("dry", "zvol", name, RUN, SIZE, f"volblocksize={size}")
        assert answer[0] == 0, answer
        assert calls("dry", "zvol", name, RUN, SIZE, f"volblocksize={size}", "sparse") == answer
        assert machine.datasets(pool.name) == before
        made(calls, name, f"volblocksize={size}")
        assert machine.ok(f"zfs get -Hpo value refreservation {name}") == answer[1][0]
        assert calls("destroy", name, pool.parent, RUN) == (0, [])
    made(calls, name, "sparse")
    assert machine.ok(f"zfs get -Hpo value refreservation {name}") == "0"
    assert calls("destroy", name, pool.parent, RUN) == (0, [])
    assert machine.datasets(pool.name) == before


def test_what_is_refused(calls, machine, pool):
    name = f"{pool.parent}/volbench-{RUN}"
    before = machine.datasets(pool.name)
    for verb in ("dry", "create"):
        refused(calls(verb, "zvol", name, RUN, SIZE, "volblocksize=3K"), "bad_value volblocksize:", "power of 2")
        refused(calls(verb, "zvol", name, RUN, SIZE, "volblocksize=64M"), "bad_value volblocksize:", "power of 2")
        refused(calls(verb, "zvol", name, RUN, SIZE, "recordsize=4K"), "bad_value recordsize:", "does not apply")
        refused(calls(verb, "zvol", name, RUN, SIZE, "compression=odd"), "bad_value compression:", "must be one of")
        refused(calls(verb, "dataset", name, RUN, "/tmp/m", "recordsize=3K"), "bad_value recordsize:", "power of 2")
        refused(calls(verb, "dataset", name, RUN, "/tmp/m", "odd=1"), "bad_value odd:", "invalid property")
        refused(calls(verb, "zvol", name, RUN, SIZE, "volmode=full"), "bad_value volmode:", "Volbench itself")
    refused(calls("dry", "zvol", name, RUN, 100000, "volblocksize=16K"), "bad_size size:", "114688 bytes")
    refused(calls("dry", "zvol", name, RUN, SIZE + 512), "bad_size size:", "no multiple")
    refused(calls("create", "zvol", name, RUN, 100 << 30, "volblocksize=4K"), "no_space :", "out of space")
    refused(calls("create", "zvol", f"{pool.parent}/a/b", RUN, SIZE), "target_missing :", "parent does not exist")
    refused(calls("create", "zvol", "nopool/b", RUN, SIZE), "target_missing :", "no such pool")
    refused(calls("create", "zvol", pool.parent, RUN, SIZE), "file_exists :", "already exists")
    assert machine.datasets(pool.name) == before
    machine.wait_for(f"udevadm settle; zpool export {pool.name}")
    where = " ".join(f"-d {disk}" for disk in pool.disks)
    machine.ok(f"zpool import -o readonly=on {where} {pool.name} || zpool import -o readonly=on {pool.name}")
    refused(calls("create", "zvol", name, RUN, SIZE), "target_read_only :", "pool is read-only")
    assert figures(calls, pool.name)[0]["readonly"] == "1"


def test_a_pool_without_features(calls, machine, make_pool):
    """Block sizes are refused by the dry run already; of others only the kernel knows."""
    pool = make_pool(options="-d")
    name = f"{pool.parent}/volbench-{RUN}"
    for verb in ("dry", "create"):
        refused(calls(verb, "zvol", name, RUN, SIZE, "volblocksize=256K"), "bad_value volblocksize:", "to 128K")
        refused(calls(verb, "dataset", name, RUN, "/tmp/m", "recordsize=1M"), "bad_value recordsize:", "to 128K")
    refused(calls("create", "zvol", name, RUN, SIZE, "compression=zstd"), "bad_value compression:", "upgraded")
    made(calls, name, "volblocksize=128K")
    assert calls("destroy", name, pool.parent, RUN) == (0, [])


def test_made_and_destroyed_again_and_again(calls, machine, pool):
    """udev opens a new zvol, and one that was written to: neither fails what comes next."""
    before = machine.datasets(pool.name)
    names = [f"{pool.parent}/volbench-{RUN}-{n}" for n in range(6)]
    for name in names:
        node = made(calls, name, "volblocksize=4K")
        assert calls("node", name)[1][0].split()[0] == node
        machine.ok(f"dd if=/dev/urandom of={node} bs=64k count=4 2>/dev/null")
    got = machine.ok(f"zfs get -Hpo value,source volbench:run,volmode {names[0]}").split()
    assert got == [RUN, "local", "dev", "local"]
    for name in names:
        assert calls("destroy", name, pool.parent, RUN) == (0, [])
    for _ in range(6):
        node = made(calls, names[0], "sparse")
        assert calls("destroy", names[0], pool.parent, RUN) == (0, [])
        node = made(calls, names[0])
        machine.ok(f"dd if=/dev/urandom of={node} bs=64k count=4 2>/dev/null")
        assert calls("destroy", names[0], pool.parent, RUN) == (0, [])
    assert machine.datasets(pool.name) == before


def test_a_zvol_that_is_held_open(calls, machine, pool):
    """It is told as busy at the deadline; a destroy that waits hears of the close."""
    name = f"{pool.parent}/volbench-{RUN}"
    node = made(calls, name)
    holder = machine.start(f"sleep 1000 <{node}", "/dev/null")
    machine.wait_for(f"readlink /proc/{holder}/fd/0 | grep -q {node}")
    answer = calls("destroy", name, pool.parent, RUN, 2)
    waiting = machine.start(
        f"{machine.state}/zfs_calls destroy {name} {pool.parent} {RUN} 100", f"{machine.state}/destroy.log"
    )
    machine.wait_for(f"ls -l /proc/{waiting}/fd | grep -q inotify")
    machine.ok(f"kill {holder}")
    machine.wait_for(f"! kill -0 {waiting}", pause=0.05)
    refused(answer, "target_busy :", "is busy")
    assert machine.ok(f"cat {machine.state}/destroy.log; rm {machine.state}/destroy.log") == ""
    assert machine.run(f"zfs list {name}")[0] != 0


# The caller dead first: who leaves a stopped group behind has it hung up. A create that was done
# before it was stopped is undone, and there is another.
LEAVE_BEHIND = """
exec 2>/dev/null
for attempt in $(seq 50); do
    TOOL create zvol NAME & caller=$!
    while kill -0 $caller; do
        creator=$(cat /proc/$caller/task/$caller/children) && creator=${creator% }
        [ "$(cat /proc/$creator/comm)" = zfs ] || continue
        kill -9 $caller
        wait $caller
        kill -STOP $creator
        while state=$(cut -d' ' -f3 /proc/$creator/stat) && [ $state != Z ]; do
            [ $state != T ] || { echo $creator; exit 0; }
        done
    done
    until TOOL destroy PARENT; do sleep 0.1; done
done
exit 1
"""


def test_a_create_that_was_left_behind(calls, machine, pool):
    """Who began it is dead and it is not done yet: a sweep waits for it, or keeps it in mind."""
    name = f"{pool.parent}/volbench-{RUN}"
    tool = f"{machine.state}/zfs_calls"
    script = LEAVE_BEHIND.replace("TOOL", tool)
    script = script.replace("NAME", f"{name} {RUN} {SIZE} >/dev/null")
    creator = machine.ok(script.replace("PARENT", f"{name} {pool.parent} {RUN} >/dev/null"))
    refused(calls("destroy", name, pool.parent, RUN, 2), "target_busy :", "is still creating")
    waiting = machine.start(f"{tool} destroy {name} {pool.parent} {RUN} 100", f"{machine.state}/destroy.log")
    machine.wait_for(f"ls -l /proc/{waiting}/fd | grep -q pidfd")
    machine.ok(f"kill -CONT {creator}")
    machine.wait_for(f"! kill -0 {waiting}")
    assert machine.ok(f"cat {machine.state}/destroy.log; rm {machine.state}/destroy.log") == ""
    machine.wait_for(f"! kill -0 {creator}")
    assert machine.run(f"zfs list {name}")[0] != 0


def test_nothing_else_is_destroyed(calls, machine, pool):
    """Name, parent, mark, its source and the run's id must all agree."""
    ours = f"{pool.parent}/volbench-{RUN}"
    machine.ok(f"zfs set volbench:run={RUN} {pool.parent}")  # inherited by all below
    machine.ok(f"zfs create -o mountpoint=none {pool.parent}/volbench-mine")
    machine.ok(f"zfs create -o mountpoint=none -o volbench:run=other {pool.parent}/volbench-other")
    machine.ok(f"zfs create -o mountpoint=none -o volbench:run={RUN} {pool.parent}/data")
    machine.ok(f"zfs create -o mountpoint=none -o volbench:run={RUN} {pool.name}/volbench-{RUN}")
    machine.ok(f"zfs create -o mountpoint=none -o volbench:run={RUN} {ours}")
    machine.ok(f"zfs create -o mountpoint=none {ours}/user")
    before = machine.datasets(pool.name)
    for name in (
        f"{pool.parent}/volbench-mine", f"{pool.parent}/volbench-other", f"{pool.parent}/data",
        f"{pool.name}/volbench-{RUN}", pool.parent, pool.name, f"{ours}/user", f"{ours}@snap",
    ):  # fmt: skip
        refused(calls("destroy", name, pool.parent, RUN), "target_not_allowed :", "is not destroyed")
    refused(calls("destroy", ours, pool.parent, RUN), "zfs_failed :", "has children")
    assert machine.datasets(pool.name) == before
    machine.ok(f"zfs destroy {ours}/user")
    assert calls("destroy", ours, pool.parent, RUN) == (0, [])
    assert calls("destroy", ours, pool.parent, RUN) == (0, []), "gone already is as good"
    refused(calls("destroy", f"{pool.name}/no/volbench-{RUN}", f"{pool.name}/no", RUN), "target_missing :", "not exist")


def test_a_dataset(calls, machine, pool):
    name = f"{pool.parent}/volbench-{RUN}"
    where = f"{machine.state}/mount point"
    machine.ok(f"mkdir -m 700 '{where}'")
    assert calls("dry", "dataset", name, RUN, f"'{where}'", "recordsize=16K") == (0, ["0"])
    assert calls("create", "dataset", name, RUN, f"'{where}'", "recordsize=16K") == (0, [])
    assert machine.ok(f"zfs get -Hpo value mounted,canmount,recordsize {name}").split() == ["no", "noauto", "16384"]
    assert calls("mount", name) == (0, [])
    machine.ok(f"echo text >'{where}/file'")
    holder = machine.start(f"sleep 1000 <'{where}/file'", "/dev/null")
    machine.wait_for(f"readlink /proc/{holder}/fd/0 | grep -q file")
    answer = calls("destroy", name, pool.parent, RUN, 2)
    machine.ok(f"kill {holder}")
    refused(answer, "target_busy :", "busy")
    assert calls("destroy", name, pool.parent, RUN) == (0, [])
    machine.ok(f"rmdir '{where}'")


def test_a_pool_whose_disk_is_gone(calls, machine, make_pool):
    """The pool is suspended and what asks it hangs in the kernel: left behind, and told."""
    if not isinstance(machine, machine_module.Virtual):
        pytest.skip("a pool that hangs for good is not made on this machine")
    pool = make_pool()
    name = f"{pool.parent}/volbench-{RUN}"
    made(calls, name)
    disk = pathlib.Path(pool.disks[0]).name
    machine.ok(f"echo 1 >$(readlink -f /sys/block/{disk}/device/..)/remove")
    answer = calls("destroy", name, pool.parent, RUN, 5)
    refused(answer, "zfs_failed :", "did not answer within")
    assert "cannot be ended" in answer[1][0]
    machine.kill()  # nothing else ends such a pool
