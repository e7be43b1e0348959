"""The load generator against small servers: correct ones, slow ones, hostile ones."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotloop.core.clock import now
from hotloop.engines.serving import load
from hotloop.engines.serving.inference import decode, texts
from hotloop.engines.serving.load import Clients, Load, LoadFailed, LoadTimeout, answer
from hotloop.engines.serving.server import TritonServer

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Handler = Callable[[socket.socket], None]
Serve = Callable[[Handler], TritonServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers that pass each connection to a handler, in a thread of its own."""
    listeners: list[socket.socket] = []
    given_out: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def attend(handler: Handler, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            handler(connection)

    def accept(listener: socket.socket, handler: Handler) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                given_out.append(connection)
                threads.append(threading.Thread(target=attend, args=(handler, connection)))
                threads[-1].start()

    def run(handler: Handler) -> TritonServer:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threads.append(threading.Thread(target=accept, args=(listener, handler)))
        threads[-1].start()
        return reached(lambda: socket.create_connection(listener.getsockname(), 5))

    yield run
    for sock in (*listeners, *given_out):
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
        sock.close()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()


def reached(connect: Callable[[], socket.socket]) -> TritonServer:
    """Return the parts of a server that clients need."""
    fake = SimpleNamespace(ports=SimpleNamespace(http=0), connect=lambda _port: connect())
    return cast(TritonServer, cast(Any, fake))


def one_request(connection: socket.socket) -> bytes:
    """Return the next request's body. Raises OSError if there is none."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += received(connection)
    return body


def received(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionError
    return data


def reply(body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def asked(body: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Desk:
    """Echoes requests after `work`. most: peak of concurrent requests."""

    def __init__(self, work: Callable[[bytes], None] = lambda _body: None) -> None:
        self.work = work
        self.arrivals: list[float] = []
        self.under_way = self.most = 0
        self._lock = threading.Lock()

    def __call__(self, connection: socket.socket) -> None:
        while True:
            body = one_request(connection)
            with self._lock:
                self.arrivals.append(now())
                self.under_way += 1
                self.most = max(self.most, self.under_way)
            self.work(body)
            with self._lock:
                self.under_way -= 1
            connection.sendall(reply(body))


def numbered(count: int) -> list[bytes]:
    return [asked(str(number).encode()) for number in range(count)]


# --- what is measured -----------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_requests(serve: Serve) -> None:
    pauses = np.random.default_rng(3).uniform(0, 0.004, 60)
    server = serve(Desk(lambda body: time.sleep(pauses[int(body)])))
    with Clients(server, 7) as clients:
        for found in (
            clients.closed_loop(numbered(60), 10.0),
            clients.open_loop(numbered(60), [0.001 * n for n in range(60)], 10.0),
        ):
            assert [answer(raw).body for raw in found.answers] == [b"%d" % n for n in range(60)]
            assert all(
                latency >= pause for latency, pause in zip(found.latencies, pauses, strict=True)
            )


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 5])
def test_a_closed_loop_has_as_many_requests_under_way_as_clients(serve: Serve, count: int) -> None:
    desk = Desk(lambda _body: time.sleep(0.005))
    with Clients(serve(desk), count) as clients:
        clients.closed_loop(numbered(40), 10.0)
        assert desk.most == count
        clients.open_loop(numbered(40), [0.0] * 40, 10.0)
        assert desk.most == count


@pytest.mark.slow
def test_littles_law(serve: Serve) -> None:
    """Requests per second times seconds per request is the number of clients."""
    with Clients(serve(Desk(lambda _body: time.sleep(0.01))), 6) as clients:
        found = clients.closed_loop(numbered(300), 30.0)
    rate = len(found.latencies) / found.seconds
    assert rate * float(np.mean(found.latencies)) == pytest.approx(6, rel=0.1)


@pytest.mark.slow
def test_a_stall_is_one_slow_request_in_a_closed_loop_and_many_in_an_open_one(
    serve: Serve,
) -> None:
    """Coordinated omission: a client that waits for an answer sends nothing meanwhile."""

    def stalls_once(body: bytes) -> None:
        if body == b"20":
            time.sleep(0.4)

    with Clients(serve(Desk(stalls_once)), 1) as clients:
        closed = clients.closed_loop(numbered(100), 10.0)
        opened = clients.open_loop(numbered(100), [0.008 * n for n in range(100)], 10.0)
    slow = [sum(latency > 0.1 for latency in found.latencies) for found in (closed, opened)]
    assert slow[0] == 1
    assert slow[1] >= 25
    assert closed.percentile(0.95) < 0.1 < 0.2 < opened.percentile(0.95)


def test_an_open_loop_asks_when_it_is_due_and_not_before(serve: Serve) -> None:
    desk = Desk()
    due = [0.02 * n for n in range(15)]
    with Clients(serve(desk), 4) as clients:
        began = now()
        found = clients.open_loop(numbered(15), due, 10.0)
    arrived = [moment - began for moment in sorted(desk.arrivals)]
    assert all(came >= planned for came, planned in zip(arrived, due, strict=True))
    assert found.seconds >= due[-1]


def test_a_refusal_is_an_answer(serve: Serve) -> None:
    def refuses(connection: socket.socket) -> None:
        while True:
            body = one_request(connection)
            full = int(body) % 3 == 0
            connection.sendall(reply(b"full", "503 Service Unavailable") if full else reply(body))

    with Clients(serve(refuses), 3) as clients:
        found = clients.closed_loop(numbered(30), 10.0)
    statuses = [answer(raw).status for raw in found.answers]
    assert statuses == [503 if n % 3 == 0 else 200 for n in range(30)]


def test_percentiles_are_times_that_were_measured() -> None:
    found = Load(1.0, tuple(n / 100 for n in range(1, 101)), ())
    assert found.percentile(0.95) == 0.95
    assert found.percentile(0.5) == 0.5
    assert Load(1.0, (0.7,), ()).percentile(0.95) == 0.7


def test_a_request_is_whole() -> None:
    raw = load.request("topics", {"TEXT": texts(["ünïcödé"])})
    head, _, body = raw.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v2/models/topics/infer HTTP/1.1\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    assert body.endswith(struct.pack("<I", len("ünïcödé".encode())) + "ünïcödé".encode())


# --- hostile servers ------------------------------------------------------------------------------


def says(*parts: bytes, pause_s: float = 0.0, then: Handler = lambda _c: None) -> Handler:
    """Return a handler that sends these parts, whatever the request."""

    def handler(connection: socket.socket) -> None:
        one_request(connection)
        for part in parts:
            connection.sendall(part)
            time.sleep(pause_s)
        then(connection)

    return handler


def hangs_up(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)


def breaks(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def drips(connection: socket.socket) -> None:
    one_request(connection)
    while True:
        connection.sendall(b"H")
        time.sleep(0.02)


def endless(connection: socket.socket) -> None:
    one_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: and more\r\n" * 100)


HOSTILE: dict[str, tuple[Handler, str]] = {
    "hangs": (says(), "not answered"),
    "hangs up": (says(then=hangs_up), "hung up"),
    "hangs up in the middle": (says(OK[:-1], then=hangs_up), "hung up"),
    "breaks": (says(then=breaks), "broke|hung up"),
    "a byte now and then": (drips, "not answered"),
    "no length": (says(b"HTTP/1.1 200 OK\r\n\r\nok"), "how long"),
    "chunks": (
        says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        "how long",
    ),
    "a negative length": (says(b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok"), "how long"),
    "an endless length": (
        says(b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\nok"),
        "how long",
    ),
    "an endless head": (endless, "too long a head"),
    "20 MB": (says(reply(bytes(20 << 20))), "more than 16 MiB"),
    "more than asked": (says(OK + b"k"), "more than was asked"),
    "two answers at once": (says(OK + OK), "more than was asked"),
    "two answers, one late": (says(OK, OK, pause_s=0.1), "nobody has asked"),
    "less than it says": (says(OK[:-1]), "not answered"),
    "no HTTP": (says(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "no HTTP"),
    "a status of letters": (says(b"HTTP/1.1 2OO\r\nContent-Length: 0\r\n\r\n"), "no HTTP"),
    "a status that goes on": (says(b"HTTP/1.1 200x\r\nContent-Length: 0\r\n\r\n"), "no HTTP"),
    "a status in two": (says(b"HTTP/1.1 2\r00\r\nContent-Length: 0\r\n\r\n"), "no HTTP"),
    "a word in two": (says(b"HTTP\r/1.1 200\r\nContent-Length: 0\r\n\r\n"), "no HTTP"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_server_fails_the_load_in_time(serve: Serve, name: str) -> None:
    handler, message = HOSTILE[name]
    started = time.monotonic()
    with Clients(serve(handler), 1) as clients, pytest.raises(LoadFailed, match=message) as caught:
        clients.open_loop(numbered(2), [0.0, 0.4], 0.8)
    assert time.monotonic() - started < 4.0
    assert isinstance(caught.value, LoadTimeout) == (message == "not answered")


@pytest.mark.slow
def test_an_answer_from_before_the_question_is_held_against_the_question(serve: Serve) -> None:
    """It cannot depend on the question; comparing the answers shows it."""

    def knows_already(connection: socket.socket) -> None:
        connection.sendall(reply(b"early"))
        time.sleep(1)

    with Clients(serve(knows_already), 1) as clients:
        time.sleep(0.1)
        found = clients.closed_loop(numbered(1), 5.0)
    assert [answer(raw).body for raw in found.answers] == [b"early"]


def test_what_an_idle_client_hears_is_no_answer(serve: Serve) -> None:
    """Otherwise two answers to one request would count as two requests."""
    server = serve(says(OK, OK, pause_s=0.1))
    with Clients(server, 2) as clients, pytest.raises(LoadFailed, match="nobody has asked"):
        clients.open_loop(numbered(3), [0.0, 0.3, 0.3], 2.0)


@pytest.mark.slow
def test_a_server_that_does_not_read(serve: Serve) -> None:
    with Clients(serve(lambda _c: time.sleep(0.5)), 1) as clients, pytest.raises(LoadFailed) as no:
        clients.closed_loop([asked(bytes(64 << 20))], 5.0)
    assert "does not read" in str(no.value)


def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
    with pytest.raises(LoadFailed, match="no connection"):
        Clients(reached(lambda: socket.create_connection(address, 1)), 3)


def test_connections_that_were_made_are_closed_when_one_cannot_be() -> None:
    made: list[socket.socket] = []
    others: list[socket.socket] = []

    def connect() -> socket.socket:
        if len(made) == 2:
            raise ConnectionRefusedError
        ours, theirs = socket.socketpair()
        made.append(ours)
        others.append(theirs)
        return ours

    with pytest.raises(LoadFailed):
        Clients(reached(connect), 3)
    assert [sock.fileno() for sock in made] == [-1, -1]
    for sock in others:
        sock.close()


PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            *(b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 ", b"200", b"HTTP/1.0 503", b"\r\n\r\n", b"\r\n"),
            *(b"Content-Length: 3\r\n", b"content-length:", b"12", b" ", b"\r", b"\n", b"abc"),
            *(b"Transfer-Encoding: chunked\r\n", b"Inference-Header-Content-Length: 2\r\n", b"{}"),
        ]
    ),
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(said=st.lists(PIECES, max_size=10), hang_up=st.booleans())
def test_whatever_is_said_is_an_answer_or_fails_the_load(said: list[bytes], hang_up: bool) -> None:
    """Never a hang, never another exception; and whatever counts as an answer can be parsed."""
    ours, theirs = socket.socketpair()
    with theirs, Clients(reached(lambda: ours), 1) as clients:
        theirs.sendall(b"".join(said))
        if hang_up:
            theirs.shutdown(socket.SHUT_WR)
        started = time.monotonic()
        try:
            found = clients.closed_loop([asked(b"x")], 0.01)
        except LoadFailed:
            found = None
        assert time.monotonic() - started < 2.0
    if found is None:
        return
    whole = answer(found.answers[0])
    assert 0 <= whole.status <= 999
    with contextlib.suppress(ValueError):
        decode(whole)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    status=st.integers(100, 999),
    body=st.binary(max_size=300),
    cuts=st.lists(st.integers(1, 400), max_size=5),
    headers=st.dictionaries(
        st.text("abcdefgh-", min_size=1, max_size=9), st.text("abc 123", max_size=9), max_size=4
    ),
)
def test_a_right_answer_is_taken_however_it_is_cut(
    status: int, body: bytes, cuts: list[int], headers: dict[str, str]
) -> None:
    lines = [f"HTTP/1.1 {status} So", *(f"x-{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join([*lines, f"content-LENGTH:{len(body)}", "", ""])
    whole = head.encode() + body
    edges = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    ours, theirs = socket.socketpair()

    def send() -> None:
        theirs.recv(1 << 16)
        for start, end in pairwise(edges):
            theirs.sendall(whole[start:end])

    sender = threading.Thread(target=send)
    with theirs, Clients(reached(lambda: ours), 1) as clients:
        sender.start()
        found = clients.closed_loop([asked(b"x")], 10.0)
        sender.join()
    assert found.answers == (whole,)
    told = answer(found.answers[0])
    assert (told.status, told.body) == (status, body)
    assert all(told.headers[f"x-{name}"] == value.strip() for name, value in headers.items())
