# SPDX-License-Identifier: GPL-3.0-or-later
"""A service that is not root: what it lacks is told before a run, by the command that grants it."""
import itertools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
USER = 64242  # nobody's: also one that has no name may be given permissions
RULE = "/run/udev/rules.d/61-volbench-zvol.rules"
WANTED = ["create", "mount", "destroy", "userprop", "volmode", "refreservation", "compression"]
numbers = itertools.count()


@pytest.fixture
def control_device(machine):
    """/dev/zfs as most systems have it: for everybody."""
    mode = machine.ok("stat -c %a /dev/zfs")
    machine.ok("chmod 666 /dev/zfs")
    yield
    machine.ok(f"chmod {mode} /dev/zfs")


@pytest.fixture
def rule(machine, pool):
    """rule() lays down the udev rule that README tells of, for this pool and user."""

    def lay():
        text = (ROOT / "systemd/volbench-zvol.rules").read_text()
        assert "zvol/tank/volbench/" in text and 'GROUP="volbench"' in text
        text = text.replace("tank/volbench/", pool.parent + "/").replace(
            'GROUP="volbench"', f'GROUP="{USER}"'
        )
        machine.ok("mkdir -p /run/udev/rules.d")
        machine.put(text, RULE)
        machine.ok("udevadm control --reload")

    yield lay
    machine.ok(f"rm -f {RULE}; udevadm control --reload")


@pytest.fixture
def unprivileged(machine, make_service, pool):
    def make(more="", **arguments):
        state = f"{machine.state}/unprivileged-{next(numbers)}"
        machine.ok(f"mkdir -m 700 {state} && chown {USER}:{USER} {state}")
        prefix = f"/usr/bin/setpriv --reuid {USER} --regid {USER} --clear-groups {more}"
        return make_service(datasets=[pool.parent], state=state, prefix=prefix.strip(), **arguments)

    return make


def definition(pool, kind="zvol", **changes):
    target = {"parent": pool.parent, "properties": {"compression": "off"}, **changes}
    return {
        "name": "by a user",
        "target": {kind: target},
        "defaults": {"size": "4m", "runtime": 1, "bs": "16k"},
        "workloads": [{"name": "write", "rw": "randwrite"}],
    }


def refused(service, document):
    answer = service.client.post("/api/v1/plan", document)
    assert (answer.status, answer.code) == (403, "zfs_permission"), answer
    assert answer.json["field"] == "/target"
    return answer.json["detail"]


def candidates(service):
    return {t["kind"]: t for t in service.client.get("/api/v1/targets").json["targets"]}


def test_what_is_granted_makes_it_go(machine, pool, unprivileged, control_device, rule):
    service = unprivileged()
    before = machine.datasets(pool.name)
    told = refused(service, definition(pool))
    command = re.search(r"zfs allow .*", told).group()
    assert command == f"zfs allow -u {USER} {','.join(WANTED)} {pool.parent}"
    assert not candidates(service)["zvol"]["usable"]
    machine.ok(command)
    assert "belong to the group disk" in refused(service, definition(pool))
    rule()
    run_id = service.client.submit(definition(pool))
    service.client.wait_state(run_id, "done")
    assert machine.datasets(pool.name) == before
    assert candidates(service)["zvol"]["usable"]


def test_each_that_is_missing_is_named_alone(machine, pool, unprivileged, control_device, rule):
    rule()
    service = unprivileged()
    grant = f"zfs allow -u {USER} {','.join(WANTED)} {pool.parent}"
    machine.ok(grant)
    for name in WANTED:
        machine.ok(f"zfs unallow -u {USER} {name} {pool.parent}")
        told = refused(service, definition(pool))
        assert told.endswith(f": zfs allow -u {USER} {name} {pool.parent}"), told
        machine.ok(grant)
    machine.ok(f"zfs unallow -u {USER} refreservation {pool.parent}")
    answer = service.client.post("/api/v1/plan", definition(pool, sparse=True))
    assert answer.status == 200, answer


def test_sets_scopes_and_creation(machine, pool, unprivileged, control_device, rule):
    """What OpenZFS takes for granted is taken for it, and the run shows that it is."""
    rule()
    service = unprivileged()
    machine.ok(f"zfs allow -s @some userprop,volmode {pool.name}")
    machine.ok(f"zfs allow -s @all @some,refreservation {pool.parent}")
    machine.ok(f"zfs allow -l -g {USER} create,mount {pool.parent}")
    machine.ok(f"zfs allow -d -e @all {pool.parent}")
    machine.ok(f"zfs allow -c destroy,mount {pool.parent}")
    told = refused(service, definition(pool))
    assert told.endswith(f": zfs allow -u {USER} compression {pool.parent}"), told
    machine.ok(f"zfs allow -d -u {USER} compression {pool.name}")
    run_id = service.client.submit(definition(pool))
    service.client.wait_state(run_id, "done")
    assert not [line for line in machine.datasets(pool.name) if "volbench-" in line]


def test_nobody_but_root_mounts(pool, unprivileged, control_device, make_service):
    service = unprivileged()
    assert "only root" in refused(service, definition(pool, "dataset"))
    assert "only root" in candidates(service)["dataset"]["reason"]["message"]
    found = candidates(make_service(datasets=[pool.parent]))
    for kind in ("zvol", "dataset"):
        assert found[kind]["usable"], found[kind]
        assert found[kind]["path"] == pool.parent
        assert found[kind]["zfs"]["pool"] == pool.name
        assert found[kind]["zfs"]["ashift"] == 12
        assert found[kind]["free_bytes"] > 0 and found[kind]["size_bytes"] == 0


def test_the_capability_to_mount(machine, pool, unprivileged, control_device):
    """As the systemd drop-in gives it: datasets without being root."""
    service = unprivileged("--inh-caps +sys_admin --ambient-caps +sys_admin")
    before = machine.datasets(pool.name)
    run_id = service.client.submit(definition(pool, "dataset"))
    service.client.wait_state(run_id, "done")
    assert machine.datasets(pool.name) == before


def test_a_control_device_that_is_not_for_all(machine, pool, unprivileged, control_device):
    machine.ok("chmod 600 /dev/zfs")
    told = refused(unprivileged(), definition(pool))
    assert "may not open /dev/zfs (Permission denied)" in told and "chmod 666" in told


def test_what_a_user_left_behind(machine, pool, unprivileged, control_device, rule):
    """After kill -9 the next start destroys it by the same permissions, and nothing else."""
    rule()
    machine.ok(f"zfs allow -u {USER} {','.join(WANTED)} {pool.parent}")
    service = unprivileged()
    machine.ok(f"zfs create -s -V 16m -o volmode=none {pool.parent}/volbench-of-somebody-else")
    before = machine.datasets(pool.name)
    document = definition(pool)
    document["factors"] = {"volblocksize": ["8K", "16K"]}
    document["defaults"]["runtime"] = 300
    run_id = service.client.submit(document)
    listed = f"zfs list -rH -o name -t volume {pool.parent}"
    machine.wait_for(f"[ $({listed} | grep -c {run_id}) = 2 ]")
    service.kill()
    service.start()
    machine.wait_for(f"! {listed} | grep {run_id}")
    assert machine.datasets(pool.name) == before
    assert service.client.run(run_id)["state"] == "interrupted"
