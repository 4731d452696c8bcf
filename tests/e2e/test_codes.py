# SPDX-License-Identifier: GPL-3.0-or-later
"""Every error code that exists is met somewhere in the end-to-end tests, or it says why not."""
import pathlib

import contract

# Code -> the test that meets it, since no request alone brings it about.
ELSEWHERE = {
    "io_error": "tests/unit/engine/io/test_measure.c",
    "cancelled": "tests/unit/engine/test_run.c",
    "interrupted": "tests/unit/server/test_store_recovery.c",
    "read_only": "tests/unit/server/test_store_crash.c",
    "system_error": "tests/unit/api/test_problem.c",
    "out_of_memory": "tests/unit/api/test_problem.c",
    "zfs_permission": "tests/zfs/test_privileges.py",  # on real OpenZFS
    "zfs_failed": "tests/unit/engine/zfs/test_command.c",
    "direct_unsupported": "tests/unit/engine/target/test_target.c",
}


def test_every_code_is_met():
    here = pathlib.Path(__file__).parent
    text = "".join(
        p.read_text(encoding="utf-8")
        for p in [*here.glob("*.py"), *here.parent.glob("data/*.json")]
        if p.name != pathlib.Path(__file__).name
    )
    codes = contract.DOCUMENT["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    missing = [c for c in codes if f'"{c}"' not in text and c not in ELSEWHERE]
    assert not missing
    for code, path in ELSEWHERE.items():
        found = (contract.ROOT / path).read_text(encoding="utf-8")
        assert f"ERROR_{code.upper()}" in found or code in found or code in (
            "system_error", "out_of_memory"), (code, path)
