# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that are slow, many, or never done: everybody else is answered."""
import selectors
import socket
import time

import pytest

from service import PATIENCE, Client

READING_S = 10  # a request has this long to arrive
PER_ADDRESS = 32
CROWDED = 256


def addresses(count):
    return [f"127.0.1.{i + 1}" for i in range(count)]


def connect(port, source):
    s = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def is_open(s):
    """Whether the service still keeps the connection (it sends nothing on these)."""
    s.setblocking(False)
    try:
        return s.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def wait_until(condition, patience=PATIENCE):
    until = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


class Tricklers:
    """Connections that send a request a byte at a time."""

    def __init__(self, port, count_each, sources, head):
        self.text = head.replace("{port}", str(port)).encode()
        self.sockets = [connect(port, a) for a in sources for _ in range(count_each)]
        self.began = time.monotonic()
        self.sent = 0

    def trickle(self):
        """A byte each, to those that are still there."""
        byte = self.text[self.sent % len(self.text) : self.sent % len(self.text) + 1]
        self.sent += 1
        for s in self.sockets:
            try:
                s.send(byte)
            except OSError:
                pass  # ended by the service

    def open_count(self):
        return sum(is_open(s) for s in self.sockets)

    def close(self):
        for s in self.sockets:
            s.close()


@pytest.mark.patient
@pytest.mark.parametrize(
    "head",
    [
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Slow: " + "a" * 1000,
        "POST /api/v1/plan HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + " " * 5000,
    ],
    ids=["headers", "body"],
)
def test_tricklers_are_ended_and_nobody_waits_for_them(service, head):
    slow = Tricklers(service.port, PER_ADDRESS, addresses(CROWDED // PER_ADDRESS), head)
    try:
        # at once as far as the head goes, then a byte at a time
        for s in slow.sockets:
            s.send(slow.text[: len(slow.text) - 900])
        slow.sent = len(slow.text) - 900
        times = []
        while time.monotonic() - slow.began < READING_S + 2:
            slow.trickle()
            began = time.monotonic()
            assert Client(service.port, "127.0.2.1").get("/healthz").status == 200
            times.append(time.monotonic() - began)
            time.sleep(0.2)
        assert slow.open_count() == 0
        times.sort()
        limit = 0.1 if PATIENCE == 20 else 1.0
        assert times[len(times) // 2] < limit and times[-1] < 10 * limit, times[-5:]
    finally:
        slow.close()


def test_half_a_request_and_gone(service):
    """Clients that leave in the middle hold no place: again and again as many as there may be."""
    for _ in range(20):
        some = [connect(service.port, "127.0.1.1") for _ in range(PER_ADDRESS - 2)]
        for s in some:
            s.send(b"GET / HTTP/1.1\r\nHo")
            s.close()
        assert Client(service.port, "127.0.1.2").get("/healthz").status == 200

    def room_again():
        try:
            with connect(service.port, "127.0.1.1") as s:
                s.send(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n\r\n".encode())
                return s.recv(20).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    wait_until(room_again, READING_S / 2)


def test_an_address_has_32_connections(service):
    held = [connect(service.port, "127.0.1.1") for _ in range(PER_ADDRESS)]
    try:
        wait_until(lambda: all(is_open(s) for s in held))
        with connect(service.port, "127.0.1.1") as one_more:
            wait_until(lambda: not is_open(one_more))
        assert Client(service.port, "127.0.1.2").get("/healthz").status == 200
        assert all(is_open(s) for s in held)
        held.pop().close()
        wait_until(lambda: can_connect(service.port))
    finally:
        for s in held:
            s.close()


def can_connect(port):
    try:
        return Client(port, "127.0.1.1").get("/healthz").status == 200
    except OSError:
        return False


def test_above_256_the_oldest_unfinished_goes(service):
    held = []
    try:
        for source in addresses(CROWDED // PER_ADDRESS + 1):
            for _ in range(PER_ADDRESS):
                held.append(connect(service.port, source))
        over = len(held) - CROWDED
        began = time.monotonic()
        wait_until(lambda: sum(not is_open(s) for s in held) >= over)
        assert time.monotonic() - began < READING_S / 2
        # the first ones went, the last are there
        assert not any(is_open(s) for s in held[: over - 2])
        assert all(is_open(s) for s in held[-PER_ADDRESS:])
        assert Client(service.port, "127.0.2.1").get("/healthz").status == 200
    finally:
        for s in held:
            s.close()


@pytest.mark.patient
def test_idle_kept_connections_end(service):
    """A connection that is kept for a next request has its 10 s, and works until then."""
    request = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n\r\n".encode()
    with connect(service.port, "127.0.1.1") as s:
        for _ in range(3):
            s.sendall(request)
            assert s.recv(65536).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        selector = selectors.DefaultSelector()
        selector.register(s, selectors.EVENT_READ)
        assert selector.select(READING_S + 5), "it was not ended"
        assert s.recv(1) == b""
        assert time.monotonic() - began > READING_S - 2
