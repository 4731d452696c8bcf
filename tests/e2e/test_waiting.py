# SPDX-License-Identifier: GPL-3.0-or-later
"""Long polls, event streams, and what becomes of them when the service stops."""
import pathlib
import threading
import time

import pytest

from service import Client

STREAMS = 64


def cancel(client, run_id):
    client.post(f"/api/v1/runs/{run_id}/cancel")
    client.wait_state(run_id, "cancelled")


def test_long_poll_answers_when_something_changes(service):
    client = service.client
    first = client.submit(service.long_definition())
    waiting = client.submit(service.long_definition())
    client.wait_state(first, "running")
    seq = client.run(waiting)["seq"]
    answers = []

    def poll():
        began = time.monotonic()
        answer = client.get(f"/api/v1/runs/{waiting}?after={seq}&wait=15")
        answers.append((time.monotonic() - began, answer.json))

    threads = [threading.Thread(target=poll) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    assert not answers, "it did not wait"
    client.post(f"/api/v1/runs/{waiting}/cancel")
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    for took, run in answers:
        assert took < 14, "it was not woken"
        assert run["state"] == "cancelled"
        assert run["seq"] > seq
    cancel(client, first)


def test_long_poll_ends_in_time_and_at_once_where_nothing_will_come(service):
    client = service.client
    first = client.submit(service.long_definition())
    waiting = client.submit(service.long_definition())
    client.wait_state(first, "running")
    run = client.run(waiting)
    began = time.monotonic()
    answer = client.get(f"/api/v1/runs/{waiting}?after={run['seq']}&wait=2")
    assert 1.5 < time.monotonic() - began < 10
    assert answer.json["state"] == "queued"
    # without wait, or behind the time: at once
    for query in (f"?after={run['seq']}", "?after=0&wait=0", ""):
        began = time.monotonic()
        assert client.get(f"/api/v1/runs/{waiting}{query}").status == 200
        assert time.monotonic() - began < 10
    cancel(client, waiting)
    cancel(client, first)
    began = time.monotonic()
    assert client.get(f"/api/v1/runs/{first}?after=999999&wait=15").json["state"] == "cancelled"
    assert time.monotonic() - began < 10
    assert client.get("/api/v1/runs/20200101-000000-aaaaaa?after=1&wait=15").status == 404


def test_events_of_a_run(service):
    client = service.client
    first = client.submit(service.long_definition())
    # of a second each: who is told of each of them may take his time
    run_id = client.submit(service.definition(
        repeats=2, defaults={"size": "1m", "runtime": 1, "iodepth": 4}))
    with client.events(run_id) as stream:
        assert stream.status == 200
        cancel(client, first)  # it is listened to before it begins
        events = [e for e in stream.all() if e[0]]
    names = [name for name, _, _ in events]
    assert names[0] == "state" and names[-1] == "state"
    assert {"state", "sample", "progress"} == set(names)
    assert events[-1][2]["state"] == "done"
    assert events[-1][2]["progress"]["done"] == 4
    numbers = [number for _, number, _ in events]
    assert numbers == sorted(numbers)
    done = [run["progress"]["done"] for name, _, run in events if name == "sample"]
    # a reader that is late finds the last one together with the end, which is told as the state
    assert done == sorted(set(done)) and 1 <= done[0] and 3 <= done[-1] <= 4
    # an ended run says so and ends
    with client.events(run_id) as stream:
        assert [(n, r["state"]) for n, _, r in stream.all()] == [("state", "done")]
    missing = client.events("20200101-000000-aaaaaa")
    assert missing.status == 404
    missing.close()


def test_a_stream_of_a_removed_run_ends(service):
    client = service.client
    first = client.submit(service.long_definition())
    second = client.submit(service.definition())
    with client.events(second) as stream:
        assert stream.read()[2]["state"] == "queued"
        assert client.delete(f"/api/v1/runs/{second}").status == 204
        assert [event for event in stream.all() if event[0]] == [], "heartbeats alone"
    cancel(client, first)


@pytest.mark.patient
def test_a_silent_stream_has_a_heartbeat(service):
    client = service.client
    first = client.submit(service.long_definition())
    second = client.submit(service.definition())
    with client.events(second) as stream:
        assert stream.read()[0] == "state"
        began = time.monotonic()
        assert stream.read() == ("", None, None)
        assert 10 < time.monotonic() - began < 20
    cancel(client, second)
    cancel(client, first)


def was_taken(sock):
    """Whether the service has read all that was sent to it."""
    ours, theirs = (name[1] for name in (sock.getsockname(), sock.getpeername()))
    waiting = {}
    for line in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        _, local, remote, _, queues = line.split()[:5]
        ports = tuple(int(address.split(":")[1], 16) for address in (local, remote))
        waiting[ports] = [int(queue, 16) for queue in queues.split(":")]
    return waiting[ours, theirs][0] == 0 and waiting.get((theirs, ours), [0, 1])[1] == 0


def test_64_streams_and_a_run_stop_in_5_seconds(service):
    """The 65th is told to come back; readers see the end; the run is stored as interrupted."""
    client = service.client
    run_id = client.submit(service.long_definition())
    client.wait_state(run_id, "running")
    streams = [Client(service.port, f"127.0.1.{1 + i // 20}").events(run_id) for i in range(STREAMS)]
    assert all(s.status == 200 and s.read()[0] == "state" for s in streams)
    more = client.events(run_id)
    assert (more.status, more.json["code"]) == (503, "too_many_streams")
    more.close()
    # a place that is left is free again
    streams.pop().close()
    deadline = time.monotonic() + 60
    while True:
        again = client.events(run_id)
        if again.status == 200:
            streams.append(again)
            break
        again.close()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    poll = Client(service.port, "127.0.1.9").connection()
    poll.request("GET", f"/api/v1/runs/{run_id}?after=999999999&wait=15")
    while not was_taken(poll.sock):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert service.stop() < 5
    assert poll.getresponse().status in (200, 503)
    poll.close()
    last = streams[0].all()[-1]
    assert last[0] == "state" and last[2]["state"] == "interrupted"
    for stream in streams:
        stream.close()
    service.start()
    assert service.client.run(run_id)["state"] == "interrupted"
