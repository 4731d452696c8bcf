# SPDX-License-Identifier: GPL-3.0-or-later
"""What is laid over the image at each start: an archive that Linux unpacks after the first."""
import os
import pathlib
import re
import stat
import subprocess


class Archive:
    """A cpio archive (format newc: Linux, Documentation/driver-api/early-userspace/buffer-format.rst)."""

    def __init__(self, file):
        self.file = file
        self.number = 0
        self.have = set()

    def _entry(self, name, mode, data=b""):
        self.number += 1
        fields = [self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
        for part in (head, data):
            self.file.write(part + b"\0" * (-len(part) % 4))

    def add(self, path, data, mode=0o755):
        """A file and the directories it lies in; once, whoever asks."""
        if path in self.have:
            return
        self.have.add(path)
        for parent in reversed(list(pathlib.PurePosixPath(path).parents)[:-1]):
            if str(parent) not in self.have:
                self.have.add(str(parent))
                self._entry(str(parent).lstrip("/"), stat.S_IFDIR | 0o755)
        self._entry(path.lstrip("/"), stat.S_IFREG | mode, data)

    def add_host(self, path, to=None):
        """A file of this machine, at the place where its links lead or at `to`."""
        path = pathlib.Path(path)
        directory = pathlib.Path(os.path.realpath(path.parent))
        self.add(to or str(directory / path.name), path.read_bytes(), path.stat().st_mode & 0o777)

    def add_program(self, path, to=None):
        """A program of this machine with the libraries it needs."""
        self.add_host(path, to)
        told = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        assert "not found" not in told, f"{path} does not run here: {told}"
        for library in re.findall(r"(/\S+) \(0x", told):
            self.add_host(library)

    def add_tree(self, directory):
        for path in sorted(pathlib.Path(directory).rglob("*")):
            if path.is_file():
                self.add_host(path)

    def end(self):
        self._entry("TRAILER!!!", 0)
