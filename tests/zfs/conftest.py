# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures: the machine with OpenZFS, pools, and the service in it."""
import pathlib
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import guest  # noqa: E402
import machine as machine_module  # noqa: E402


def pytest_configure(config):
    del config
    machine_module.end_by_signals()


@pytest.fixture(scope="session")
def one_machine():
    directory = tempfile.mkdtemp(prefix="volbench-zfs-", dir="/var/tmp")
    made = None
    try:
        made = machine_module.make(directory)
        yield made
    finally:
        if made is not None:
            made.stop()
        shutil.rmtree(directory)


@pytest.fixture
def machine(one_machine):  # pylint: disable=redefined-outer-name
    """The same for all tests; started again where a test has brought it down."""
    if not one_machine.alive():
        one_machine.pools.clear()
        one_machine.start_up()
    return one_machine


@pytest.fixture
def make_pool(machine):  # pylint: disable=redefined-outer-name
    """make_pool(size="1G", disks=1, layout="mirror") gives a Pool; all are destroyed in the end."""
    made = []

    def make(**arguments):
        made.append(machine.make_pool(**arguments))
        return made[-1]

    yield make
    if machine.alive():
        for pool in made:
            machine.destroy_pool(pool)


@pytest.fixture
def pool(make_pool):  # pylint: disable=redefined-outer-name
    """A pool of one disk of 1 GiB, with a dataset to be the parent of what is made."""
    return make_pool()


@pytest.fixture
def make_service(machine, make_pool):  # pylint: disable=redefined-outer-name
    """make_service(datasets=[...]) gives a started service; all are stopped and looked at in the end."""
    del make_pool  # its pools are destroyed when no service uses them any more
    made = []

    def make(**arguments):
        made.append(guest.Service(machine, **arguments))
        return made[-1].start()

    yield make
    if machine.alive():
        for service in made:
            service.stop()


@pytest.fixture
def zfs_parameters(machine):  # pylint: disable=redefined-outer-name
    """zfs_parameters(zfs_txg_timeout=3600) sets parameters of the module; they are set back in the end."""
    before = {}

    def put(values):
        for name, value in values.items():
            machine.ok(f"echo {value} >/sys/module/zfs/parameters/{name}")

    def set_them(**values):
        for name in values:
            before.setdefault(name, machine.ok(f"cat /sys/module/zfs/parameters/{name}"))
        put(values)

    yield set_them
    if machine.alive():
        put(before)


@pytest.fixture
def one_txg(zfs_parameters):  # pylint: disable=redefined-outer-name
    """What is written goes to the disks at a sync, or when it is some tens of MiB, and at no time."""
    zfs_parameters(zfs_txg_timeout=3600)


@pytest.fixture
def slow_writes(zfs_parameters):  # pylint: disable=redefined-outer-name
    """slow_writes(): each write, of a MiB at most, then waits for a tenth of a second behind the last
    one, however fast the machine is (dmu_tx_delay() in OpenZFS's dmu_tx.c)."""

    def begin():
        zfs_parameters(zfs_delay_min_dirty_percent=0, zfs_delay_scale=10**10)

    return begin


@pytest.fixture
def zfs_instead(machine):  # pylint: disable=redefined-outer-name
    """zfs_instead(before): a script takes the place of zfs, runs `before`, and then zfs itself, "$zfs".

    So a test has its hand on what comes right before a command of the engine's, or right after it,
    however fast the machine is."""
    program = machine.ok("readlink -f /usr/sbin/zfs || readlink -f /sbin/zfs")
    machine.ok(
        f"mkdir -p /run/real && cp -L {program} /run/real/zfs"
        " && touch /run/zfs-instead && chmod 755 /run/zfs-instead"
    )

    def lay(before):
        machine.put(f'#!/bin/sh\nzfs=/run/real/zfs\n{before}\nexec $zfs "$@"\n', "/run/zfs-instead")
        machine.ok(f"mount --bind /run/zfs-instead {program}")

    yield lay
    if machine.alive():
        # a shell that is still in it holds it
        machine.wait_for(f"while grep -q ' {program} ' /proc/mounts; do umount {program} || exit 1; done")
        machine.ok("rm -rf /run/zfs-instead /run/real")


@pytest.fixture
def service(make_service, pool):  # pylint: disable=redefined-outer-name
    """One that is allowed the pool's parent dataset."""
    return make_service(datasets=[pool.parent])
