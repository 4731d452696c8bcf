# SPDX-License-Identifier: GPL-3.0-or-later
"""Every answer that openapi.yaml promises is met: the last of the tests, which looks at them all."""
import pathlib

import pytest

import contract

NOBODY = "20200101-000000-aaaaaa"

# The plainest refusal of each call that no other test asks for: method, path, status, code.
REFUSALS = [
    ("GET", "/api/v1/runs?limit=0", 400, "bad_parameter"),
    ("GET", "/api/v1/runs/x", 400, "bad_id"),
    ("DELETE", "/api/v1/runs/x", 400, "bad_id"),
    ("DELETE", f"/api/v1/runs/{NOBODY}", 404, "not_found"),
    ("GET", "/api/v1/runs/x/events", 400, "bad_id"),
    ("GET", "/api/v1/runs/x/result", 400, "bad_id"),
    ("GET", "/api/v1/runs/x/result.csv", 400, "bad_id"),
    ("GET", "/api/v1/runs/x/analysis", 400, "bad_id"),
    ("GET", "/api/v1/runs/x/fio.json", 400, "bad_id"),
    ("POST", "/api/v1/runs/x/cancel", 400, "bad_id"),
    ("POST", f"/api/v1/runs/{NOBODY}/cancel", 404, "not_found"),
    ("GET", "/api/v1/definitions/.x", 400, "bad_name"),
    ("DELETE", "/api/v1/definitions/.x", 400, "bad_name"),
    ("GET", "/runs/x", 400, "bad_id"),
    ("GET", "/runs/x/style.css", 400, "bad_id"),
    ("GET", "/studies/.x", 400, "bad_name"),
    ("GET", "/studies/.x/", 400, "bad_name"),
    ("GET", "/studies/.x/style.css", 400, "bad_name"),
    ("POST", "/api/v1/plan", 415, "content_type"),
    ("POST", "/api/v1/runs", 415, "content_type"),
    ("PUT", "/api/v1/definitions/x", 415, "content_type"),
]

# What no request alone brings about, and the test of what stands behind it.
ELSEWHERE = {
    ("get", "/healthz", "503"): "tests/unit/server/test_store_crash.c",  # the store is read-only
    ("post", "/api/v1/imports", "507"): "tests/unit/server/test_store_import.c",
    ("get", "/api/v1/system", "503"): "tests/e2e/test_limits.py",  # one lane with /api/v1/targets
}


@pytest.mark.parametrize("method,path,status,code", REFUSALS)
def test_refusals(shared, method, path, status, code):
    answer = shared.client.request(method, path)
    assert (answer.status, answer.code) == (status, code)


def test_every_answer_is_met(request):
    option = request.config.option
    asked = {pathlib.Path(path).resolve() for path in option.file_or_dir}
    # The patient ones meet none that no other meets.
    if asked != {pathlib.Path(__file__).parent} or option.keyword or option.markexpr not in ("", "not patient"):
        pytest.skip("only a whole run of the tests meets every answer")
    promised = {
        (method, path, status)
        for path, item in contract.DOCUMENT["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
        for status in operation["responses"]
        if status != "default"
    }
    missing = promised - contract.MET - set(ELSEWHERE)
    assert not missing, sorted(missing)
    assert set(ELSEWHERE) <= promised
    for path in ELSEWHERE.values():
        assert (contract.ROOT / path).exists()
