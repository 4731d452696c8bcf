# SPDX-License-Identifier: GPL-3.0-or-later
"""--allow-dataset, and what a machine without OpenZFS says of zvols and datasets."""
import json
import os
import subprocess

import pytest

from engine import PATIENCE, PROGRAM

NAMES = ["tank/volbench", "own"]
BAD = ["/tank/volbench", "-r", "tank/", "tank//a", "tank/../x", "tank/a@snap", "tank/a b", "tank/a\nb",
       "t" * 256, "0tank", "tank/\u00e4"]  # fmt: skip


@pytest.fixture
def service(make_service):
    options = [word for name in NAMES for word in ("--allow-dataset", name)]
    return make_service(options=options)


def definition(kind, parent):
    return {
        "name": "there is no such pool",
        "target": {kind: {"parent": parent, "size": "16m"} if kind == "zvol" else {"parent": parent}},
        "defaults": {"size": "1m", "runtime": 1},
        "workloads": [{"name": "read", "rw": "randread"}],
    }


def volbench(*words, text=""):
    return subprocess.run(
        [PROGRAM, *words], input=text, capture_output=True, text=True, timeout=3 * PATIENCE)


def test_the_service_tells_them(service):
    system = service.client.get("/api/v1/system").json
    assert system["service"]["allow_datasets"] == NAMES
    assert system["engine"]["openzfs"]["available"] == os.path.exists("/dev/zfs")
    found = [(t["path"], t["kind"]) for t in service.client.get("/api/v1/targets").json["targets"]
             if t["kind"] in ("zvol", "dataset")]
    assert found == [(name, kind) for name in NAMES for kind in ("zvol", "dataset")]


@pytest.mark.skipif(os.path.exists("/sys/module/zfs"), reason="this machine has OpenZFS")
def test_without_openzfs(service):
    for kind in ("zvol", "dataset"):
        answer = service.client.post("/api/v1/plan", definition(kind, "tank/volbench"))
        assert (answer.status, answer.code) == (422, "zfs_unavailable"), answer
        assert answer.json["field"] == "/target"
        assert "kernel module zfs is not loaded" in answer.json["detail"]
    for target in service.client.get("/api/v1/targets").json["targets"]:
        if target["kind"] in ("zvol", "dataset"):
            assert not target["usable"] and target["reason"]["code"] == "zfs_unavailable"
    # Everything else works.
    run_id = service.client.submit(service.definition())
    service.client.wait_state(run_id, "done")


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_name(directory, name):
    done = volbench("serve", "--listen", "127.0.0.1:0", "--state", directory / "state", "--allow-dataset", name)
    assert done.returncode == 2, done
    assert "--allow-dataset takes the name of a dataset" in done.stderr
    assert len(done.stderr.rstrip("\n").splitlines()) == 1


def test_alone_is_enough_in_a_terminal(directory):
    text = json.dumps(definition("zvol", "tank/volbenchx"))
    done = volbench("plan", "-", "--state", directory / "state", "--allow-dataset", "tank/volbench", text=text)
    assert done.returncode != 0
    assert "zfs_unavailable" in done.stderr or "target_not_allowed" in done.stderr
    done = volbench("plan", "-", "--state", directory / "state", text=text)
    assert "wants --allow PATH" in done.stderr and "--allow-dataset NAME" in done.stderr
