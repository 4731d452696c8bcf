# SPDX-License-Identifier: GPL-3.0-or-later
"""What the published comparisons show, in a terminal and on the page.

The truth was worked out from the printed digits by hand: a level is among the highest of a direction
where what rounding leaves open of its figure reaches what it leaves open of the highest.
"""
import os
import re
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VOLBENCH = os.environ.get("VOLBENCH", os.path.join(ROOT, "build", "volbench"))


def words_of(study, *options):
    """What `volbench import` says of a study, in one line."""
    path = os.path.join(ROOT, "api", "studies", study + ".json")
    done = subprocess.run([VOLBENCH, "import", path, *options], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return re.sub(r"\s+", " ", done.stdout)


def test_no_level_is_called_best_of_single_figures():
    words = words_of("volblocksize-mirrors")
    assert "One sample each can name no best level of volblocksize" in words
    assert ("Highest read figures: 64K in General_IO, Exchange and File_Server; 8K in "
            "Security_Onion_Search; 128K in Trellix and Mixed_VMs; 64K and 128K, which rounding "
            "does not tell apart, in VMware_Appliances.") in words
    assert ("Highest write figures: 64K in General_IO, Exchange and File_Server; 8K in "
            "Security_Onion_Ingest; 128K in Elastiflow, Trellix and Mixed_VMs; 16K, 32K and 64K, "
            "which rounding does not tell apart, in VMware_Appliances.") in words
    assert " best:" not in words
    assert "shown to differ" not in words


def test_two_runs_confirm_what_is_far_apart():
    words = words_of("disk-vs-vsan")
    assert re.search(r"vsan serves these two workloads best: 16\.9 times \[[\d.]+, [\d.]+\] the "
                     r"figure of single disk over all\.", words)
    assert "drift may be in the differences" in words


def test_a_combination_that_lacks_keeps_no_level_out():
    words = words_of("zvol-vs-file")
    assert "One sample each can name no best level of target" in words
    assert re.search(r"together file is highest, 69 % ahead of zvol", words)


@pytest.mark.parametrize("study", ["stripe-unit", "disk-vs-vsan", "diskspd"])
def test_pages_tell_no_zero_that_nobody_told(study, tmp_path):
    words_of(study, "--html", str(tmp_path / "report"))
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Measured by" in page
    figures = re.search(r'<table class="study stack">.*?</table>', page, re.S)[0]
    samples = page[page.index(">Samples</h3>"):]
    assert not re.search(r">~?0(\.0+)?( / |</td>)| / 0 MiB", figures + samples)
    assert "fio.json" not in page
    assert not (tmp_path / "report" / "fio.json").exists()


def test_changes_alone_are_no_operations_a_second(tmp_path):
    words = words_of("stripe-unit", "--html", str(tmp_path / "report"))
    assert "100 = base" in words
    assert "figures are an index" in words
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Index by stripe_unit" in page
    assert ">IOPS</th>" not in page
