# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures: a service for one test, and one that the tests of a file share."""
import contextlib
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import service as service_module  # noqa: E402


# No test takes half as long on the slowest machine: one that does hangs, and says where.
HANGS_AFTER_S = 1200


def stop(*_):
    """As ^C does: what was mounted and started is ended."""
    raise KeyboardInterrupt


def tell_that_it_hangs(*_):
    raise TimeoutError(f"it has not ended after {HANGS_AFTER_S} s")


@contextlib.contextmanager
def watched():
    signal.alarm(HANGS_AFTER_S)
    try:
        yield
    finally:
        signal.alarm(0)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup():
    with watched():
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call():
    with watched():
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown():
    with watched():
        yield


def pytest_runtest_logreport(report):
    """Notes what failed where `make e2e` looks for it: at the end, of those beside each other too."""
    if report.failed and "E2E_FAILED" in os.environ:
        with open(os.environ["E2E_FAILED"], "a", encoding="utf-8") as file:
            file.write(f"{report.nodeid} ({report.when})\n")


def pytest_configure(config):
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGALRM, tell_that_it_hangs)
    config.addinivalue_line(
        "markers", "patient: waits for many seconds; run beside the others, not among them"
    )


@pytest.fixture(scope="session")
def work_directory():
    """On a disk, not in memory: O_DIRECT and space are what the tests are about."""
    path = tempfile.mkdtemp(prefix="volbench-e2e-", dir="/var/tmp")
    yield pathlib.Path(path)
    remove(path)


def remove(path):
    """An engine whose parent was killed removes things here at the same time."""
    until = time.monotonic() + service_module.PATIENCE
    while pathlib.Path(path).exists():
        try:
            shutil.rmtree(path)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@pytest.fixture
def directory(work_directory):
    path = tempfile.mkdtemp(dir=work_directory)
    yield pathlib.Path(path)


@pytest.fixture
def make_service(directory):
    """make_service(...) gives a started service; all are stopped and looked at in the end."""
    made = []

    def make(**arguments):
        service = service_module.Service(directory / str(len(made)), **arguments)
        made.append(service)
        return service.start()

    yield make
    with contextlib.ExitStack() as stack:  # all of them, whatever one has to say
        for service in made:
            stack.callback(service.stop)


@pytest.fixture
def service(make_service):
    return make_service()


@pytest.fixture
def client(service):
    return service.client


@pytest.fixture(scope="module")
def shared(work_directory):
    """For tests that leave nothing behind that would disturb another."""
    service = service_module.Service(tempfile.mkdtemp(dir=work_directory)).start()
    yield service
    service.stop()
