# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd unit and its drop-in for OpenZFS keep their promise of exposure, every option in them
is known, and the drop-in lets through what the programs it is for ask of the kernel."""
import pathlib
import re
import shutil
import subprocess

import pytest

SYSTEMD = pathlib.Path(__file__).parents[2] / "systemd"

# What `strace -f` saw of zfs create (-V, -nP, of a dataset), get, allow, destroy and zpool list,
# status, get, sync, of OpenZFS 2.3.2 with glibc 2.36; and what mounting adds.
ZFS_CALLS = """access arch_prctl brk close connect execve exit_group fstatfs getdents64 getrandom
gettid ioctl lseek mmap mprotect munmap newfstatat openat pread64 prlimit64 read readlink rseq
set_robust_list set_tid_address socket write""".split()
MOUNT_CALLS = ["mount", "umount2"]


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)


def commented_in(text):
    """With the lines in force that the drop-in leaves to the administrator."""
    return re.sub(r"^#([A-Z]\w+=)", r"\1", text, flags=re.M)


@pytest.fixture(params=["alone", "zfs", "zfs with datasets"])
def unit(request, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    text = (SYSTEMD / "volbench.service").read_text().replace("@BINDIR@", "/bin")
    # The program need not be installed for the check of the unit: any program stands for it.
    path = tmp_path / "volbench.service"
    path.write_text(text.replace("/bin/volbench", "/bin/true"))
    if request.param != "alone":
        drop_in = (SYSTEMD / "volbench-zfs.conf").read_text()
        if request.param == "zfs with datasets":
            drop_in = commented_in(drop_in)
        (tmp_path / "volbench.service.d").mkdir()
        (tmp_path / "volbench.service.d/zfs.conf").write_text(drop_in)
    return path


def with_datasets(unit):
    drop_in = unit.parent / "volbench.service.d/zfs.conf"
    return drop_in.exists() and re.search("^AmbientCapabilities=CAP_SYS_ADMIN", drop_in.read_text(), re.M)


def test_exposure(unit):
    out = analyze("security", "--offline=yes", "--no-pager", unit).stdout
    level = re.search(r"Overall exposure level for \S+: ([0-9.]+)", out)
    assert level, out
    # Who may mount is not as shut in as the others.
    assert float(level.group(1)) <= (2.5 if with_datasets(unit) else 2.0)
    assert ("block-zvol:rw" in out) == (unit.parent / "volbench.service.d").exists()


def test_every_option_is_known(unit):
    done = analyze("verify", "--man=no", unit)
    complaints = [line for line in done.stderr.splitlines()
                  if "volbench.service" in line or "zfs.conf" in line]
    assert complaints == []


def expanded(name):
    """The system calls of "@set", sets in it too; or of "call", itself."""
    if not name.startswith("@"):
        return {name}
    words = re.findall(r"^ +([@a-z0-9_-]+)$", analyze("syscall-filter", name).stdout, re.M)
    return set().union(*(expanded(word) for word in words))


def filtered(texts):
    """What SystemCallFilter= lines let through, in their order (systemd.exec(5))."""
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", "\n".join(texts), re.M):
        calls = set().union(*(expanded(word) for word in line.lstrip("~").split()))
        allowed = allowed - calls if line.startswith("~") else allowed | calls
    return allowed


def test_filter_lets_the_programs_through():
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    texts = [(SYSTEMD / name).read_text() for name in ("volbench.service", "volbench-zfs.conf")]
    allowed = filtered(texts)
    assert set(ZFS_CALLS) - allowed == set()
    assert not set(MOUNT_CALLS) & allowed
    assert set(ZFS_CALLS + MOUNT_CALLS) - filtered(map(commented_in, texts)) == set()


def test_rule_names_only_what_volbench_makes():
    rule = (SYSTEMD / "volbench-zvol.rules").read_text()
    assert re.findall(r'SYMLINK=="([^"]*)"', rule) == ["zvol/tank/volbench/volbench-*"]
