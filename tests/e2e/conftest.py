# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures: a service for one test, and one that the tests of a file share."""
import pathlib
import shutil
import signal
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import service as service_module  # noqa: E402


def stop(*_):
    """As ^C does: what was mounted and started is ended."""
    raise KeyboardInterrupt


def pytest_configure(config):
    signal.signal(signal.SIGTERM, stop)
    config.addinivalue_line(
        "markers", "patient: waits for many seconds; run beside the others, not among them"
    )


@pytest.fixture(scope="session")
def work_directory():
    """On a disk, not in memory: O_DIRECT and space are what the tests are about."""
    path = tempfile.mkdtemp(prefix="volbench-e2e-", dir="/var/tmp")
    yield pathlib.Path(path)
    shutil.rmtree(path)


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
    for service in made:
        service.stop()


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
