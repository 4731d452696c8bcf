# SPDX-License-Identifier: GPL-3.0-or-later
"""What the other tests lean on: the machine, its pools, its reboot, the program in it."""
import pytest

import machine as machine_module


def test_it_runs_what_it_is_given(machine):
    assert machine.run("echo out; echo err >&2; exit 3") == (3, "out\nerr\n")
    assert machine.ok("cat; echo end") == "end", "standard input is not empty"
    data = bytes(range(256)) * 5000
    machine.put_bytes(data, f"{machine.state}/bytes")
    assert machine.get(f"{machine.state}/bytes") == data
    with pytest.raises(AssertionError, match="exit status 1"):
        machine.ok("false")
    with pytest.raises(machine_module.Failure, match="not done after 1 s"):
        machine.run("sleep 60", timeout=1)
    assert machine.ok("echo on") == "on", "it does not go on after a command that hung"


def test_it_has_openzfs(machine, pool):
    """A real one: what is asked of a pool is answered by the kernel."""
    machine.ok(f"zfs create -V 32M -o volblocksize=16K {pool.parent}/volume")
    machine.wait_for(f"test -b /dev/zvol/{pool.parent}/volume")
    assert machine.ok(f"zfs get -Hpo value volblocksize {pool.parent}/volume") == "16384"
    machine.ok(f"zfs create {pool.parent}/files && echo kept >/{pool.parent}/files/file")
    assert [line.split("\t")[0] for line in machine.datasets(pool.name)] == [
        pool.name, pool.parent, f"{pool.parent}/files", f"{pool.parent}/volume",
    ]  # fmt: skip


@pytest.mark.parametrize("hard", [True, False])
def test_what_is_kept_over_a_reboot(machine, pool, hard):
    machine.ok(f"zfs create {pool.parent}/files && echo kept >/{pool.parent}/files/file")
    machine.ok(f"echo state >{machine.state}/file && echo gone >/tmp/file && sync")
    before = machine.datasets(pool.name)
    machine.reboot(hard)
    assert machine.datasets(pool.name) == before
    assert machine.ok(f"cat /{pool.parent}/files/file {machine.state}/file") == "kept\nstate"
    assert machine.run("cat /tmp/file")[0] == 1


def test_the_program_runs_in_it(machine, make_service, pool):
    """The service there, and a run on a file of a dataset, with a report."""
    assert machine.ok("volbench --version").startswith("volbench ")
    service = make_service(allow=[f"/{pool.parent}"])
    definition = {
        "name": "files",
        "target": {"directory": f"/{pool.parent}"},
        "factors": {"bs": ["4k", "16k"]},
        "defaults": {"size": "1m", "runtime": 1, "iodepth": 4},
        "workloads": [{"name": "random read", "rw": "randread"}],
    }
    run_id = service.client.submit(definition)
    service.client.wait_state(run_id, "done")
    service.client.wait_report(run_id)
    assert "random read" in service.client.get(f"/runs/{run_id}/").body.decode()
    assert machine.ok(f"ls -A /{pool.parent}") == ""
