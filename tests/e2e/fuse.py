# SPDX-License-Identifier: GPL-3.0-or-later
"""A file system of a test's own, served by tests/tools/fuse_file.c (its head says what it does).

    with fuse.Mount(directory, size="64M", delay_us=1000) as mount:
        ... f"{mount.path}/file" ...; mount.process.send_signal(signal.SIGSTOP)
    operations = mount.log()

The caller skips with fuse.missing() where it is not None.
"""
import collections
import os
import pathlib
import signal
import subprocess
import tempfile

import engine

TOOL = pathlib.Path(engine.PROGRAM).parent / "tests" / "tools" / "fuse_file"

Operation = collections.namedtuple("Operation", "file kind offset length ns")


def missing():
    """Why there is none here; None where there is."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no /dev/fuse"
    return None


def number(size):
    """"64M" in bytes."""
    text = str(size)
    return int(text[:-1]) << {"k": 10, "M": 20, "G": 30}[text[-1]] if text[-1] in "kMG" else int(text)


class Mount:
    """size: of `file`, None for a file system that is empty. bad: {"read": (from, to)}, the bytes of
    files where reads (writes) of at most 64 KiB fail with EIO."""

    def __init__(self, directory, size=None, delay_us=0, bad=None):
        self.path = tempfile.mkdtemp(prefix="fuse-", dir=directory)
        self.log_path = self.path + ".log"
        self.command = [str(TOOL), "-d", str(delay_us), "-l", self.log_path]
        if size is not None:
            self.command += ["-s", str(number(size))]
        for kind, (begin, end) in (bad or {}).items():
            self.command += ["-e", f"{kind}:{begin}:{end}"]
        self.process = None

    def __enter__(self):
        assert TOOL.exists(), f"{TOOL} is not there: make tools"
        self.process = subprocess.Popen([*self.command, self.path], stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if line != b"mounted\n":
            self.process.wait()
            raise AssertionError(f"fuse_file said {line!r}")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.wait(engine.PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        subprocess.run(["umount", "--quiet", "--lazy", self.path], check=False,
                       stderr=subprocess.DEVNULL)
        os.rmdir(self.path)

    def log(self):
        """What arrived, in order; after the end."""
        with open(self.log_path, encoding="ascii") as file:
            return [Operation(name, kind, int(offset), int(length), int(ns))
                    for name, kind, offset, length, ns in map(str.split, file)]
