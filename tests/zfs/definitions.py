# SPDX-License-Identifier: GPL-3.0-or-later
"""Small definitions of zvols and datasets, and what tests ask of what a run has made."""
import json


def zvol(pool, size="64M", **properties):
    return {"zvol": {"parent": pool.parent, "size": size, "properties": properties}}


def dataset(pool, **properties):
    return {"dataset": {"parent": pool.parent, "properties": properties}}


def definition(target, workloads=None, factors=None, **more):
    """Random reads of a second, on what is filled first; `defaults` and others are laid over."""
    defaults = {"bs": "16k", "size": "32m", "iodepth": 4, "runtime": 1, **more.pop("defaults", {})}
    defaults = {name: value for name, value in defaults.items() if value is not None}
    value = {
        "name": "small",
        "target": target,
        "factors": factors,
        "defaults": defaults,
        "workloads": workloads or [{"name": "random read", "rw": "randread"}],
        **more,
    }
    return {name: part for name, part in value.items() if part is not None}


def endless(pool, **more):
    """One sample that goes on until it is ended."""
    return definition(zvol(pool), defaults={"runtime": 3600}, **more)


def made(machine, pool):
    """Names beneath the parent that carry a run's mark of their own."""
    lines = machine.ok(f"zfs get -rHp -s local -o name,value volbench:run {pool.parent}").splitlines()
    return dict(line.split("\t") for line in lines)


def when_destroyed(pool, log, *properties):
    """For zfs_instead(): before each `zfs destroy`, a line "name value..." of each volume that is there,
    and an empty one."""
    names = ",".join(properties)
    return (
        f'case $1 in destroy) for volume in $($zfs list -rHo name -t volume {pool.parent}); do'
        f" echo $volume $($zfs get -Hpo value {names} $volume); done >>{log}; echo >>{log}; esac"
    )


def read_when_destroyed(machine, log):
    """The same: of each `zfs destroy`, values by the volumes' names."""
    moments = machine.ok(f"cat {log}").split("\n\n")
    return [{line.split()[0]: line.split()[1:] for line in moment.splitlines()} for moment in moments]


def codes(findings):
    return {finding["code"] for finding in findings}


def all_findings(result):
    """Of the result as a whole and of each sample."""
    return [*result.get("findings", []), *(f for s in result["samples"] for f in s.get("findings", []))]


def measure(client, definition_, patience=600):
    """Runs it to its end: the result."""
    run_id = client.submit(definition_)
    client.wait_state(run_id, "done", patience=patience)
    return client.get(f"/api/v1/runs/{run_id}/result").json


def refused(client, definition_):
    """What a run ends with, told at once or in its state: code, field, message."""
    answer = client.post("/api/v1/runs", definition_)
    if answer.status != 202:
        return {"message": answer.json["detail"], "field": "", **answer.json}
    run = client.wait(answer.json["id"], lambda r: r["state"] in ("done", "failed"), 600)
    assert run["state"] == "failed", json.dumps(run)
    return run["error"]
