# SPDX-License-Identifier: GPL-3.0-or-later
"""The edge: framing, hosts, origins, methods, paths, types, lengths; what MHD itself would take."""
import json
import re

import pytest

import contract

BASE = "Host: 127.0.0.1:{port}\r\n"


def parse(received):
    """status, headers, body of the first response in the bytes."""
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    match = re.match(r"HTTP/1\.[01] (\d{3})", lines[0])
    assert match, received[:300]
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    if "content-length" in headers:
        body = body[: int(headers["content-length"])]
    return int(match.group(1)), headers, body


def send(client, text, body=b"", **more):
    """A raw request; {port} in it is filled in. The checked problem or document, with status."""
    data = text.replace("{port}", str(client.port)).encode("latin-1") + body
    status, headers, answer = parse(client.raw(data, **more))
    for name, pattern in contract.SECURITY_HEADERS.items():
        assert re.fullmatch(pattern, headers.get(name, "")), (status, headers)
    value = json.loads(answer) if answer else None
    if status >= 400:
        contract.check_problem(status, headers, answer)
    return status, (value or {}).get("code"), headers


def get(path="/healthz", extra="", version="HTTP/1.1"):
    return f"GET {path} {version}\r\n{BASE}Connection: close\r\n{extra}\r\n"


def post(extra, path="/api/v1/plan"):
    return f"POST {path} HTTP/1.1\r\n{BASE}Content-Type: application/json\r\n{extra}\r\n"


BAD_REQUESTS = [
    # which host
    ("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", b"", 400, "bad_host"),
    (get(extra="Host: 127.0.0.1:{port}\r\n"), b"", 400, "bad_host"),
    ("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", b"", 421, "host_not_allowed"),
    ("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", b"", 421, "host_not_allowed"),
    ("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n", b"", 421, "host_not_allowed"),
    ("GET /healthz HTTP/1.1\r\nHost: localhost.:{port}\r\nConnection: close\r\n\r\n", b"", 421, "host_not_allowed"),
    # framing
    (post("Content-Length: 2\r\nContent-Length: 2\r\n"), b"{}", 400, "framing"),
    (post("Content-Length: 2\r\nContent-Length: 3\r\n"), b"{}", 400, "framing"),
    (post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"), b"0\r\n\r\n", 400, "framing"),
    (post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), b"0\r\n\r\n", 400, "framing"),
    (post("Transfer-Encoding: gzip\r\n"), b"", 501, "transfer_encoding"),
    (post("Transfer-Encoding: gzip, chunked\r\n"), b"", 501, "transfer_encoding"),
    (post("Transfer-Encoding: identity\r\n"), b"", 501, "transfer_encoding"),
    (post("Expect: 200-ok\r\nContent-Length: 2\r\n"), b"{}", 417, "expectation"),
    (get(extra="Content-Length: 2\r\n"), b"{}", 400, "bad_request"),
    (post("Connection: close\r\nContent-Length: 2\r\n", "/api/v1/runs/20260131-235959-a1b2c3/cancel"), b"{}", 400, "bad_request"),
    # methods
    ("BREW /healthz HTTP/1.1\r\n" + BASE + "Connection: close\r\n\r\n", b"", 501, "method_unknown"),
    ("get /healthz HTTP/1.1\r\n" + BASE + "Connection: close\r\n\r\n", b"", 501, "method_unknown"),
    ("PATCH /healthz HTTP/1.1\r\n" + BASE + "Connection: close\r\n\r\n", b"", 405, "method_not_allowed"),
    ("OPTIONS /api/v1/runs HTTP/1.1\r\n" + BASE + "Connection: close\r\n\r\n", b"", 405, "method_not_allowed"),
    ("TRACE / HTTP/1.1\r\n" + BASE + "Connection: close\r\n\r\n", b"", 405, "method_not_allowed"),
    # paths
    (get("/api/v1%2fruns"), b"", 400, "bad_path"),
    (get("/api/v1%2Fruns"), b"", 400, "bad_path"),
    (get("/healthz%00"), b"", 400, "bad_path"),
    (get("/healthz%00/x"), b"", 400, "bad_path"),
    (get("/static\\style.css"), b"", 400, "bad_path"),
    (get("/static/%5cstyle.css"), b"", 400, "bad_path"),
    (get("//healthz"), b"", 400, "bad_path"),
    (get("/api//v1/runs"), b"", 400, "bad_path"),
    (get("/static/../healthz"), b"", 400, "bad_path"),
    (get("/static/%2e%2e/healthz"), b"", 400, "bad_path"),
    (get("/static/%zz"), b"", 400, "bad_path"),
    (get("/static/%ff"), b"", 400, "bad_path"),
    (get("http://127.0.0.1/healthz"), b"", 400, "bad_path"),
    (get("*"), b"", 400, "bad_path"),
    (get("/" + "a" * 2000), b"", 400, "bad_path"),
    (get("/nowhere"), b"", 404, "not_found"),
    (get("/healthz/"), b"", 404, "not_found"),
    (get("/1/2/3/4/5/6/7/8/9/10"), b"", 404, "not_found"),
    (get("/static/nothing.css"), b"", 404, "not_found"),
    (get("/static/.hidden"), b"", 404, "not_found"),
    (get("/api/v1/runs/x"), b"", 400, "bad_id"),
    (get("/api/v1/runs/20260131-235959-A1B2C3"), b"", 400, "bad_id"),
    (get("/api/v1/runs/20260131-235959-a1b2c3"), b"", 404, "not_found"),
    (get("/api/v1/definitions/a%20b"), b"", 400, "bad_name"),
    (get("/api/v1/definitions/.a"), b"", 400, "bad_name"),
    (get("/api/v1/definitions/" + "a" * 65), b"", 400, "bad_name"),
    (get("/api/v1/definitions/none"), b"", 404, "not_found"),
    # queries
    (get("/healthz?a=1"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?states=done"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?limit=1&limit=2"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?limit=0"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?limit=101"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?limit="), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?limit=-1"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?limit=99999999999999999999"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?cursor=0"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?state=Done"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?state=%00"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?state=%"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs?state=%ff"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs/20260131-235959-a1b2c3?wait=16&after=0"), b"", 400, "bad_parameter"),
    (get("/api/v1/runs/20260131-235959-a1b2c3?wait=1"), b"", 400, "bad_parameter"),
    # versions
    (get(version="HTTP/1.2"), b"", 400, "bad_request"),
    # types
    (f"POST /api/v1/plan HTTP/1.1\r\n{BASE}Connection: close\r\nContent-Length: 2\r\n\r\n", b"{}", 415, "content_type"),
    (f"POST /api/v1/plan HTTP/1.1\r\n{BASE}Connection: close\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n", b"{}", 415, "content_type"),
    (post("Connection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"), b"{}", 415, "content_type"),
    # an empty body is no JSON
    (post("Connection: close\r\nContent-Length: 0\r\n"), b"", 400, "json_invalid"),
    (post("Connection: close\r\nTransfer-Encoding: chunked\r\n"), b"0\r\n\r\n", 400, "json_invalid"),
    (post("Connection: close\r\nIdempotency-Key: \r\nContent-Length: 2\r\n", "/api/v1/runs"), b"{}", 400, "bad_request"),
]


@pytest.mark.parametrize(
    "request_text, body, status, code",
    BAD_REQUESTS,
    ids=[f"{i}-{row[3]}" for i, row in enumerate(BAD_REQUESTS)],
)
def test_bad_request(shared, request_text, body, status, code):
    got_status, got_code, headers = send(shared.client, request_text, body)
    assert (got_status, got_code) == (status, code)
    if status == 405:
        assert headers["allow"]
    # the service is none the worse
    assert shared.client.get("/healthz").status == 200


@pytest.mark.parametrize(
    "extra, status",
    [
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\n", 403),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Origin: https://127.0.0.1:{port}\r\n", 403),
        ("Sec-Fetch-Site: same-origin\r\nOrigin: http://127.0.0.1:{port}\r\n", 400),
        ("Sec-Fetch-Site: none\r\n", 400),
    ],
)
def test_other_sites_change_nothing(shared, extra, status):
    """400 is that of the empty body: it got past the gate."""
    code = "cross_origin" if status == 403 else "json_invalid"
    text = post(extra + "Connection: close\r\nContent-Length: 0\r\n")
    assert send(shared.client, text)[:2] == (status, code)
    # what only reads may be linked to from anywhere
    assert send(shared.client, get(extra=extra))[0] == 200


def test_own_errors_of_the_library_close_the_connection(shared):
    """What libmicrohttpd refuses before it calls anybody has no problem document, but an end."""
    for data in (b"\r\n\r\nrubbish\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
                 b"POST /api/v1/plan HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
                 b"POST /api/v1/plan HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                 b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", b"GET /\0healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 100, b"\x16\x03\x01\x02\x00"):
        received = shared.client.raw(data, close_write=True)
        assert not received or re.match(rb"HTTP/1\.[01] (4\d\d|5\d\d) ", received), (data, received)
        assert shared.client.get("/healthz").status == 200


def test_header_limit(shared):
    """32 KiB are taken, more is 431, much more is refused by the library."""
    filler = "X-Filler: " + "a" * 1000 + "\r\n"
    assert send(shared.client, get(extra=filler * 31))[0] == 200
    assert send(shared.client, get(extra=filler * 33))[:2] == (431, "headers_too_large")
    received = shared.client.raw(get(extra=filler * 200).replace("{port}", str(shared.port)).encode())
    assert not received or parse(received)[0] in (413, 431, 400)


def test_body_limit(shared):
    """At 64 KiB it is read; above it is 413, with and without a length, small or huge."""
    client = shared.client
    just = b'{"x":"' + b"a" * (65536 - 8) + b'"}'
    assert len(just) == 65536
    assert client.post("/api/v1/plan", raw=just).status == 422
    over = client.post("/api/v1/plan", raw=just + b" ")
    assert (over.status, over.code) == (413, "body_too_large")
    over = client.post("/api/v1/plan", raw=b" " * (7 << 20))
    assert (over.status, over.code) == (413, "body_too_large")
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    text = post("Connection: close\r\nTransfer-Encoding: chunked\r\n")
    assert send(client, text, chunk + b"0\r\n\r\n")[:2] == (400, "json_invalid")
    assert send(client, text, chunk * 2 + b"0\r\n\r\n")[:2] == (413, "body_too_large")
    # beyond what is drained the answer comes before the body
    text = post("Content-Length: 99999999999\r\n")
    assert send(client, text)[:2] == (413, "body_too_large")
    text = post("Expect: 100-continue\r\nContent-Length: 70000\r\n")
    assert send(client, text)[:2] == (413, "body_too_large")
    # endless chunks end
    received = client.raw(post("Transfer-Encoding: chunked\r\n").replace("{port}", str(client.port)).encode()
                          + chunk * 200)
    assert b"200 OK" not in received


def test_expect_continue(shared):
    """A client that waits for 100 Continue gets it, then its answer."""
    text = post("Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n")
    received = shared.client.raw(text.replace("{port}", str(shared.port)).encode() + b"[]")
    assert received.startswith(b"HTTP/1.1 100 ")
    assert b"\r\n\r\nHTTP/1.1 422 " in received


def test_refused_body_is_no_next_request(shared):
    """The body of a refused request is never taken for a request: one answer, then the end."""
    smuggled = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % shared.port
    for head in (
        f"POST /nowhere HTTP/1.1\r\n{BASE}Connection: close\r\nContent-Length: {len(smuggled)}\r\n\r\n",
        f"GET /healthz HTTP/1.1\r\n{BASE}Connection: close\r\nContent-Length: {len(smuggled)}\r\n\r\n",
        f"POST /api/v1/plan HTTP/1.1\r\n{BASE}Content-Length: 1\r\nContent-Length: {len(smuggled)}\r\n\r\n",
        f"GET /healthz HTTP/1.1\r\n{BASE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        f"GET /healthz HTTP/1.1\r\n{BASE}Transfer-Encoding: gzip\r\n\r\n",
        f"BREW /healthz HTTP/1.1\r\n{BASE}Connection: close\r\nContent-Length: {len(smuggled)}\r\n\r\n",
    ):
        received = shared.client.raw(head.replace("{port}", str(shared.port)).encode() + smuggled)
        assert received.count(b"HTTP/1.1 ") == 1, received
        assert b"200 OK" not in received


def test_pipelined_requests_are_answered_in_order(shared):
    one = get("/healthz").replace("Connection: close\r\n", "")
    two = get("/nowhere")
    received = shared.client.raw((one + two).replace("{port}", str(shared.port)).encode())
    assert [int(x) for x in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)] == [200, 404]


def test_head_is_get_without_a_body(shared):
    for target in ("/healthz", "/", "/api/v1/runs", "/openapi.yaml", "/api/v1/system"):
        got = shared.client.request("GET", target)
        head = shared.client.request("HEAD", target)
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-type"] == got.headers["content-type"]


def test_old_http_is_answered(shared):
    status, _, headers = send(shared.client, get(version="HTTP/1.0"))
    assert status == 200
    assert headers["content-type"] == "application/json"


def test_errors_are_pages_for_a_browser(shared):
    wants = {"Accept": "text/html,application/xhtml+xml;q=0.9"}
    answer = shared.client.get("/runs/20260131-235959-a1b2c3/", headers=wants)
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/html")
    answer = shared.client.get("/runs/20260131-235959-a1b2c3/")
    assert answer.headers["content-type"] == "application/problem+json"
    for path, status in (("/nothing/here", 404), ("/runs/x/", 400), ("/static/none.css", 404),
                         ("/?cursor=x", 400), ("/compare?runs=x", 400)):
        answer = shared.client.get(path, headers=wants)
        assert answer.status == status
        assert answer.headers["content-type"].startswith("text/html")
        page = answer.body.decode()
        assert "<h1>" in page and f"HTTP status {status}" in page and 'href="/"' in page
        assert shared.client.get(path).headers["content-type"] == "application/problem+json"
    answer = shared.client.request("DELETE", "/", headers=wants)
    assert answer.status == 405 and "HTTP status 405" in answer.body.decode()
    assert "GET" in answer.headers["allow"]
    # the API answers in its own language whoever asks
    assert shared.client.get("/api/v1/nothing", headers=wants).code == "not_found"
    answer = shared.client.get("/api/v1/runs/20260131-235959-a1b2c3", headers=wants)
    assert answer.headers["content-type"] == "application/problem+json"


def test_openapi_is_served(shared):
    answer = shared.client.get("/openapi.yaml")
    assert answer.body == (contract.ROOT / "openapi.yaml").read_bytes()
