# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of several files: what arrives beneath the engine, what a plan says, what is refused."""
import pathlib

import pytest

import contract
import fuse
from engine import Engine, definition, end, samples

KIB = 1 << 10

ENGINES = pytest.mark.parametrize("ioengine", ["io_uring", "threads"])
NEEDS_FUSE = pytest.mark.skipif(fuse.missing() is not None, reason=fuse.missing() or "")


def whole(path, rw="read", kind="directory", **options):
    return definition({kind: str(path)}, rw=rw, seed=1, options={  # what is drawn is the same each time
        "time_based": 0, "runtime": "30", "invalidate": 0, "direct": 0, **options})


def ask(directory, asked):
    engine = Engine(directory / "state", [str(directory)])
    try:
        return engine.ask("plan", definition=asked)
    finally:
        engine.stop()


def measure(directory, rw, **options):
    """The sample, what arrived for it as (file, offset in KiB), and what was left."""
    with fuse.Mount(directory) as mount:
        engine = Engine(directory / "state", [mount.path])
        try:
            lines = engine.run(whole(mount.path, rw, direct=1, **options))
        finally:
            engine.stop()
        left = list(pathlib.Path(mount.path).iterdir())
        assert end(lines)["state"] == "done", lines[-1]
    (sample,) = samples(lines)
    ios = sum(sample[d]["ios"] for d in ("read", "write") if d in sample)
    log = [o for o in mount.log() if o.kind in ("read", "write")][-ios:]
    names = sorted({o.file for o in mount.log()})
    return sample, [(names.index(o.file), o.offset // KIB) for o in log], left


@ENGINES
@pytest.mark.parametrize("kind,options,writes,syncs", [
    ("sync", {"rw": "write", "fsync": 1, "size": "60k"}, 15, 15),
    ("datasync", {"rw": "write", "fdatasync": 1, "size": "60k"}, 15, 15),
    ("sync", {"rw": "randrewrite", "fsync": 5, "size": "240k", "iodepth": 16}, 60, 12)])
def test_syncs_behind_the_last_file_are_made(directory, ioengine, kind, options, writes, syncs):
    options = dict(options)
    engine = Engine(directory / "state", [str(directory)])
    try:
        lines = engine.run(whole(directory, options.pop("rw"), ioengine=ioengine, nrfiles=5, **options))
    finally:
        engine.stop()
    assert end(lines)["state"] == "done", lines[-1]
    (sample,) = samples(lines)
    assert (sample["write"]["ios"], sample[kind]["ios"]) == (writes, syncs)


@NEEDS_FUSE
@ENGINES
@pytest.mark.parametrize("service,order", [
    ("roundrobin", [(f, o) for o in (0, 4) for f in range(3)]),
    ("roundrobin:2", [(f, o) for f in range(3) for o in (0, 4)]),
    ("sequential", [(f, o) for f in range(3) for o in (0, 4)])])
def test_files_are_served_in_order(directory, ioengine, service, order):
    sample, arrived, left = measure(directory, "write", ioengine=ioengine, nrfiles=3, size="24k",
                                    file_service_type=service)
    assert arrived == order
    assert sample["options"]["nrfiles"] == 3
    assert sample["options"].get("file_service_type", "roundrobin") == service
    assert left == []


@NEEDS_FUSE
@ENGINES
def test_jobs_have_files_of_their_own(directory, ioengine):
    """Two jobs with two files each and depth: every block of every file once."""
    sample, arrived, _ = measure(directory, "randread", ioengine=ioengine, nrfiles=2, numjobs=2,
                                 iodepth=4, size="256k")
    assert sorted(arrived) == [(f, o) for f in range(4) for o in range(0, 128, 4)]
    assert sample["read"]["bytes"] == 512 * KIB


@NEEDS_FUSE
@ENGINES
def test_few_are_open_at_a_time(directory, ioengine):
    _, arrived, _ = measure(directory, "read", ioengine=ioengine, nrfiles=4, openfiles=2, size="64k")
    assert [{f for f, _ in arrived[i:i + 8]} for i in (0, 8)] == [{0, 1}, {2, 3}]


@NEEDS_FUSE
def test_files_of_sizes_of_their_own(directory):
    sample, arrived, _ = measure(directory, "read", nrfiles=20, filesize="4k-64k")
    lengths = [sum(f == file for f, _ in arrived) * 4 for file in range(20)]
    assert all(4 <= length <= 64 for length in lengths) and len(set(lengths)) > 5
    assert sample["read"]["bytes"] == sum(lengths) * KIB
    assert sample["options"]["filesize"] == "4k-64k"


def test_plan_tells_the_files(directory):
    answer = ask(directory, whole(directory, nrfiles=8, numjobs=2, size="64M"))
    contract.check_value("Plan", answer["plan"])
    (target,) = answer["plan"]["targets"]
    assert target["files"] == 16
    assert answer["plan"]["estimate"]["fill_bytes"] == answer["plan"]["estimate"]["space_bytes"] == 128 << 20
    assert "--nrfiles=8" in answer["plan"]["cells"][0]["fio"]


@pytest.mark.parametrize("options,field", [
    ({"nrfiles": 2}, "nrfiles"), ({"filesize": "64k"}, "filesize")])
def test_one_file_is_not_several(directory, options, field):
    answer = ask(directory, whole(directory / "t", kind="file", size="1M", **options))
    assert answer["error"]["code"] == "conflicting_options" and field in answer["error"]["field"]
    assert "directory" in answer["error"]["message"]


def test_fios_other_services_are_refused(directory):
    answer = ask(directory, whole(directory, nrfiles=2, size="1M", file_service_type="zipf:1.2"))
    assert answer["error"]["code"] == "bad_value"
    assert answer["error"]["field"].endswith("/file_service_type")
