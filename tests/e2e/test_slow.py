# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that are slow, many, or never done: everybody else is answered."""
import http.client
import selectors
import socket
import statistics
import time

import pytest

from service import PATIENCE, Client

READING_S = 10  # a request has this long to arrive
PER_ADDRESS = 32
CROWDED = 256


def addresses(count):
    return [f"127.0.1.{i + 1}" for i in range(count)]


def ask(s, port):
    """A request and all of its answer, on a connection that is kept: the service has it by then."""
    s.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    response = http.client.HTTPResponse(s)
    response.begin()
    assert response.status == 200 and response.read()


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

    def send(self, text):
        """To those that are still there."""
        self.sent += len(text)
        for s in self.sockets:
            try:
                s.send(text)
            except OSError:
                pass  # ended by the service

    def trickle(self):
        """A byte each."""
        self.send(self.text[self.sent % len(self.text) : self.sent % len(self.text) + 1])

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
        slow.send(slow.text[: len(slow.text) - 900])
        times = []
        while (since := time.monotonic() - slow.began) < READING_S + 2 or slow.open_count() > 0:
            assert since < READING_S + PATIENCE, "they are not ended"
            slow.trickle()
            began = time.monotonic()
            assert Client(service.port, "127.0.2.1").get("/healthz").status == 200
            times.append(time.monotonic() - began)
            time.sleep(0.2)
        # The usual one: each of the others may have waited for the machine, not for a trickler.
        limit = 0.1 if PATIENCE == 20 else 1.0
        assert statistics.median(times) < limit and max(times) < READING_S / 2, sorted(times)[-5:]
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
        for s in held:  # else the one more may be counted before the last of them
            ask(s, service.port)
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
        # the first ones went, the last are there; of those that came at about the same time either may
        # have been taken in first
        gone = [i for i, s in enumerate(held) if not is_open(s)]
        assert len(gone) == over and sum(i < over for i in gone) > over * 3 // 4, gone
        assert all(is_open(s) for s in held[-PER_ADDRESS:])
        assert Client(service.port, "127.0.2.1").get("/healthz").status == 200
    finally:
        for s in held:
            s.close()


@pytest.mark.patient
def test_idle_kept_connections_end(service):
    """A connection that is kept for a next request has its 10 s, and works until then."""
    with connect(service.port, "127.0.1.1") as s:
        for _ in range(3):
            began = time.monotonic()
            ask(s, service.port)
        selector = selectors.DefaultSelector()
        selector.register(s, selectors.EVENT_READ)
        assert selector.select(READING_S + PATIENCE), "it was not ended"
        assert s.recv(1) == b""
        assert time.monotonic() - began > READING_S - 2
