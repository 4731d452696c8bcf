# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd unit keeps its promise of exposure, and every option in it is known."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def unit(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    text = (ROOT / "systemd/volbench.service").read_text().replace("@BINDIR@", "/bin")
    # The program need not be installed for the check of the unit: any program stands for it.
    path = tmp_path / "volbench.service"
    path.write_text(text.replace("/bin/volbench", "/bin/true"))
    return path


def test_exposure_is_two_or_less(unit):
    out = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", unit],
        capture_output=True, text=True,
    ).stdout
    level = re.search(r"Overall exposure level for \S+: ([0-9.]+)", out)
    assert level, out
    assert float(level.group(1)) <= 2.0


def test_every_option_is_known(unit):
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if "volbench.service" in line]
    assert complaints == []
