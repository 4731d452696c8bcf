# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are no JSON, too much JSON, or JSON that is no definition: code, pointer, place."""
import json

import pytest

import contract


def definition(**changes):
    value = {
        "name": "d",
        "target": {"directory": "/nowhere"},
        "workloads": [{"name": "w", "rw": "randread", "size": "1m"}],
    }
    value.update(changes)
    return value


@pytest.mark.parametrize(
    "raw, code",
    [
        (b"{", "json_invalid"),
        (b"", "json_invalid"),
        (b"\xef\xbb\xbf{}", "json_invalid"),
        (b'{"name": "a", "name": "b"}', "json_invalid"),
        (b'{"name": "a\\u0000b"}', "json_invalid"),
        (b'{"name": "a\x00b"}', "json_invalid"),
        (b'{"name": "\xff"}', "json_invalid"),
        (b'{"name": "\xed\xa0\x80"}', "json_invalid"),
        (b"{} {}", "json_invalid"),
        (b"{} x", "json_invalid"),
        (b"{'name': 1}", "json_invalid"),
        (b'{"repeats": NaN}', "json_invalid"),
        (b'{"repeats": 01}', "json_invalid"),
        (b"\x00", "json_invalid"),
        (b"[" * 17 + b"]" * 17, "json_too_deep"),
        (b"[" * 30000, "json_too_deep"),
        (b'{"a":' * 17 + b"1" + b"}" * 17, "json_too_deep"),
        (b'{"repeats": 9223372036854775808}', "json_number"),
        (b'{"repeats": 99999999999999999999}', "json_number"),
        (b'{"repeats": 1e400}', "json_number"),
    ],
)
def test_no_json(shared, raw, code):
    for method, target in (
        ("POST", "/api/v1/plan"), ("POST", "/api/v1/runs"), ("PUT", "/api/v1/definitions/d"),
    ):
        answer = shared.client.request(method, target, raw=raw)
        assert (answer.status, answer.code) == (400, code), answer
        if code == "json_invalid":
            assert "line" in answer.json["detail"] and "column" in answer.json["detail"], answer


def test_the_place_is_named(shared):
    answer = shared.client.post("/api/v1/plan", raw=b'{\n  "name": "a",\n  "x" 1\n}')
    assert "line 3" in answer.json["detail"], answer


def workload(**changes):
    return definition(workloads=[{"name": "w", "rw": "randread", "size": "1m", **changes}])


@pytest.mark.parametrize(
    "value, code, field, says",
    [
        ([], "wrong_type", "", ""),
        (definition(nme="x"), "unknown_field", "/nme", "workloads"),
        (workload(blocksise="4k"), "unknown_field", "/workloads/0/blocksise", ""),
        (workload(bs="-1"), "bad_size", "/workloads/0/bs", ""),
        (workload(bs="4kib?"), "bad_size", "/workloads/0/bs", ""),
        (workload(size="16777216TiB"), "bad_size", "/workloads/0/size", ""),
        (workload(size="9" * 20), "bad_size", "/workloads/0/size", ""),
        (workload(bs="128m"), "out_of_range", "/workloads/0/bs", "64"),
        (workload(iodepth=0), "out_of_range", "/workloads/0/iodepth", "4096"),
        (workload(iodepth=4097), "out_of_range", "/workloads/0/iodepth", "4096"),
        (workload(runtime="soon"), "bad_time", "/workloads/0/runtime", ""),
        (workload(rw="sideways"), "bad_value", "/workloads/0/rw", "randread"),
        (workload(rwmixread=70, rwmixwrite=70), "conflicting_options", None, "100"),
        (definition(workloads=[{"name": "w", "fio": "--rw=read --size=1m --numa_cpu_nodes=1"}]),
         "unsupported_option", "/workloads/0/fio", "numa_cpu_nodes"),
        (definition(workloads=[]), "missing_field", "/workloads", None),
        ({"name": "d", "target": {"directory": "/x"}}, "missing_field", "/workloads", None),
        (definition(workloads=[{"name": "w", "size": "1m"}] * 2), "duplicate", "/workloads/1/name", ""),
        (definition(factors={"bs": ["4k", "4096"]}), "duplicate", "/factors/bs/1", ""),
        (definition(factors={"iodepth": list(range(1, 66))}), "too_many", "/factors/iodepth", "64"),
        (definition(repeats=101), "out_of_range", "/repeats", "100"),
        (definition(schema="volbench.definition/9"), "unsupported_schema", "/schema", ""),
        ({"definition": "nobody's"}, "unknown_definition", "/definition", ""),
        (definition(a={"~/": 1}), "unknown_field", "/a", ""),
    ],
)
def test_no_definition(shared, value, code, field, says):
    for target in ("/api/v1/plan", "/api/v1/runs"):
        answer = shared.client.post(target, value)
        assert (answer.status, answer.code) == (422, code), answer
        if field is not None:
            assert answer.json["field"] == field, answer
        assert (says or "") in answer.json["detail"], answer


REPLAY = contract.ROOT / "tests" / "data" / "bad-definitions.json"


def body_of(entry):
    """The bytes of an entry as they are sent."""
    if "hex" in entry:
        return bytes.fromhex(entry["hex"])
    body = entry["body"]
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def test_bad_definitions_are_refused_with_their_pointer(shared):
    """The collection that the decoder's unit test reads, once more over HTTP."""
    entries = json.loads(REPLAY.read_text(encoding="utf-8"))
    assert len(entries) >= 200
    wrong = []
    for entry in entries:
        answer = shared.client.request("POST", "/api/v1/plan", raw=body_of(entry))
        got = (answer.code, (answer.json or {}).get("field"))
        if not 400 <= answer.status < 500 or got != (entry["code"], entry["pointer"]):
            wrong.append((entry["name"], answer.status, got, entry["code"], entry["pointer"]))
    assert not wrong, wrong[:10]
    assert shared.client.get("/api/v1/runs").json["runs"] == []
