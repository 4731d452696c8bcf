# SPDX-License-Identifier: GPL-3.0-or-later
"""What definitions say of zvols and datasets, held against OpenZFS: values of properties, plans."""
import json
import shlex
import subprocess

import pytest

import machine as machine_module

POWERS = ["512", "1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K"]
CACHES = ["all", "none", "metadata"]
SWITCH = ["on", "off"]
# Every value that engine/plan/property.c takes, but for the sizes that only some pools have.
BOTH = {
    "compression": ["on", "off", "lz4", "lzjb", "zle", "gzip", "zstd", "zstd-fast"]
    + [f"gzip-{n}" for n in range(1, 10) if n != 6]
    + [f"zstd-{n}" for n in range(1, 20) if n != 3]
    + [f"zstd-fast-{n}" for n in [*range(2, 10), *range(10, 101, 10), 500, 1000]],
    "primarycache": CACHES,
    "secondarycache": CACHES,
    "sync": ["standard", "always", "disabled"],
    "logbias": ["latency", "throughput"],
    "checksum": ["on", "off", "fletcher2", "fletcher4", "sha256", "sha512", "skein", "edonr", "blake3"],
    "copies": ["1", "2", "3"],
    "dedup": ["off", "on", "verify", "sha256", "sha256,verify", "sha512", "sha512,verify", "skein",
              "skein,verify", "edonr,verify", "blake3", "blake3,verify"],
    "prefetch": CACHES,
    "redundant_metadata": ["all", "most", "some", "none"],
}
OF_ZVOL = {"volblocksize": POWERS, "volthreading": SWITCH}
OF_DATASET = {
    "recordsize": [*POWERS, "256K", "512K", "1M", "2M", "4M", "8M", "16M"],
    "direct": ["standard", "always", "disabled"],
    "atime": SWITCH,
    "relatime": SWITCH,
    "xattr": ["on", "off", "dir", "sa"],
    "dnodesize": ["legacy", "auto", "1k", "2k", "4k", "8k", "16k"],
    "special_small_blocks": ["0", *POWERS, "256K", "512K", "1M"],
}

# Since which version OpenZFS knows a property, or a value of it.
SINCE = {
    "prefetch": (2, 2),
    "direct": (2, 3),
    "volthreading": (2, 3),
    "checksum=blake3": (2, 2),
    "dedup=blake3": (2, 2),
    "dedup=blake3,verify": (2, 2),
    "redundant_metadata=some": (2, 2),
    "redundant_metadata=none": (2, 2),
    **{f"recordsize={n}M": (2, 2) for n in (2, 4, 8, 16)},  # without a change of zfs_max_recordsize
}


def known_to(version, properties):
    """Those of the properties and values that an OpenZFS of this version has."""
    def known(name):
        return SINCE.get(name, (0,)) <= version

    values = {name: [v for v in its if known(f"{name}={v}")] for name, its in properties.items() if known(name)}
    return {name: its for name, its in values.items() if its}


def as_fio(kind, parent, name, values):
    """The commands that `volbench fio` gives for one property compared over all its values."""
    definition = {
        "name": name, "parent": parent, "target": {kind: {}}, "factors": {name: values},
        "workloads": [{"rw": "read", "size": "16m"}],
    }
    text = subprocess.run(
        [machine_module.PROGRAM, "fio", "-", "--state", "/nonexistent"], input=json.dumps(definition),
        capture_output=True, text=True, check=True).stdout
    commands = [line[1:].strip() for line in text.splitlines() if line.startswith(";   zfs create")]
    assert len(commands) == len(values), text
    return commands


def test_openzfs_takes_every_value(machine, pool):
    """As a zvol in a dry run, since that is quicker; as a dataset in earnest, for the kernel's word."""
    version = tuple(int(part) for part in machine.ok("cut -d. -f1-2 /sys/module/zfs/version").split("."))
    of_zvol, of_dataset = known_to(version, OF_ZVOL), known_to(version, {**BOTH, **OF_DATASET})
    script = ["try() { \"$@\" >/tmp/said 2>&1 || { echo \"$*: $(cat /tmp/said)\"; }; }"]
    for name, values in of_zvol.items():
        for command in as_fio("zvol", pool.parent, name, values):
            script.append("try " + command.replace("zfs create", "zfs create -n", 1))
    for name, values in of_dataset.items():
        for command in as_fio("dataset", pool.parent, name, values):
            words = shlex.split(command)
            script.append("try " + command.replace("-o mountpoint", "-o canmount=off -o mountpoint", 1))
            script.append(f"zfs get -Hpo value {name} {words[-1]} >>/tmp/got; try zfs destroy {words[-1]}")
    machine.put("\n".join(script).encode(), "/tmp/script")
    said = machine.ok("rm -f /tmp/got; sh /tmp/script", timeout=900)
    assert said == ""
    got = machine.ok("wc -l </tmp/got")
    assert int(got) == sum(map(len, of_dataset.values()))


def test_a_plan_says_what_is_made(machine, pool):
    before = machine.datasets(pool.name)
    text = machine.ok(
        f"volbench plan volblocksize --parent {pool.parent} --allow-dataset {pool.parent} "
        "--state /tmp/plan-state --override size=16m --override runtime=1", timeout=900)
    said = " ".join(text.split())
    assert f"zvol beneath {pool.parent} (1 x disk" in said or f"zvol beneath {pool.parent} (disk" in said, said
    assert ("6 zvols of 16 MiB each are made beneath it with primarycache=metadata, volblocksize 4K, 8K, "
            "16K, 32K, 64K and 128K, kept all at once, and destroyed at the end") in said
    assert "primarycache=metadata keeps data out of ARC" in said
    assert machine.datasets(pool.name) == before


def test_a_plan_by_rest(machine, make_service, pool):
    """Its document is held against openapi.yaml as every answer is."""
    service = make_service(datasets=[pool.parent])
    request = {"definition": "zvol-vs-file", "parent": pool.parent, "override": {"size": "12m"},
               "repeats": 1}
    plan = service.client.post("/api/v1/plan", request)
    assert plan.status == 200, plan
    file, zvol = plan.json["targets"]
    assert (file["name"], file["info"]["kind"], file["action"]) == ("file", "dataset", "create")
    assert file["instances"] == [{"properties": {"recordsize": "128K", "primarycache": "metadata"}}]
    assert (zvol["info"]["kind"], zvol["file_bytes"]) == ("zvol", 12 << 20)
    assert zvol["instances"] == [{"properties": {"volblocksize": "128K", "primarycache": "metadata"}}]
    assert plan.json["estimate"]["fill_bytes"] == 2 * (12 << 20)
    # the machine's ARC has a limit that the working set stays under
    limit = machine.ok("awk '$1 == \"c_max\" {print $3}' /proc/spl/kstat/zfs/arcstats")
    request["targets"] = [{"name": "zvol", "zvol": {}}]
    plan = service.client.post("/api/v1/plan", request)
    found = [f for f in plan.json["findings"] if f["code"] == "fits_arc"]
    assert len(found) == 1 and found[0]["severity"] == "warning", plan.json["findings"]
    value, unit = found[0]["expected"].removeprefix("more than ").split()
    assert abs(float(value) * {"MiB": 1 << 20, "GiB": 1 << 30}[unit] / int(limit) - 1) < 0.1


@pytest.mark.parametrize(
    "name, small, factors, samples",
    [
        ("recordsize", {"size": "4m", "runtime": 1, "ramp_time": 0, "numjobs": 1},
         {"recordsize": ["8K", "1M"]}, 10),
        ("zvol-vs-file", {"size": "6m"}, {"bs": ["64k", "768k"]}, 8),
    ],
)  # fmt: skip
def test_built_in_definitions_run(machine, pool, name, small, factors, samples):
    """Small, once, in a terminal; nothing stays."""
    before = [line.split("\t")[0] for line in machine.datasets(pool.name)]
    request = {"definition": name, "parent": pool.parent, "override": small, "factors": factors,
               "repeats": 1}
    machine.put(json.dumps(request).encode(), "/tmp/request.json")
    machine.ok(
        f"volbench run /tmp/request.json --allow-dataset {pool.parent} --state {machine.state}/run "
        "--quiet --json /tmp/result.json", timeout=900)
    result = json.loads(machine.get("/tmp/result.json"))
    assert len(result["samples"]) == samples
    for sample in result["samples"]:
        assert sample["seconds"] > 0 and sample["error_count"] == 0
        assert sample["zfs"]["properties"]["primarycache"] == "metadata", sample["zfs"]
    assert [line.split("\t")[0] for line in machine.datasets(pool.name)] == before
