# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine alone, as it makes and removes zvols and datasets: what it destroys, and what never."""
import itertools
import json

import pytest

runs = itertools.count(1)


def zvol(pool, size="32M", **properties):
    return {"zvol": {"parent": pool.parent, "size": size, "properties": properties}}


def dataset(pool, **properties):
    return {"dataset": {"parent": pool.parent, "properties": properties}}


def definition(target, runtime="200ms", size="8m", **more):
    return {
        "name": "small",
        "workloads": [{"name": "read", "rw": "randread", "bs": "16k", "size": size, "runtime": runtime}],
        **({"targets": target} if isinstance(target, list) else {"target": target}),
        **more,
    }


class Engine:
    """`volbench engine` in the machine: one request on its standard input, lines on its output."""

    def __init__(self, machine, pool, datasets=None):
        self.machine = machine
        self.state = f"{machine.state}/engine-{next(runs)}"
        allowed = [pool.parent] if datasets is None else datasets
        # A directory is allowed too, so that it starts where no dataset is.
        machine.ok(f"mkdir -p {self.state} /tmp/none")
        self.words = f"engine --state {self.state} --allow /tmp/none " + " ".join(
            f"--allow-dataset {name}" for name in allowed
        )
        self.pool = pool
        self.process = None

    def _command(self, call):
        self.machine.put(json.dumps(call) + "\n", f"{self.state}/request")
        return f"volbench {self.words}"

    def ask(self, call, timeout=300):
        """All that it says."""
        command = self._command(call)
        output = self.machine.ok(f"{command} <{self.state}/request", timeout=timeout)
        return [json.loads(line) for line in output.splitlines()]

    def run(self, definition_, run_id="r", timeout=300):
        lines = self.ask({"call": "run", "run": run_id, "definition": definition_}, timeout)
        return lines[-1], lines

    def sweep(self):
        [answer] = self.ask({"call": "sweep"})
        return {(f["code"], f["message"]) for f in answer["swept"]}

    def begin(self, definition_, run_id="r"):
        command = self._command({"call": "run", "run": run_id, "definition": definition_})
        inner = command.replace("volbench", f"exec volbench <{self.state}/request", 1)
        self.process = self.machine.start(f"sh -c '{inner}'", f"{self.state}/lines")

    def until(self, phase):
        self.machine.wait_for(f"""grep -q '"phase":"{phase}"' {self.state}/lines""", pause=0)

    def kill(self):
        self.machine.ok(f"kill -9 {self.process}")
        self.machine.wait_for(f"! kill -0 {self.process}")

    def left(self):
        """What is in its directory, but for what the test and the lock have put there."""
        return [
            name for name in self.machine.ok(f"ls -A {self.state}").splitlines()
            if name not in ("lock", "request", "lines")
        ]  # fmt: skip


@pytest.fixture(name="engine")
def fixture_engine(machine, pool):
    return Engine(machine, pool)


def names(machine, pool):
    return machine.ok(f"zfs list -rHo name -t all {pool.name}").splitlines()


def code_of(swept, name):
    """How a sweep has told of one name."""
    [code] = [code for code, message in swept if message.startswith(f"{name}:")]
    return code


def test_zvol_and_dataset_together(machine, pool, engine):
    """Several of both in one run, kept at once; nothing is left."""
    before = machine.datasets(pool.name)
    targets = [{"name": "volume", **zvol(pool)}, {"name": "files", **dataset(pool)}]
    end, lines = engine.run(definition(targets, factors={"compression": ["off", "lz4"]}, repeats=2))
    assert end["end"]["state"] == "done", end
    samples = [line["sample"] for line in lines if "sample" in line]
    assert len(samples) == 8
    assert {s["levels"]["target"] for s in samples} == {"volume", "files"}
    assert len({s["backend"] for s in samples}) == 1, "not one backend for all"
    assert machine.datasets(pool.name) == before
    assert engine.left() == []


def test_a_pool_with_an_altroot(machine, pool, engine):
    """As of TrueNAS: a dataset is mounted in the engine's own directory all the same, or nowhere."""
    machine.wait_for(f"udevadm settle; zpool export {pool.name}")
    where = " ".join(f"-d {disk}1 -d {disk}" for disk in pool.disks)
    root = machine.ok(f"dirname {engine.state}")
    machine.wait_for(f"zpool import -R {root} {where} {pool.name}")
    before = machine.datasets(pool.name)
    end, lines = engine.run(definition(dataset(pool)))
    assert end["end"]["state"] == "done", end
    assert machine.datasets(pool.name) == before
    assert engine.left() == []
    assert machine.run(f"ls -d {root}{root}")[0] != 0, "it was mounted beneath the altroot once more"
    machine.wait_for(f"udevadm settle; zpool export {pool.name}")
    machine.wait_for(f"zpool import -R /mnt {where} {pool.name}")
    end, lines = engine.run(definition(dataset(pool)))
    assert end["end"]["error"]["code"] == "conflicting_options", lines
    assert "altroot=/mnt" in end["end"]["error"]["message"]
    assert machine.datasets(pool.name) == before
    assert engine.left() == []
    assert machine.run(f"ls -d /mnt{root}")[0] != 0


@pytest.mark.parametrize("phase", ["fill", "measure"])
def test_kill_and_sweep(machine, pool, engine, phase):
    before = machine.datasets(pool.name)
    targets = [{"name": "volume", **zvol(pool, "128M")}, {"name": "files", **dataset(pool)}]
    engine.begin(definition(targets, runtime="1h", size="64m"))
    engine.until(phase)
    engine.kill()
    assert len(names(machine, pool)) == len(before) + 2
    swept = engine.sweep()
    assert {code for code, _ in swept} == {"removed"}
    assert machine.datasets(pool.name) == before
    assert engine.left() == []
    assert machine.run(f"grep -F {engine.state} /proc/mounts")[0] == 1


def manifest(machine, engine, run_id, *made):
    lines = "".join(f"dataset {name}\n" for name in made)
    machine.put("volbench.manifest/1\n" + lines, f"{engine.state}/{run_id}.manifest")


def test_what_a_sweep_never_destroys(machine, pool, engine):
    """Name, parent, property and its source, and the run's id: all must agree."""
    parent = pool.parent
    kept = {
        "another's id": f"{parent}/volbench-r-1",
        "no property": f"{parent}/volbench-r-2",
        "inherited": f"{parent}/marked/volbench-r-3",
        "a longer name": f"{parent}/volbench-r-44",
        "outside": f"{pool.name}/elsewhere/volbench-r-5",
    }
    machine.ok(
        f"zfs create -o volbench:run=other {parent}/volbench-r-1"
        f" && zfs create -V 8M {parent}/volbench-r-2"
        f" && zfs create -o volbench:run=r {parent}/marked && zfs create {parent}/marked/volbench-r-3"
        f" && zfs create -o volbench:run=r {parent}/volbench-r-44"
        f" && zfs create {pool.name}/elsewhere"
        f" && zfs create -o volbench:run=r {pool.name}/elsewhere/volbench-r-5"
        f" && zfs create -o volbench:run=r -V 8M {parent}/volbench-r-4"
    )
    before = machine.datasets(pool.name)
    named = [name for what, name in kept.items() if what != "a longer name"]
    manifest(machine, engine, "r", f"{parent}/volbench-r-4", *named)
    swept = engine.sweep()
    assert code_of(swept, f"{parent}/volbench-r-4") == "removed"
    for name in named:
        assert code_of(swept, name) == "left"
    after = machine.datasets(pool.name)
    assert [line for line in before if not line.startswith(f"{parent}/volbench-r-4\t")] == after
    # Only what may be possible another time is remembered.
    remembered = machine.ok(f"cat {engine.state}/r.manifest").splitlines()[1:]
    assert remembered == [f"dataset {kept['outside']}"]


@pytest.mark.parametrize("clone", [False, True], ids=["snapshot", "clone"])
def test_a_snapshot_on_ours(machine, pool, engine, clone):
    """Never recursively: it is left, told, and removed when what hangs on it is gone."""
    ours = f"{pool.parent}/volbench-r"
    machine.ok(f"zfs create -o volbench:run=r {ours} && zfs snapshot {ours}@mine")
    if clone:
        machine.ok(f"zfs clone {ours}@mine {pool.parent}/mine")
    before = machine.datasets(pool.name)
    manifest(machine, engine, "r", ours)
    assert code_of(engine.sweep(), ours) == "left"
    assert machine.datasets(pool.name) == before
    assert engine.left() == ["r.manifest"]
    machine.ok(f"zfs destroy -R {ours}@mine")
    assert code_of(engine.sweep(), ours) == "removed"
    assert engine.left() == []


def test_a_parent_that_is_not_allowed_any_more(machine, pool, engine):
    ours = f"{pool.parent}/volbench-r"
    machine.ok(f"zfs create -o volbench:run=r {ours}")
    manifest(machine, engine, "r", ours)
    other = Engine(machine, pool, datasets=[])
    other.state, other.words = engine.state, other.words.replace(other.state, engine.state)
    [(code, message)] = other.sweep()
    assert code == "left" and f"--allow-dataset {pool.parent}" in message
    assert ours in names(machine, pool)
    assert code_of(engine.sweep(), ours) == "removed"


def test_a_pool_that_is_not_imported(machine, pool, engine):
    ours = f"{pool.parent}/volbench-r"
    machine.ok(f"zfs create -o volbench:run=r {ours}")
    machine.wait_for(f"udevadm settle; zpool export {pool.name}")
    manifest(machine, engine, "r", ours)
    assert code_of(engine.sweep(), ours) == "left"
    where = " ".join(f"-d {disk}" for disk in pool.disks)
    machine.wait_for(f"udevadm settle; zpool import -d /dev {pool.name} || zpool import {where} {pool.name}")
    assert code_of(engine.sweep(), ours) == "removed"
    assert engine.left() == []


def test_cancel_while_zfs_creates(machine, pool, engine, zfs_instead):
    """A cancel is heard in a command, and what is half made goes: here a volume whose `zfs create` goes
    on when it is made."""
    before = machine.datasets(pool.name)
    zfs_instead(f'case "$1 $*" in "create create -n"*) ;; create*-r-3) $zfs "$@"; exec sleep 100000 ;; esac')
    engine.begin(definition(zvol(pool, "16M"), factors={"volblocksize": ["4K", "8K", "16K", "32K", "64K"]}))
    machine.wait_for(f"zfs list -rHo name {pool.parent} | grep -q volbench-r-3")
    machine.ok(f"kill -TERM {engine.process}")
    machine.wait_for(f"! kill -0 {engine.process}")
    assert '"state":"cancelled"' in machine.ok(f"tail -n1 {engine.state}/lines")
    assert machine.datasets(pool.name) == before
    assert engine.left() == []


def test_destroyed_right_after_it_was_made(machine, pool, engine):
    """udev has each new node open for a moment: a failure at the second finds the first busy."""
    before = machine.datasets(pool.name)
    machine.ok(f"zfs create -V 16M -s {pool.parent}/volbench-r-2")  # the name that will be wanted
    for _ in range(3):
        end, _ = engine.run(definition(zvol(pool, "16M"), factors={"volblocksize": ["16K", "64K"]}))
        assert end["end"]["error"]["code"] == "file_exists", end
        assert names(machine, pool) == [*(l.split("\t")[0] for l in before), f"{pool.parent}/volbench-r-2"]
        assert engine.left() == []


@pytest.mark.parametrize("kind", ["zvol", "dataset"])
def test_a_pool_that_fills_up(machine, pool, engine, zfs_instead, kind):
    """Somebody else's data take what a sparse volume, or files, were promised, right after it was made."""
    before = machine.datasets(pool.name)
    target = zvol(pool, "400M") if kind == "zvol" else dataset(pool)
    if kind == "zvol":
        target["zvol"]["sparse"] = True
    zfs_instead(
        'case "$1 $*" in "create create -n"*) ;; create*) '
        f'$zfs "$@" && exec $zfs create -o reservation=600M {pool.parent}/others; exit 1 ;; esac'
    )
    end, _ = engine.run(definition(target, size="400m"))
    assert end["end"]["error"]["code"] == "no_space", end
    assert pool.name in end["end"]["error"]["message"]
    machine.ok(f"zfs destroy {pool.parent}/others")
    assert machine.datasets(pool.name) == before
    assert engine.left() == []
