# SPDX-License-Identifier: GPL-3.0-or-later
"""Loop devices over image files, for tests that run as root."""
import hashlib
import pathlib
import subprocess
import time

from engine import PATIENCE

MIB = 1 << 20


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def unmount(where):
    """Waits while it is busy: of a process that has ended the kernel takes some down a while later."""
    until = time.monotonic() + PATIENCE
    while (done := subprocess.run(["umount", str(where)], check=False, capture_output=True,
                                  text=True)).returncode != 0:
        if time.monotonic() > until:
            run("umount", "--lazy", str(where))
            raise AssertionError(done.stderr)
        time.sleep(0.05)


class Loops:
    """Loop devices over image files; all are gone in the end."""

    def __init__(self, directory):
        self.directory = directory
        self.devices = {}
        self.mounts = []

    def make(self, name, fill=None, size=32 * MIB, options=()):
        image = self.directory / f"{name}.img"
        with open(image, "wb") as file:
            file.truncate(size)
        if fill:
            fill(image)
        device = run("losetup", "--find", "--show", *options, str(image))
        self.devices[name] = (device, image)
        if not options:
            run("blockdev", "--setrw", device)  # a flag set once outlives what was attached
        return device

    def mount(self, device, where):
        where.mkdir()
        run("mount", device, str(where))
        self.mounts.append(where)

    def close(self):
        for where in self.mounts:
            unmount(where)
        for device, _ in self.devices.values():
            subprocess.run(["losetup", "--detach", device], check=False)
