"""HTTP to a hostile server: a deadline for the whole answer, and limits on all of its parts."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from hotloop.engines.serving import load
from hotloop.engines.serving.http import MOST_JSON, Http, HttpResponse
from hotloop.engines.serving.metrics import batch_histogram

Answering = Callable[[socket.socket], None]


@pytest.fixture
def speak() -> Iterator[Callable[[Answering, float], Http]]:
    """Returns a function that connects to a server with the given behavior."""
    listener = socket.create_server(("127.0.0.1", 0))
    opened: list[Http] = []

    def start(answering: Answering, timeout_s: float) -> Http:
        def live() -> None:
            with suppress(OSError):
                sock, _ = listener.accept()
                with sock:
                    sock.recv(65536)
                    answering(sock)

        threading.Thread(target=live, daemon=True).start()
        port = listener.getsockname()[1]
        opened.append(Http(lambda: socket.create_connection(("127.0.0.1", port)), timeout_s))
        return opened[-1]

    yield start
    for http in opened:
        http.close()
    listener.close()


@pytest.mark.slow
def test_a_byte_now_and_then_does_not_hold_the_deadline_off(
    speak: Callable[[Answering, float], Http],
) -> None:
    def drop_by_drop(sock: socket.socket) -> None:
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            sock.sendall(b"x")
            time.sleep(0.1)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        speak(drop_by_drop, 0.5).get("/")
    assert time.monotonic() - began < 3


def test_a_sound_answer_is_read_to_its_end(speak: Callable[[Answering, float], Http]) -> None:
    def in_pieces(sock: socket.socket) -> None:
        for piece in (b"HTTP/1.1 200 OK\r\nConne", b"ction: close\r\n\r\n", b"all", b" of it"):
            sock.sendall(piece)
            time.sleep(0.05)

    assert speak(in_pieces, 5.0).get("/").text() == "all of it"


def test_a_document_that_would_fill_the_memory_is_not_read() -> None:
    body = b"[" + b"[]," * (MOST_JSON // 3) + b"[]]"
    with pytest.raises(ValueError, match="more than 1 MiB of JSON"):
        HttpResponse(200, {}, body).json()


@pytest.mark.parametrize("status", [b"200x", b"2000", b"20", b""])
def test_a_status_that_is_none_is_no_answer(status: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = load._Connection(ours)
        connection.ask(b"?", 0, 0.0)
        theirs.sendall(b"HTTP/1.1 " + status + b" OK\r\nContent-Length: 0\r\n\r\n")
        with pytest.raises(load.LoadFailed, match="no HTTP"):
            connection.read()


def test_answers_have_a_cap_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MOST_TOGETHER", 1000)
    ours, theirs = socket.socketpair()
    clients = load.Clients.__new__(load.Clients)
    clients._connections = [load._Connection(ours)]

    def answer_all() -> None:
        with suppress(OSError):
            while theirs.recv(100):
                theirs.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n" + b"x" * 300)

    thread = threading.Thread(target=answer_all, daemon=True)
    thread.start()
    with ours, pytest.raises(load.LoadFailed, match="all answers"):
        clients.closed_loop([b"?"] * 10, 5.0)
    thread.join(5)
    theirs.close()


def test_statistics_beyond_all_numbers_are_none() -> None:
    batch = {"batch_size": float("inf"), "compute_infer": {"count": 1}}
    with pytest.raises(ValueError, match="no statistics"):
        batch_histogram({"model_stats": [{"name": "bert", "batch_stats": [batch]}]}, "bert")
