# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine with real OpenZFS to run commands in: Virtual, that QEMU emulates, or Local, this one.

Both are used alike. The program under test is `volbench` in their PATH, `state` a directory that is
kept over a reboot; pools are made by make_pool() on disks that are kept too.

Virtual boots what build-image has made, with `init` as its first process, which does what is asked
of it through a virtio port, one thing at a time. It is slow (each command some hundredths of a
second, each pool more than one) and right. Speeds seen in it mean nothing.
"""
import atexit
import ctypes
import dataclasses
import os
import pathlib
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest

import initrd

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("VOLBENCH", str(ROOT / "build" / "volbench"))
# What one command may take where a test does not say, and a start: for those that hang.
PATIENCE = 120
START_PATIENCE = 300


PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    """In a child before it is executed: whatever ends this process, by kill -9 too, ends it."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_by_signals():
    """SIGTERM and SIGHUP are to end this program as ^C does: what it has begun is stopped and removed."""

    def stop(*_):
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


class Failure(Exception):
    """The machine, not what was run in it: it stopped, hung, or did not start."""


@dataclasses.dataclass
class Pool:
    """A pool of the test's own, and the one dataset in it that the program may be allowed."""

    name: str
    parent: str
    disks: list
    found_at: str  # options of `zpool import` that say where it is


class Machine:
    """What both have in common; see Virtual and Local for run_bytes(), put_bytes(), get()."""

    state = None  # a directory that is kept
    pools = ()

    def run(self, command, timeout=PATIENCE):
        """Runs a shell command as root: (exit status, output and errors as one text)."""
        status, output = self.run_bytes(command, timeout)
        return status, output.decode(errors="replace")

    def ok(self, command, timeout=PATIENCE):
        """The output of a command that must succeed, without the line's end."""
        status, output = self.run(command, timeout)
        assert status == 0, f"{command}: exit status {status}: {output}"
        return output.rstrip("\n")

    def put(self, text, path):
        self.put_bytes(text.encode() if isinstance(text, str) else text, path)

    def start(self, command, log):
        """Starts a program that goes on by itself, its output in the file `log`: its id."""
        return int(self.ok(f"setsid sh -c {shlex.quote('exec ' + command)} >>{log} 2>&1 </dev/null & echo $!"))

    def wait_for(self, command, patience=PATIENCE, pause=0.2):
        """Until a command succeeds, asked again and again: its output."""
        until = time.monotonic() + patience
        while True:
            status, output = self.run(command)
            if status == 0:
                return output.rstrip("\n")
            assert time.monotonic() < until, f"{command}: still {status}: {output}"
            time.sleep(pause)

    def datasets(self, pool):
        """All of a pool: datasets, zvols, snapshots, with their guids, so that one made anew is another."""
        return self.ok(f"zfs list -rHp -t all -o name,guid {pool}").splitlines()

    def destroy_pool(self, pool):
        # udev, or a program that has just ended, may hold a node for a moment yet
        self.wait_for(f"udevadm settle; ! zpool list {pool.name} || zpool destroy -f {pool.name}")
        self.pools.remove(pool)

    def _create_pool(self, name, disks, layout, options, found_at):
        self.ok(f"zpool create -f -o ashift=12 {options} {name} {layout} {' '.join(disks)}")
        self.ok(f"zfs create {name}/volbench")
        pool = Pool(name, f"{name}/volbench", disks, found_at)
        self.pools.append(pool)
        return pool


def parse_size(size):
    return int(size[:-1]) << {"M": 20, "G": 30}[size[-1]]


class Virtual(Machine):
    """An emulated machine. Its disks are sparse files beneath `directory`, which reboot() keeps."""

    DISKS = ["512M", "1G", "1G", "2G", "2G", "6G"]
    state = "/state"

    def __init__(self, directory, image, memory="2048", cpus="2", parameters=""):
        self.directory = pathlib.Path(directory)
        self.image = pathlib.Path(image)
        self.memory, self.cpus, self.parameters = memory, cpus, parameters
        self.console = self.directory / "console"
        self.qemu = self.port = None
        self.pools = []
        self.disks = {}
        for number, size in enumerate(self.DISKS):
            (self.directory / f"disk{number}").touch()
            os.truncate(self.directory / f"disk{number}", parse_size(size))
        with open(self.directory / "state", "wb") as file:
            file.truncate(1 << 30)
        subprocess.run(["/sbin/mke2fs", "-q", "-t", "ext4", self.directory / "state"], check=True)
        self._write_initrd()

    def _write_initrd(self):
        with open(self.directory / "initrd", "wb") as file:
            file.write((self.image / "initramfs.cpio").read_bytes())
            archive = initrd.Archive(file)
            archive.add("/init", (HERE / "init").read_bytes())
            stripped = self.directory / "volbench"
            subprocess.run(["strip", "-g", "-o", stripped, PROGRAM], check=True)
            archive.add_program(stripped, "/usr/local/bin/volbench")
            archive.add_program("/usr/bin/curl")
            archive.add_program("/usr/bin/setpriv")  # in place of busybox's, which can less
            if pathlib.Path("/usr/bin/gnuplot").exists():
                archive.add_program("/usr/bin/gnuplot")
                archive.add_tree("/usr/share/gnuplot/gnuplot")
            archive.end()

    def _arguments(self):
        disks = []
        for name in ["state", *(f"disk{n}" for n in range(len(self.DISKS)))]:
            file = self.directory / name
            disks += [
                "-drive", f"file={file},if=none,id={name},format=raw,cache=unsafe,discard=unmap",
                "-device", f"virtio-blk-pci,drive={name},serial={name}",
            ]  # fmt: skip
        return [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "pc", "-cpu", "max", "-smp", self.cpus, "-m", self.memory,
            # /dev/kvm may be there and yet not run this kernel: asked for by name alone
            "-accel", os.environ.get("VOLBENCH_ZFS_ACCEL", "tcg,thread=multi"),
            "-kernel", self.image / "vmlinux", "-initrd", self.directory / "initrd",
            "-append", "console=ttyS0 loglevel=6 mitigations=off panic=-1 oops=panic "
            f"random.trust_cpu=on {self.parameters}",
            "-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={self.directory / 'agent'},server=on,wait=on",
            "-device", "virtserialport,nr=1,chardev=agent", *disks,
        ]  # fmt: skip

    def start_up(self):
        """Boots it; returns once it does what it is asked."""
        (self.directory / "agent").unlink(missing_ok=True)
        atexit.register(self.kill)  # also where it is left between here and its user's `finally`
        with open(self.directory / "qemu.log", "wb") as log:
            # pylint: disable-next=consider-using-with,subprocess-popen-preexec-fn
            self.qemu = subprocess.Popen(
                self._arguments(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=die_with_parent,
            )  # fmt: skip
        self.port = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + START_PATIENCE
        while self.port.connect_ex(str(self.directory / "agent")) != 0:
            if self.qemu.poll() is not None or time.monotonic() > until:
                self._fail("QEMU did not start")
            time.sleep(0.02)
        if not self._line(until).startswith("ready"):
            self._fail("the machine did not start")
        for disk in self.ok("for d in /sys/block/vd*; do echo $(cat $d/serial) ${d##*/}; done").splitlines():
            serial, name = disk.split()
            self.disks[serial] = "/dev/" + name
        return self

    def alive(self):
        return self.qemu is not None and self.qemu.poll() is None

    def _fail(self, what):
        self.kill()
        told = []
        for file in ("qemu.log", "console"):
            if (self.directory / file).exists():
                told += (self.directory / file).read_text(errors="replace").splitlines()[-25:]
        raise Failure("\n".join([f"{what}; last was told:", *told]))

    def _receive(self, until, most):
        ready, _, _ = select.select([self.port], [], [], max(0, until - time.monotonic()))
        if not ready:
            self._fail("the machine does not answer")
        try:
            data = self.port.recv(most)
        except ConnectionResetError:
            data = b""
        if not data:
            self._fail("the machine stopped")
        return data

    def _line(self, until):
        line = b""
        while not line.endswith(b"\n"):
            line += self._receive(until, 1)
        return line.decode()

    def _ask(self, verb, limit=PATIENCE, data=b"", path=""):
        if not self.alive():
            self._fail("the machine is not running")
        until = time.monotonic() + limit + PATIENCE
        try:
            self.port.sendall(f"{verb} {limit} {len(data)} {path}\n".encode() + data)
            status, size = map(int, self._line(until).split())
            answer = bytearray()
            while len(answer) < size:
                answer += self._receive(until, min(1 << 20, size - len(answer)))
        except OSError:
            self._fail("the machine stopped")
        except BaseException:  # ^C: what it has yet to answer would answer the next question
            self.kill()
            raise
        return status, bytes(answer)

    def run_bytes(self, command, timeout=PATIENCE):
        began = time.monotonic()
        status, output = self._ask("run", int(timeout), command.encode() + b"\n")
        # It was the limit that killed it: by the machine's clock, which need not go as ours does.
        if status in (137, 143) and time.monotonic() - began >= timeout / 2:
            raise Failure(f"{command}: not done after {timeout} s: {output.decode(errors='replace')}")
        return status, output

    def put_bytes(self, data, path):
        status, output = self._ask("put", data=data, path=path)
        assert status == 0, f"{path}: {output.decode()}"

    def get(self, path):
        status, output = self._ask("get", path=path)
        assert status == 0, f"{path}: {output.decode()}"
        return output

    def reboot(self, hard=True):
        """hard: as when the power goes. Imports the pools again, as a server does at its start."""
        if not hard:
            self.ok("sync")
        self.kill()
        self.start_up()
        for pool in self.pools:
            self.ok(f"zpool import {pool.found_at} {pool.name}", timeout=300)
        self.ok("udevadm settle")

    def make_pool(self, size="1G", disks=1, layout="", options=""):
        """A pool `tank` of `disks` disks of this size (512M, 1G, 2G, 6G), the layout's word before them."""
        taken = [disk for pool in self.pools for disk in pool.disks]
        free = [
            self.disks[f"disk{n}"] for n, its in enumerate(self.DISKS)
            if its == size and self.disks[f"disk{n}"] not in taken
        ]  # fmt: skip
        assert len(free) >= disks, f"no {disks} disks of {size} left"
        name = "tank" if not self.pools else f"tank{len(self.pools) + 1}"
        # OpenZFS has made a partition of each
        found_at = " ".join(f"-d {disk}1" for disk in free[:disks])
        return self._create_pool(name, free[:disks], layout, options, found_at)

    def kill(self):
        atexit.unregister(self.kill)
        if self.qemu is not None:
            self.qemu.kill()
            self.qemu.wait()
        if self.port is not None:
            self.port.close()

    def stop(self):
        self.kill()


class Local(Machine):
    """This machine, where it has OpenZFS: pools on files beneath `directory`, under names of our own."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.state = str(self.directory / "state")
        os.mkdir(self.state)
        self.directory.chmod(0o755)  # for tests of other users
        self.pools = []
        self.environment = {**os.environ, "LC_ALL": "C"}
        (self.directory / "bin").mkdir()
        shutil.copy(PROGRAM, self.directory / "bin" / "volbench")
        self.environment["PATH"] = f"{self.directory / 'bin'}:/usr/sbin:/sbin:{os.environ['PATH']}"

    def start_up(self):
        return self

    def alive(self):
        return True

    def run_bytes(self, command, timeout=PATIENCE):
        # pylint: disable-next=consider-using-with
        with tempfile.TemporaryFile() as output, subprocess.Popen(
            ["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env=self.environment, start_new_session=True,
        ) as child:  # fmt: skip
            try:
                status = child.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                raise Failure(f"{command}: not done after {timeout} s") from None
            output.seek(0)
            return (status if status >= 0 else 128 - status), output.read()

    def put_bytes(self, data, path):
        pathlib.Path(path).write_bytes(data)

    def get(self, path):
        return pathlib.Path(path).read_bytes()

    def reboot(self, hard=True):
        del hard
        pytest.skip("this machine has OpenZFS of its own, and is not rebooted for a test")

    def make_pool(self, size="1G", disks=1, layout="", options=""):
        name = f"volbench-test-{os.getpid()}-{len(self.pools)}"
        files = []
        for number in range(disks):
            file = self.directory / f"{name}-{number}"
            file.touch()
            os.truncate(file, parse_size(size))
            files.append(str(file))
        return self._create_pool(name, files, layout, options, f"-d {self.directory}")

    def destroy_pool(self, pool):
        super().destroy_pool(pool)
        for file in pool.disks:
            os.unlink(file)

    def stop(self):
        for pool in list(self.pools):
            self.destroy_pool(pool)


def here_is_zfs():
    """Whether this machine itself can be used: OpenZFS is loaded, and we may."""
    return (
        os.environ.get("VOLBENCH_ZFS_MACHINE", "local") == "local"
        and os.geteuid() == 0
        and pathlib.Path("/sys/module/zfs").is_dir()
        and all(shutil.which(p, path="/usr/sbin:/sbin:/usr/local/sbin") for p in ("zfs", "zpool"))
    )


def image_directory():
    """As build-image finds it."""
    base = "/var/cache" if os.geteuid() == 0 else os.path.expanduser("~/.cache")
    cache = os.environ.get("VOLBENCH_ZFS_CACHE") or f"{base}/volbench-zfs"
    return pathlib.Path(cache) / os.environ.get("VOLBENCH_ZFS_SUITE", "backports") / "image"


def make(directory):
    """A machine, running. A virtual one is built first where it is not there or not up to date."""
    if here_is_zfs():
        return Local(directory)
    subprocess.run([HERE / "build-image"], check=True)
    machine = Virtual(directory, image_directory())
    try:
        return machine.start_up()
    except BaseException:  # ^C while it boots
        machine.stop()
        raise


def main():
    """machine.py COMMAND...: runs each in a new machine with a pool `tank`, and tells what it said."""
    end_by_signals()
    directory = tempfile.mkdtemp(prefix="volbench-zfs-", dir="/var/tmp")
    machine = None
    try:
        machine = make(directory)
        machine.make_pool(size="2G")
        for command in sys.argv[1:]:
            status, output = machine.run(command, timeout=1800)
            print(f"$ {command}\n{output}[{status}]", flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if machine is not None:
            machine.stop()
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
