# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that say how the machine is used: where workers run, their priority, how the ring works.
Seen in what the engine tells of its samples, or refused by name before anything is made."""
import os
import subprocess
import tempfile

import pytest

from engine import PROGRAM, Engine, definition

CPUS = sorted(os.sched_getaffinity(0))


@pytest.fixture
def ask(directory):
    """ask(options): the sample of a short read of /dev/zero; or the plan's error for a target."""
    started = []

    def go(call="run", target=None, allow=directory, **options):
        engine = Engine(directory / f"state{len(started)}", ["/dev/zero", allow])
        started.append(engine)
        target = target or {"file": "/dev/zero", "existing": True}
        engine.send(call, **({"run": "test-run"} if call == "run" else {}),
                    definition=definition(target, options={"direct": 0, "size": "1m", **options}))
        told = None
        while (line := engine.read()) is not None:  # to the end: what was made is gone by then
            error = line.get("error") or line.get("end", {}).get("error")
            told = error or told or line.get("sample") or ("plan" in line and line)
        assert told, "it said nothing"
        return told

    yield go
    for engine in started:
        engine.stop()


@pytest.mark.parametrize("ioengine", ["io_uring", "threads", "null"])
def test_told_of_a_sample(ask, ioengine):
    options = {"cpus_allowed": str(CPUS[-1]), "cpus_allowed_policy": "split", "prio": 0, "prioclass": 2}
    told = ask(ioengine=ioengine, numjobs=2, **options)["options"]
    assert {name: told.get(name) for name in options} == options
    assert not {"cpus_allowed", "prio", "hipri"} & set(ask(ioengine=ioengine)["options"])


def test_a_kernel_thread_takes_requests(ask):
    sample = ask(sqthread_poll=1, iodepth=16)
    assert sample["backend"] == "io_uring" and sample["options"]["sqthread_poll"] == 1
    assert "requests taken by a kernel thread" in sample["backend_reason"]
    assert sample["read"]["ios"] > 0
    assert f"on CPU {CPUS[0]}" in ask(sqthread_poll=1, sqthread_poll_cpu=CPUS[0])["backend_reason"]


def test_how_many_completions_are_awaited_is_told(ask):
    assert "waits for 8 completions" in ask(iodepth=32, iodepth_batch_complete_min=8)["backend_reason"]
    assert "waits" not in ask(iodepth=32)["backend_reason"]
    assert "refilled at 8 outstanding" in ask(iodepth=32, iodepth_low=8, iodepth_batch=4)["backend_reason"]


@pytest.mark.parametrize("options, code, field", [
    ({"cpus_allowed": "4000"}, "conflicting_options", "cpus_allowed"),
    ({"cpus_allowed": f"{CPUS[0]},4001-4002"}, "conflicting_options", "cpus_allowed"),
    ({"sqthread_poll": 1, "sqthread_poll_cpu": 4000}, "conflicting_options", "sqthread_poll_cpu"),
    ({"sqthread_poll_cpu": CPUS[0]}, "conflicting_options", "sqthread_poll_cpu"),
    ({"sqthread_poll": 1, "ioengine": "threads"}, "conflicting_options", "sqthread_poll"),
    ({"registerfiles": 1, "ioengine": "psync"}, "conflicting_options", "registerfiles"),
    ({"registerfiles": 0}, "unsupported_option", "registerfiles"),
    ({"fixedbufs": 0}, "unsupported_option", "fixedbufs"),
    ({"nonvectored": 0}, "unsupported_option", "nonvectored"),
    ({"hipri": 1}, "conflicting_options", "hipri"),  # direct=0
    ({"hipri": 1, "direct": 1}, "conflicting_options", "hipri"),  # /dev/zero
    ({"hipri": 1, "direct": 1, "sqthread_poll": 1}, "conflicting_options", "hipri"),
])
def test_refused_by_name(ask, options, code, field):
    for call in ("plan", "run"):
        error = ask(call, **options)
        assert (error.get("code"), error.get("field")) == (code, "/workloads/0/" + field), error


def test_a_file_system_that_cannot_be_polled(ask, directory):
    """Refused with the reason; or, where the device can be polled, measured."""
    answer = ask(target={"file": str(directory / "file")}, hipri=1, direct=1)
    if "code" in answer:
        assert answer["field"] == "/workloads/0/hipri" and "cannot be polled" in answer["message"]
    else:
        assert "polled completions" in answer["backend_reason"]
    assert not (directory / "file").exists()


def test_a_target_without_nowait_names_what_it_cannot_have(ask):
    """tmpfs is served by threads, so what only a ring has is refused there."""
    if not os.path.isdir("/dev/shm"):
        pytest.skip("there is no /dev/shm")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as shm:
        for name in ("fixedbufs", "registerfiles", "sqthread_poll"):
            error = ask("plan", target={"file": shm + "/file"}, allow=shm, **{name: 1})
            assert (error.get("code"), error.get("field")) == (
                "conflicting_options", "/workloads/0/" + name), error
            assert "threads backend" in error["message"]
        assert "plan" in ask("plan", target={"file": shm + "/file"}, allow=shm, nonvectored=1)


def test_as_an_fio_job(directory):
    """Written as fio has them, and read back the same; fio takes them."""
    job = directory / "job.fio"
    options = {"cpus_allowed": str(CPUS[0]), "cpus_allowed_policy": "split", "prio": "4", "prioclass": "2",
               "fixedbufs": "1", "registerfiles": "1", "nonvectored": "1", "sqthread_poll": "1",
               "sqthread_poll_cpu": str(CPUS[0])}
    lines = ["[a]", "ioengine=io_uring", "rw=randread", "direct=1", "size=1m", f"filename={directory}/data",
             "sqthread_poll", "fixedbufs", *(f"{k}={v}" for k, v in options.items()
                                             if k not in ("sqthread_poll", "fixedbufs"))]
    job.write_text("\n".join(lines) + "\n")
    written = subprocess.run([PROGRAM, "fio", str(job)], capture_output=True, text=True, check=False)
    assert written.returncode == 0, written.stderr
    told = dict(line.split("=", 1) for line in written.stdout.splitlines() if "=" in line)
    assert {name: told.get(name) for name in options} == options
    job.write_text(written.stdout)
    parsed = subprocess.run(["fio", "--parse-only", str(job)], capture_output=True, text=True, check=False)
    assert parsed.returncode == 0, parsed.stderr + written.stdout


@pytest.mark.parametrize("name, reason", [
    ("force_async=1", "kernel's threads"), ("uncached=1", "page cache"), ("userspace_reap=1", "leave it out"),
    ("cpumask=3", "cpus_allowed"), ("nice=-5", "prioclass"), ("numa_cpu_nodes=0", "not supported"),
    ("cmdprio_percentage=5", "not supported"),
])
def test_refused_with_a_reason(directory, name, reason):
    job = directory / "job.fio"
    job.write_text(f"[a]\nrw=randread\nsize=1m\nfilename={directory}/data\n{name}\n")
    answer = subprocess.run([PROGRAM, "fio", str(job)], capture_output=True, text=True, check=False)
    assert answer.returncode != 0 and reason in answer.stderr and name.split("=")[0] in answer.stderr, answer


def test_reading_leaves_the_access_time_alone(ask, directory):
    """Older than the file's change, it would be written at the first read of anybody else."""
    path = directory / "existing"
    path.write_bytes(bytes(1 << 20))
    os.utime(path, (1_000_000_000, 1_500_000_000))
    for ioengine in ("io_uring", "threads"):
        sample = ask(target={"file": str(path), "existing": True}, size="1m", ioengine=ioengine)
        assert sample["read"]["ios"] > 0
    assert path.stat().st_atime == 1_000_000_000
