# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's process: protocol, safety, ends of every kind, what it leaves behind."""
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

import contract
from engine import PROGRAM, SLOW, Engine, definition, end, in_phase, once_within, samples, started

WRAPPER = (sys.executable, pathlib.Path(__file__).parent / "no_uring.py")
LONG = {"runtime": "60", "size": "4M"}


@pytest.fixture
def state(directory):
    return directory / "state"


@pytest.fixture
def scratch(directory):
    path = directory / "scratch"
    path.mkdir()
    return path


@pytest.fixture
def make_engine(state, scratch):
    """make_engine() gives an engine that may use the scratch directory; all are ended."""
    made = []

    def make(allow=None, **arguments):
        engine = Engine(state, allow or [scratch], **arguments)
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.stop()


def file_target(scratch, name="target"):
    return {"file": str(scratch / name)}


def left_in(scratch, state):
    """What a finished engine left: files in the scratch directory, manifests."""
    return sorted(path.name for path in scratch.iterdir()) + sorted(
        path.name for path in state.iterdir() if path.name != "lock")


# ---- what it says ----

def test_system(make_engine):
    answer = make_engine().ask("system")
    contract.check_value("Environment", answer["system"])
    assert answer["system"]["cpus_allowed"] == len(os.sched_getaffinity(0))


def test_targets(make_engine, scratch):
    answer = make_engine().ask("targets")
    assert [one["path"] for one in answer["targets"]] == [str(scratch)]
    for one in answer["targets"]:
        contract.check_value("TargetCandidate", one)


def test_plan_touches_nothing(make_engine, scratch, state):
    whole = definition(file_target(scratch), factors={"iodepth": [1, 4]}, repeats=2, seed=7)
    plan = make_engine().ask("plan", definition=whole)["plan"]
    contract.check_value("Plan", plan)
    assert plan["sample_count"] == 4
    assert left_in(scratch, state) == []


def test_run(make_engine, scratch, state):
    whole = definition(file_target(scratch), rw="randrw", factors={"iodepth": [1, 4]}, repeats=2,
                       options={"time_based": 0, "runtime": 600})
    lines = make_engine().run(whole)
    # Before it has started it only says that it is alive.
    before = list(itertools.takewhile(lambda line: "started" not in line, lines))
    assert before
    for line in before:
        assert (line["progress"]["phase"], line["progress"]["total"]) == ("prepare", 4)
    contract.check_value("Plan", started(lines)["plan"])
    contract.check_value("Environment", started(lines)["environment"])
    assert end(lines)["state"] == "done"
    assert len(samples(lines)) == 4
    for index, sample in enumerate(samples(lines)):
        contract.check_value("Sample", sample)
        assert sample["order"] == index
        assert sample["read"]["ios"] > 0 and sample["write"]["ios"] > 0
    progress = [line["progress"] for line in lines if "progress" in line]
    for one in progress:
        contract.check_value("Progress", one)
    assert {one["phase"] for one in progress} >= {"prepare", "fill", "measure", "teardown"}
    assert [one["percent"] for one in progress] == sorted(one["percent"] for one in progress)
    assert left_in(scratch, state) == []


def test_request_from_a_pipe(state, scratch):
    result = subprocess.run(
        [PROGRAM, "engine", "--state", state, "--allow", scratch], input=b'{"call": "targets"}',
        capture_output=True, check=True)
    assert result.stdout.startswith(b'{"targets":[') and result.stdout.endswith(b"]}\n")


def test_run_from_a_pipe_goes_on_after_its_end(state, scratch):
    request = json.dumps({"call": "run", "run": "piped",
                          "definition": definition(file_target(scratch))})
    result = subprocess.run(
        [PROGRAM, "engine", "--state", state, "--allow", scratch], input=request.encode(),
        capture_output=True, check=True)
    assert json.loads(result.stdout.splitlines()[-1])["end"]["state"] == "done"


@pytest.mark.parametrize("request_line, code", [
    (b"nonsense\n", "json_invalid"),
    (b"[]\n", "wrong_type"),
    (b"{}\n", "missing_field"),
    (b'{"call": "dance"}\n', "bad_value"),
    (b'{"call": "plan"}\n', "missing_field"),
    (b'{"call": "plan", "more": 1}\n', "unknown_field"),
    (b'{"call": "run", "definition": {}}\n', "missing_field"),
    (b'{"call": "run", "run": "../x", "definition": {}}\n', "bad_id"),
    (b'{"call": "plan", "definition": {"definition": "demo"}}\n', "unknown_definition"),
    (b'{"call": "cancel"}\n', "bad_value"),
])
def test_bad_requests(make_engine, request_line, code):
    engine = make_engine()
    engine.socket.sendall(request_line)
    assert engine.read()["error"]["code"] == code
    assert engine.read() is None
    assert engine.wait() == 0


def test_missing_allow_is_told(make_engine, scratch):
    answer = make_engine(allow=[scratch / "none"]).ask("system")
    assert "none" in answer["error"]["message"]


# ---- backends ----

def test_refused_uring_is_told(make_engine, scratch):
    lines = make_engine(wrapper=WRAPPER).run(definition(file_target(scratch)))
    assert end(lines)["state"] == "done"
    for sample in samples(lines):
        assert sample["backend"] == "threads"
        assert "refused" in sample["backend_reason"]
    assert started(lines)["environment"]["io_uring"]["available"] is False


def test_memory_file_system_is_told(state, make_engine):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        engine = make_engine(allow=[scratch])
        lines = engine.run(definition({"file": scratch + "/target"}))
        for sample in samples(lines):
            assert sample["backend"] == "threads"
            assert "tmpfs" in sample["backend_reason"]
        assert os.listdir(scratch) == []


def traced_offsets(directory, scratch, seed):
    """What a run with depth 1 read and wrote, in order: (call, size, offset)."""
    trace = directory / f"trace-{seed}-{time.monotonic_ns()}"
    # A sanitizer cannot look for leaks in a process that is traced.
    engine = Engine(directory / "state", [scratch], environment={
        "ASAN_OPTIONS": "detect_leaks=0"}, wrapper=[
        "strace", "-f", "-qq", "-e", "trace=pread64,pwrite64", "-e", "signal=none", "-o", trace])
    whole = definition(file_target(scratch), rw="randrw", seed=seed,
                       options={"ioengine": "psync", "time_based": "0", "size": "1M",
                                "direct": "0"})
    del whole["workloads"][0]["runtime"]
    try:
        lines = engine.run(whole)
    finally:
        engine.stop()
    assert end(lines)["state"] == "done", lines[-1]
    assert samples(lines)[0]["backend"] == "threads"
    calls = []
    for line in trace.read_text().splitlines():
        match = re.search(r"(pread64|pwrite64)\(\d+, .*, (\d+), (\d+)\) += +\d+", line)
        if match and match.group(2) == "4096":
            calls.append((match.group(1), int(match.group(3))))
    return calls


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_same_seed_same_sequence(directory, scratch):
    first = traced_offsets(directory, scratch, 42)
    # Each block once: no random map entry is missed, none is done twice.
    assert len({offset for _, offset in first}) == 256
    assert traced_offsets(directory, scratch, 42) == first
    assert traced_offsets(directory, scratch, 43) != first


# ---- ends ----

def test_cancel_within_a_second(make_engine, scratch, state):
    def seconds_until_it_ends():
        engine = make_engine()
        engine.send("run", run="r", definition=definition(file_target(scratch), options=LONG))
        engine.until(in_phase("measure"))
        began = time.monotonic()
        engine.send("cancel")
        assert end([engine.until(lambda line: "end" in line)])["state"] == "cancelled"
        took = time.monotonic() - began
        assert engine.read() is None
        assert engine.wait() == 0
        assert left_in(scratch, state) == []
        return took

    once_within(5 if SLOW else 1, seconds_until_it_ends)


def test_cancelled_run_keeps_finished_samples(make_engine, scratch):
    engine = make_engine()
    engine.send("run", run="r", definition=definition(
        file_target(scratch), repeats=100, factors={"iodepth": [1, 2, 3, 4]}))
    engine.until(lambda line: "sample" in line)
    engine.send("cancel")
    assert end([engine.until(lambda line: "end" in line)])["state"] == "cancelled"


@pytest.mark.parametrize("phase, options", [
    ("fill", {"size": "1500M", "runtime": "60"}),
    ("ramp", {"size": "4M", "runtime": "60", "ramp_time": "60"}),
    ("measure", {"size": "4M", "runtime": "60"}),
    ("measure", {"size": "64M", "runtime": "60", "rw": "write", "direct": "0", "bs": "1M"}),
])
def test_closed_socket_ends_it(make_engine, scratch, state, phase, options):
    def seconds_until_it_is_gone():
        engine = make_engine()
        engine.send("run", run="r", definition=definition(file_target(scratch), options=options))
        engine.until(in_phase(phase))
        took = engine.hang_up()
        assert left_in(scratch, state) == []
        return took

    once_within(10 if SLOW else 2, seconds_until_it_is_gone)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it(make_engine, scratch, state, number):
    engine = make_engine()
    engine.send("run", run="r", definition=definition(file_target(scratch), options=LONG))
    engine.until(in_phase("measure"))
    engine.process.send_signal(number)
    assert end([engine.until(lambda line: "end" in line)])["state"] == "cancelled"
    assert engine.wait() == 0
    assert left_in(scratch, state) == []


def test_idle_engine_leaves_with_its_peer(make_engine):
    once_within(5, lambda: make_engine().hang_up())


def test_peer_that_does_not_read(make_engine, scratch, state):
    """Progress is dropped, so the run neither stops nor grows; samples wait until they are read."""
    engine = make_engine(room=4096)
    engine.send("run", run="r", definition=definition(
        file_target(scratch), rw="randrw", repeats=20, options={"runtime": "0.1"}))
    deadline = time.monotonic() + 60
    # It blocks on an unread sample sooner or later: asleep in poll with nothing being measured.
    while time.monotonic() < deadline:
        before = cpu_ticks(engine.process.pid)
        time.sleep(0.5)
        if cpu_ticks(engine.process.pid) - before <= 1 and list(scratch.iterdir()):
            break
    assert engine.process.poll() is None, "it said all that it had to say"
    lines = [engine.until(lambda line: "end" in line)]
    assert end(lines)["state"] == "done"
    assert len(samples(engine.lines)) == 20
    assert left_in(scratch, state) == []


def cpu_ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_killed_engine_is_swept(make_engine, scratch, state):
    engine = make_engine()
    engine.send("run", run="dead", definition=definition(file_target(scratch), options=LONG))
    engine.until(in_phase("measure"))
    engine.process.kill()
    engine.process.wait()
    assert left_in(scratch, state) == ["target", "dead.manifest"]
    swept = make_engine().ask("sweep")["swept"]
    assert [one["code"] for one in swept] == ["removed"]
    assert left_in(scratch, state) == []


def test_next_run_sweeps_and_tells(make_engine, scratch, state):
    engine = make_engine()
    engine.send("run", run="dead", definition=definition(file_target(scratch, "old"), options=LONG))
    engine.until(in_phase("fill"))
    engine.process.kill()
    engine.process.wait()
    lines = make_engine().run(definition(file_target(scratch)))
    assert end(lines)["state"] == "done"
    findings = started(lines)["plan"]["findings"] + end(lines).get("findings", [])
    assert "removed" in [one["code"] for one in findings]
    assert left_in(scratch, state) == []


def test_two_runs_exclude_each_other(make_engine, scratch):
    first = make_engine()
    first.send("run", run="one", definition=definition(file_target(scratch), options=LONG))
    first.until(in_phase("measure"))
    # Plans go on meanwhile.
    plan = make_engine().ask("plan", definition=definition(file_target(scratch, "other")))["plan"]
    assert plan["sample_count"] == 1
    second = make_engine()
    second.send("run", run="two", definition=definition(file_target(scratch, "other")))
    # It waits, and says so.
    for _ in range(5):
        assert second.read(timeout=5)["progress"]["phase"] == "prepare"
    first.send("cancel")
    second.until(lambda line: "started" in line)
    assert end([second.until(lambda line: "end" in line)])["state"] == "done"


# ---- harm ----

def error_of(make_engine, allow, target, **members):
    """The code with which a run on a target is refused."""
    lines = make_engine(allow=allow).run(definition(target, rw="randrw", **members))
    assert "error" in lines[-1], lines[-1]
    return lines[-1]["error"]["code"], lines[-1]["error"]["field"]


def test_existing_file_stays(make_engine, scratch):
    path = scratch / "target"
    path.write_bytes(b"precious")
    assert error_of(make_engine, [scratch], {"file": str(path)}) == ("file_exists", "/target")
    assert path.read_bytes() == b"precious"


def test_symlinks_are_not_followed(make_engine, scratch, directory):
    outside = directory / "outside"
    outside.mkdir()
    (scratch / "link").symlink_to(outside)
    (scratch / "file").symlink_to(outside / "file")
    assert error_of(make_engine, [scratch], {"file": str(scratch / "link" / "x")})[0] == "target_type"
    assert error_of(make_engine, [scratch], {"file": str(scratch / "file")})[0] in (
        "target_type", "file_exists")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["{0}/../x", "/etc/passwd", "/dev/sda", "relative", "{0}-beside"])
def test_outside_is_refused(make_engine, scratch, path):
    code, _ = error_of(make_engine, [scratch], {"file": path.format(scratch)})
    assert code in ("target_not_allowed", "bad_value")


@contextlib.contextmanager
def loop_device(image):
    made = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True,
                          text=True).stdout.strip()
    try:
        yield made
    finally:
        subprocess.run(["losetup", "--detach", made], check=True)


@contextlib.contextmanager
def mounted(device, point):
    subprocess.run(["mount", device, point], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", point], check=True)


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="loop devices need root")


@needs_root
def test_formatted_device_is_refused(make_engine, scratch, directory):
    image = directory / "image"
    subprocess.run(["truncate", "--size=16M", image], check=True)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    before = digest(image)
    with loop_device(image) as device:
        code, field = error_of(make_engine, [device], {"device": device})
        assert (code, field) == ("target_has_signature", "/target")
    assert digest(image) == before


@needs_root
def test_mounted_device_is_refused(make_engine, scratch, directory):
    image = directory / "image"
    subprocess.run(["truncate", "--size=16M", image], check=True)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    with loop_device(image) as device, mounted(device, scratch):
        (scratch / "file").write_bytes(b"precious")
        os.sync()
        code, _ = error_of(make_engine, [device], {"device": device})
        assert code == "target_busy"
        assert (scratch / "file").read_bytes() == b"precious"


@needs_root
def test_blank_device_is_measured(make_engine, scratch, directory):
    image = directory / "image"
    subprocess.run(["truncate", "--size=16M", image], check=True)
    with loop_device(image) as device:
        lines = make_engine(allow=[device]).run(definition({"device": device}, rw="randrw"))
        assert end(lines)["state"] == "done"
        assert samples(lines)[0]["device"]["name"] == pathlib.Path(device).name


@needs_root
@pytest.mark.parametrize("others", [[], ["first"]])
def test_a_few_blocks_amid_nothing_are_seen(make_engine, scratch, directory, others):
    """Between the samples that a plan looks at, and before any other target is written."""
    with contextlib.ExitStack() as stack:
        targets = []
        for name in [*others, "image"]:
            image = directory / name
            subprocess.run(["truncate", "--size=64M", image], check=True)
            targets.append({"name": name, "device": stack.enter_context(loop_device(image))})
        with open(image, "r+b") as file:
            file.seek(33 * (1 << 20) + 5 * 4096)
            file.write(b"precious")
        before = [digest(directory / target["name"]) for target in targets]
        whole = definition(None, options={"size": "40M"}, targets=targets)
        del whole["target"]
        lines = make_engine(allow=[t["device"] for t in targets]).run(whole)
        # by the samples, which fall at random, or else by the reading that follows
        error = lines[-1].get("error") or end(lines)["error"]
        assert (error["code"], error["field"]) == ("target_not_blank", f"/targets/{len(others)}")
        assert [digest(directory / target["name"]) for target in targets] == before


@needs_root
def test_failing_device_fails_the_run(make_engine, scratch, directory):
    """The backing file is cut short while a later sample is measured: reads then fail."""
    image = directory / "image"
    subprocess.run(["truncate", "--size=64M", image], check=True)
    with loop_device(image) as device:
        engine = make_engine(allow=[device])
        engine.send("run", run="r", definition=definition(
            {"device": device}, repeats=30, options={"size": "64M", "runtime": "2"}))
        engine.until(lambda line: "sample" in line)
        os.truncate(image, 1 << 20)
        last = end([engine.until(lambda line: "end" in line)])
        assert last["state"] == "failed"
        assert last["error"]["code"] == "io_error"
        assert len(samples(engine.lines)) >= 1


def test_more_than_free_space_is_refused(make_engine, scratch, state):
    # However much of it others make free meanwhile.
    there = os.statvfs(scratch)
    size = there.f_blocks * there.f_frsize + (1 << 30)
    code, field = error_of(make_engine, [scratch], file_target(scratch), options={"size": str(size)})
    assert (code, field) == ("no_space", "/target")
    assert left_in(scratch, state) == []
