# SPDX-License-Identifier: GPL-3.0-or-later
"""What must not be touched is refused at submission, by its code, and stays as it was to the byte."""
import concurrent.futures
import os

import pytest

from loops import MIB, Loops, digest, run


@pytest.fixture(scope="module")
def loops(work_directory):
    if os.geteuid() != 0:
        pytest.skip("loop devices and mounts need root")
    directory = work_directory / "loops"
    directory.mkdir()
    made = Loops(directory)
    try:
        made.make("blank")
        made.make("ext4", lambda image: run("mkfs.ext4", "-q", str(image)))
        mounted = made.make("mounted", lambda image: run("mkfs.ext4", "-q", str(image)))
        made.mount(mounted, directory / "mnt")
        made.make("swap", lambda image: run("mkswap", str(image)))
        made.make("random", lambda image: image.write_bytes(os.urandom(32 * MIB)))
        made.make("kept")
        made.make("readonly", options=("--read-only",))
        made.make("below")
        made.make("stacked")
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def allowed(loops, work_directory):
    """A service that may use all of those devices, and a directory with things in it."""
    import service as service_module  # pylint: disable=import-outside-toplevel

    service = service_module.Service(
        work_directory / "targets", allow=[d for d, _ in loops.devices.values()]
    )
    keep = service.scratch / "keep"
    keep.mkdir()
    (keep / "file").write_bytes(os.urandom(MIB))
    (keep / "link").symlink_to(keep / "file")
    (keep / "links").symlink_to(keep)
    (keep / "twice").write_bytes(os.urandom(MIB))
    os.link(keep / "twice", keep / "twice2")
    os.mkfifo(keep / "pipe")
    service.start()
    yield service
    service.stop()


def write(service, target, **defaults):
    """A definition that writes to the target."""
    return service.definition(
        target=target,
        factors=None,
        defaults={"size": "1m", "runtime": "200ms", **defaults},
        workloads=[{"name": "w", "rw": "randwrite"}],
    )


def check_refused(service, definition, status, code, field="/target"):
    for target in ("/api/v1/plan", "/api/v1/runs"):
        answer = service.client.post(target, definition)
        assert (answer.status, answer.code) == (status, code), answer
        assert answer.json["field"] == field, answer
    assert service.client.get("/api/v1/runs").json["runs"] == []


@pytest.mark.parametrize(
    "name, status, code",
    [
        ("ext4", 409, "target_has_signature"),
        ("swap", 409, "target_has_signature"),
        ("mounted", 409, "target_busy"),
        ("random", 409, "target_not_blank"),
        ("readonly", 409, "target_read_only"),
    ],
)
def test_devices_are_refused(allowed, loops, name, status, code):
    device, image = loops.devices[name]
    before = digest(image)
    check_refused(allowed, write(allowed, {"device": device}), status, code)
    assert digest(image) == before
    candidate = next(
        t for t in allowed.client.get("/api/v1/targets").json["targets"] if t["path"] == device
    )
    assert not candidate["usable"]
    assert candidate["reason"]["code"] == code


def test_questions_do_not_find_each_other(allowed, loops):
    """Looking at a device claims it for a moment; others who look just then wait."""
    blank, _ = loops.devices["blank"]
    definition = write(allowed, {"device": blank})

    def ask(_):
        return allowed.client.post("/api/v1/plan", definition)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, range(16)))
    assert [answer.status for answer in answers] == [200] * 16, answers


def test_a_device_below_another_is_refused(allowed, loops):
    """A loop device on a loop device: O_EXCL does not see it."""
    below, _ = loops.devices["below"]
    above = run("losetup", "--find", "--show", below)
    try:
        check_refused(allowed, write(allowed, {"device": below}), 409, "target_busy")
    finally:
        run("losetup", "--detach", above)


def test_too_small_and_wrong_fingerprint(allowed, loops):
    device, _ = loops.devices["blank"]
    check_refused(allowed, write(allowed, {"device": device}, size="64m"), 422, "target_too_small")
    check_refused(
        allowed, write(allowed, {"device": device, "fingerprint": "nonsense"}), 409, "fingerprint_mismatch"
    )


def test_a_blank_device_is_measured(allowed, loops):
    device, _ = loops.devices["blank"]
    client = allowed.client
    run_id = client.submit(write(allowed, {"device": device}))
    client.wait_state(run_id, "done")
    assert client.get(f"/api/v1/runs/{run_id}/result").json["samples"][0]["write"]["ios"] > 0
    assert client.delete(f"/api/v1/runs/{run_id}").status == 204


def test_a_fingerprint_overrides_what_is_on_it(allowed, loops):
    """Only the device's own, as GET /targets gave it; and never for a mounted one."""
    client = allowed.client
    listed = {t["path"]: t for t in client.get("/api/v1/targets").json["targets"]}
    random, _ = loops.devices["random"]
    mounted, image = loops.devices["mounted"]
    ours = listed[random]["fingerprint"]
    check_refused(
        allowed, write(allowed, {"device": mounted, "fingerprint": listed[mounted].get("fingerprint", ours)}),
        409, "target_busy",
    )
    plan = client.post("/api/v1/plan", write(allowed, {"device": random, "fingerprint": ours}))
    assert plan.status == 200, plan
    assert plan.json["targets"][0]["action"] == "overwrite"
    told = [f for f in plan.json["findings"] if f["code"] == "device_overwritten"]
    assert len(told) == 1 and told[0]["severity"] == "warning" and random in told[0]["message"]
    assert image.exists()


@pytest.mark.parametrize("options, first, behind", [
    ({"rw": "randwrite", "offset": "3m", "size": "513k"}, 3 * MIB, 3 * MIB + 513 * 1024),
    ({"rw": "randread", "offset": "1m", "size": "1m", "numjobs": 2}, MIB, 3 * MIB),
    # Neither its beginning nor its end is a block's.
    ({"rw": "write", "bs": 700, "direct": 0, "offset": 1000100, "size": 200100}, 1000100, 1200200),
])
def test_only_what_the_workloads_reach_is_overwritten(allowed, loops, options, first, behind):
    client = allowed.client
    device, image = loops.devices["kept"]
    before = os.urandom(32 * MIB)
    image.write_bytes(before)
    run("blockdev", "--flushbufs", device)
    listed = {t["path"]: t for t in client.get("/api/v1/targets").json["targets"]}
    whole = write(allowed, {"device": device, "fingerprint": listed[device]["fingerprint"]}, **options)
    del whole["workloads"][0]["rw"]
    plan = client.post("/api/v1/plan", whole)
    assert plan.status == 200 and plan.json["estimate"]["fill_bytes"] == behind - first, plan
    run_id = client.submit(whole)
    client.wait_state(run_id, "done")
    assert client.delete(f"/api/v1/runs/{run_id}").status == 204
    run("blockdev", "--flushbufs", device)
    after = image.read_bytes()
    assert after[:first] == before[:first]
    assert after[behind:] == before[behind:]
    assert after[first:behind] != before[first:behind]


@pytest.mark.parametrize(
    "name, status, code",
    [
        ("keep/file", 409, "file_exists"),
        ("keep/link", 422, "target_type"),
        ("keep/links/new", 422, "target_type"),
        ("keep/twice", 422, "target_type"),
        ("keep/pipe", 422, "target_type"),
        ("keep", 422, "target_type"),
        ("none/new", 422, "target_missing"),
        ("../state/new", 403, "target_not_allowed"),
        ("keep/../../new", 403, "target_not_allowed"),
    ],
)
def test_files_are_refused(allowed, name, status, code):
    keep = allowed.scratch / "keep"
    before = {p.name: digest(p) for p in keep.iterdir() if p.is_file()}
    check_refused(allowed, write(allowed, {"file": f"{allowed.scratch}/{name}"}), status, code)
    assert {p.name: digest(p) for p in keep.iterdir() if p.is_file()} == before


@pytest.mark.parametrize(
    "target, status, code",
    [
        ({"file": "/etc/volbench-test"}, 403, "target_not_allowed"),
        ({"directory": "/"}, 403, "target_not_allowed"),
        ({"device": "/dev/sda"}, 403, "target_not_allowed"),
        ({"device": "/dev/zero"}, 403, "target_not_allowed"),
    ],
)
def test_what_is_not_allowed(allowed, target, status, code):
    check_refused(allowed, write(allowed, target), status, code)


def test_an_existing_file_may_be_read(allowed):
    client = allowed.client
    path = allowed.scratch / "keep" / "file"
    before = digest(path)
    target = {"file": str(path), "existing": True}
    reading = allowed.definition(target=target, factors=None)
    run_id = client.submit(reading)
    client.wait_state(run_id, "done")
    assert client.delete(f"/api/v1/runs/{run_id}").status == 204
    assert digest(path) == before
    for endpoint in ("/api/v1/plan", "/api/v1/runs"):
        answer = client.post(endpoint, write(allowed, target))
        assert 400 <= answer.status < 500, answer
    small = allowed.definition(target=target, factors=None, defaults={"size": "2m", "runtime": 1})
    answer = client.post("/api/v1/plan", small)
    assert (answer.status, answer.code) == (422, "target_too_small")
    assert digest(path) == before


def test_limits_of_the_machine(allowed):
    """Space, memory and threads are looked at before anything is written."""
    directory = {"directory": str(allowed.scratch)}
    check_refused(allowed, write(allowed, directory, size="900t"), 422, "no_space")
    answer = allowed.client.post(
        "/api/v1/plan", write(allowed, directory, size="64m", bs="64m", iodepth=4096, numjobs=16)
    )
    assert answer.status in (422, 503) and answer.code in ("memory_limit", "no_space"), answer
    answer = allowed.client.post(
        "/api/v1/plan", write(allowed, directory, ioengine="threads", iodepth=64, numjobs=32)
    )
    assert (answer.status, answer.code) == (422, "too_many_threads"), answer


def test_the_threads_backend_refuses_what_it_would_ignore(allowed):
    """Its threads wait for one operation each; io_uring is asked for the same without complaint."""
    directory = {"directory": str(allowed.scratch)}
    for option in ("iodepth_batch_complete_min", "iodepth_batch", "iodepth_low"):
        options = {"iodepth": 8, option: 4}
        answer = allowed.client.post(
            "/api/v1/plan", write(allowed, directory, ioengine="threads", **options)
        )
        assert (answer.status, answer.code) == (422, "conflicting_options"), answer
        assert answer.json["field"].endswith(option), answer
        assert allowed.client.post("/api/v1/plan", write(allowed, directory, **options)).status == 200
