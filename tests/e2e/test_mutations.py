# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests with bytes changed, dropped, doubled and swapped: each is answered or ended, none harms.

The seed is fixed, so a failure can be had again. MUTATIONS in the environment asks for more.
"""
import os
import random
import re
import selectors
import socket
import time

from service import PATIENCE

COUNT = int(os.environ.get("MUTATIONS", "2000"))
AT_ONCE = 100  # of 320, from addresses that may have 32 each
STRANGE = [b"\0", b"\r\n", b"\n", b"\r", b"%00", b"%2f", b"//", b"..", b"\\", b"\xff", b" ", b"\t", b":",
           b"Host: x\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"HTTP/1.1",
           b"Expect: 100-continue\r\n", b"Connection: upgrade\r\nUpgrade: h2c\r\n", b"a" * 5000,
           b"99999999999999999999", b"-1", b"{", b"[", b'"', b"\xef\xbb\xbf", b"&", b"?", b"#", b"*"]


def originals(port):
    host = f"Host: 127.0.0.1:{port}\r\n"
    body = '{"name": "n", "target": {"file": "/x"}, "workloads": [{"name": "w", "rw": "read", "size": "1m"}]}'
    return [
        text.encode()
        for text in (
            f"GET /healthz HTTP/1.1\r\n{host}Connection: close\r\n\r\n",
            f"GET /api/v1/runs?state=done&limit=5&cursor=9 HTTP/1.1\r\n{host}Accept: */*\r\n\r\n",
            f"GET /runs/20260131-235959-a1b2c3/index.html HTTP/1.1\r\n{host}Accept: text/html\r\n\r\n",
            f"POST /api/v1/plan HTTP/1.1\r\n{host}Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}",
            f"PUT /api/v1/definitions/x HTTP/1.1\r\n{host}Content-Type: application/json\r\n"
            f"Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n{body}\r\n0\r\n\r\n",
            f"DELETE /api/v1/definitions/nothing HTTP/1.1\r\n{host}Origin: http://127.0.0.1:{port}\r\n\r\n",
        )
    ]


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[at : at + rng.choice((1, 1, 2, 10, 100))]
        elif kind == 2:
            data[at:at] = rng.choice(STRANGE)
        elif kind == 3:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + rng.choice((1, 4, 30))]
        elif kind == 4:
            lines = data.split(b"\r\n")
            rng.shuffle(lines)
            data = bytearray(b"\r\n".join(lines))
        else:
            data[at:at] = rng.choice(STRANGE) * rng.choice((1, 2, 50))
        if not data:
            data = bytearray(b"\n")
    return bytes(data)


class Sent:
    """One mutated request on its way: sent, its writing side closed, read to the end."""

    def __init__(self, port, source, data):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
        self.socket.setblocking(False)
        self.data, self.received, self.began = data, b"", time.monotonic()
        self.rest = data

    def step(self):
        """True when it is over."""
        try:
            if self.rest:
                self.rest = self.rest[self.socket.send(self.rest) :]
                if not self.rest:
                    self.socket.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:
            self.rest = b""
        try:
            chunk = self.socket.recv(65536)
        except BlockingIOError:
            return False
        except OSError:
            return True
        self.received += chunk
        return not chunk


def check(sent):
    if sent.received:
        assert re.match(rb"HTTP/1\.[01] [1-5]\d\d ", sent.received), (sent.data, sent.received[:200])
        for status in re.findall(rb"^HTTP/1\.[01] (\d{3}) ", sent.received, re.M):
            assert int(status) not in (500, 502, 507), (sent.data, sent.received[:500])
    assert time.monotonic() - sent.began < 1.5 * PATIENCE, sent.data


def test_mutated_requests(service):
    rng = random.Random(20260131)
    texts = originals(service.port)
    selector = selectors.DefaultSelector()
    started = 0
    descriptors = len(os.listdir(f"/proc/{service.process.pid}/fd"))
    while started < COUNT or selector.get_map():
        while started < COUNT and len(selector.get_map()) < AT_ONCE:
            sent = Sent(service.port, f"127.0.1.{1 + started % 8}", mutate(rng, rng.choice(texts)))
            selector.register(sent.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, sent)
            started += 1
        for key, _ in selector.select(1):
            sent = key.data
            if sent.step():
                selector.unregister(sent.socket)
                sent.socket.close()
                check(sent)
            elif not sent.rest:
                selector.modify(sent.socket, selectors.EVENT_READ, sent)
    assert service.client.get("/healthz").status == 200
    until = time.monotonic() + PATIENCE
    while len(os.listdir(f"/proc/{service.process.pid}/fd")) > descriptors + 2:
        assert time.monotonic() < until, "descriptors are kept"
        time.sleep(0.1)
