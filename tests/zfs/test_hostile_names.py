# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing a client writes becomes an option, a snapshot, a second name or a command of zfs: what it is
given is written down, argument by argument, by a script in its place. And one that hangs."""
import pytest

from test_hostile_texts import CANARY, TEXTS

LOG = "/tmp/zfs-arguments"
PAYLOADS = [*TEXTS, "-r", "--help", "-o", "a\nb", "a\tb", "a b", "\u00e4", "%s", "*", "x" * 300]


@pytest.fixture
def written_down(machine, zfs_instead):
    """written_down(): the argument vectors that zfs was given since it was last asked."""
    machine.ok(f"rm -f {LOG}")
    zfs_instead(f'printf "%s\\0" "$@" >>{LOG}; printf "\\1\\0" >>{LOG}')

    def take():
        text = machine.ok(f"cat {LOG} 2>/dev/null; rm -f {LOG}")
        return [call.split("\0")[:-1] for call in text.split("\1\0") if call]

    return take


def definition(parent, kind="zvol", **target):
    return {
        "name": "hostile",
        "target": {kind: {"parent": parent, **target}},
        "defaults": {"size": "1m", "runtime": 1, "bs": "16k"},
        "workloads": [{"name": "read", "rw": "randread"}],
    }


def test_parents(machine, pool, service, written_down):
    top = pool.parent
    before = machine.datasets(pool.name)
    written_down()
    outside = [f"{top}/../x", f"{top}x", f"{top}@snap", f"{top}#mark", f"{top}/", f"{top}//a", f"/{top}",
               pool.name, f"{top}/a\n{pool.name}", f"{top}/a -r", f"{top}/" + "a" * 256, "", "-r",
               "-r\n" + top, f"{top}/."]  # fmt: skip
    for number, parent in enumerate([*outside, *PAYLOADS, *(f"{top}/{text}" for text in PAYLOADS[::3])]):
        answer = service.client.post("/api/v1/plan", definition(parent, "zvol" if number % 2 else "dataset"))
        assert answer.status in (400, 403, 422), (parent, answer)
    # One that is well-formed may be asked of, and of no other.
    for call in written_down():
        assert call[-1].startswith(top + "/") and set(call[-1]) <= set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-/"), call
        assert "destroy" not in call and "-r" not in call
    assert machine.datasets(pool.name) == before
    assert machine.run(f"test -e {CANARY}")[0] != 0


def test_properties(machine, pool, service, written_down):
    """Each is one argument behind -o, or refused."""
    before = machine.datasets(pool.name)
    good = definition(pool.parent, properties={"compression": "lz4"})
    assert service.client.post("/api/v1/plan", good).status == 200
    assert any("-o compression=lz4" in " ".join(call) for call in written_down())
    for number, text in enumerate(PAYLOADS):
        properties = {"compression": text} if number % 3 else {text: "on"}
        answer = service.client.post("/api/v1/plan", definition(pool.parent, properties=properties))
        assert answer.status in (400, 403, 422), (text, answer)
        for call in written_down():
            assert call[0] in ("get", "create", "allow"), call
            assert call[-1] == pool.parent or call[-1].startswith(pool.parent + "/volbench-"), call
            for place, argument in enumerate(call[1:-1], 1):
                if argument in (text, f"compression={text}", f"{text}=on"):
                    assert call[place - 1] == "-o" and "=" in argument, call
    assert machine.datasets(pool.name) == before
    assert machine.run(f"test -e {CANARY}")[0] != 0


def test_one_that_hangs(machine, make_service, make_pool, zfs_instead):
    """A pool of which nothing is answered keeps nobody from the targets of another."""
    dead, live = make_pool(size="512M"), make_pool()
    service = make_service(datasets=[dead.parent, live.parent], allow=["/tmp"])
    zfs_instead(f'case "$*" in *{dead.parent}*) exec sleep 100000 ;; esac')
    targets = service.client.get("/api/v1/targets").json["targets"]
    by_path = {(t["path"], t["kind"]): t for t in targets}
    assert by_path["/tmp", "directory"]["usable"]
    for kind in ("zvol", "dataset"):
        assert by_path[live.parent, kind]["usable"]
        reason = by_path[dead.parent, kind]["reason"]
        assert not by_path[dead.parent, kind]["usable"] and reason["code"] == "zfs_failed", reason
    assert not service.engines()
