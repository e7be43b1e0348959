"""What the relay forwards, records, refuses and cuts off, between small servers."""

import gc
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hotloop.engines.serving import listeners
from hotloop.engines.serving.conversation import REFUSAL, Kind
from hotloop.engines.serving.relay import FOREVER, Caps, InjectedFaults, Relay

from ...waiting import until

grpc: Any = pytest.importorskip("grpc", reason="the extra `serving` is not installed")

PATH = "/v2/models/topics/versions/3/infer"
METHOD = "/inference.GRPCInferenceService/ModelInfer"
# ModelInferRequest: model_name, model_version, and one of `inputs`, which is empty.
INFER = b"\x0a\x06topics\x12\x013\x2a\x00"
READY = b"\x0a\x06topics"
MakeRelay = Callable[..., Relay]


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def servers() -> Iterator[dict[Kind, int]]:
    """Ports of two servers that echo requests."""
    echo = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    echo.daemon_threads = True
    thread = threading.Thread(target=echo.serve_forever, args=(0.02,))
    thread.start()
    pool = futures.ThreadPoolExecutor(2)
    calls = grpc.server(pool)
    handler = grpc.unary_unary_rpc_method_handler(lambda request, _context: request)
    service, _, method = METHOD[1:].partition("/")
    calls.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    port = calls.add_insecure_port("127.0.0.1:0")
    calls.start()
    yield {"http": echo.server_address[1], "grpc": port}
    calls.stop(0).wait()
    pool.shutdown()
    echo.shutdown()
    echo.server_close()
    thread.join()


@pytest.fixture
def relay(servers: dict[Kind, int]) -> Iterator[MakeRelay]:
    """Makes relays to them; checks that nothing of any is left."""
    before, made = open_sockets(), list[Relay]()

    def make(faults: InjectedFaults | None = None, caps: Caps | None = None) -> Relay:
        http_door, grpc_door = listeners.here(2)
        doors: dict[Kind, socket.socket] = {"http": http_door, "grpc": grpc_door}
        connect = lambda kind: socket.create_connection(("127.0.0.1", servers[kind]))  # noqa: E731
        made.append(Relay(doors, connect, faults or InjectedFaults(), caps or Caps()))
        return made[-1]

    yield make
    for one in made:
        one.close()
        one.close()
    assert not [t for t in threading.enumerate() if t.name == "hotloop-relay"]
    # The small servers close connections in their own threads.
    until(lambda: not open_sockets() - before, 5)
    assert not any(one._selector.get_map() for one in made)


def open_sockets() -> set[socket.socket]:
    """Return Python's open sockets: gRPC opens and closes others of its own at any time.

    Compares types, as some objects of other libraries emit a warning when asked for their class.
    """
    found = [each for each in gc.get_objects() if issubclass(type(each), socket.socket)]
    return {sock for sock in found if sock.fileno() >= 0}


def connected(to: Relay, kind: Kind = "http") -> socket.socket:
    return socket.create_connection(("127.0.0.1", to.ports[kind]), 5)


def refused(by: Relay) -> bool:
    try:
        connected(by).close()
    except OSError:
        return True
    return False


def post(connection: http.client.HTTPConnection, body: bytes) -> tuple[int, bytes]:
    connection.request("POST", PATH, body)
    response = connection.getresponse()
    return response.status, response.read()


def call(channel: Any, message: bytes, timeout: float = 5) -> bytes:
    return channel.unary_unary(METHOD)(message, timeout=timeout)


@pytest.mark.slow
def test_http_is_passed_on_and_noted(relay: MakeRelay) -> None:
    middle = relay()
    connection = http.client.HTTPConnection("127.0.0.1", middle.ports["http"], timeout=5)
    large = bytes(range(256)) * 8000
    for body in (b"one", large, b""):
        assert post(connection, body) == (200, body)
    connection.request("POST", "/v2/health/ready", b"")
    connection.getresponse().read()
    connection.close()
    record = middle.record()
    assert record.connections == {"http": 1, "grpc": 0}
    assert [c.size for c in record.inferences("http")] == [3, len(large), 0]
    assert {c.request.version for c in record.inferences()} == {"3"}
    assert [c.request.inference for c in record.calls] == [True, True, True, False]


@pytest.mark.slow
def test_a_request_may_come_in_any_parts(relay: MakeRelay) -> None:
    middle = relay()
    whole = f"POST {PATH} HTTP/1.1\r\nHost: x\r\ncontent-LENGTH: 5\r\n\r\nabcde".encode() * 2
    with connected(middle) as sock:
        for byte in whole:
            sock.sendall(bytes((byte,)))
        got = b""
        while got.count(b"abcde") < 2:
            got += sock.recv(4096)
    assert [c.size for c in middle.record().inferences()] == [5, 5]


@pytest.mark.slow
def test_grpc_is_passed_on_and_noted(relay: MakeRelay) -> None:
    middle = relay()
    large = INFER + b"\x3a\x80\xc0\x0c" + bytes(204_800)  # raw_input_contents
    with grpc.insecure_channel(f"127.0.0.1:{middle.ports['grpc']}") as channel:
        for message in (INFER, READY, large):
            assert call(channel, message) == message
    record = middle.record()
    assert record.connections == {"http": 0, "grpc": 1}
    assert [(c.request.inference, c.request.version) for c in record.calls] == [
        (True, "3"),
        (False, ""),
        (True, "3"),
    ]
    assert [c.size for c in record.calls] == [len(m) + 5 for m in (INFER, READY, large)]


@pytest.mark.slow
def test_refusals_come_first_and_do_not_reach_the_server(relay: MakeRelay) -> None:
    middle = relay(InjectedFaults(refusals=2))
    connection = http.client.HTTPConnection("127.0.0.1", middle.ports["http"], timeout=5)
    answers = [post(connection, b"text") for _ in range(3)]
    connection.close()
    assert [status for status, _ in answers] == [503, 503, 200]
    assert json.loads(answers[0][1]) == {"error": REFUSAL}
    assert answers[2][1] == b"text"
    assert [c.refused for c in middle.record().calls] == [True, True, False]


@pytest.mark.slow
def test_grpc_is_refused_as_unavailable_and_works_again(relay: MakeRelay) -> None:
    middle = relay(InjectedFaults(refusals=2))
    with grpc.insecure_channel(f"127.0.0.1:{middle.ports['grpc']}") as channel:
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as refused:
                call(channel, INFER)
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert refused.value.details() == REFUSAL
        assert call(channel, INFER) == INFER
    record = middle.record()
    assert [c.refused for c in record.calls] == [True, True, False]
    assert record.connections["grpc"] == 2


@pytest.mark.slow
def test_a_large_request_is_refused_too(relay: MakeRelay) -> None:
    """More than one HTTP/2 window that nobody extends would let through."""
    middle = relay(InjectedFaults(refusals=FOREVER))
    with grpc.insecure_channel(f"127.0.0.1:{middle.ports['grpc']}") as channel:
        for _ in range(5):
            with pytest.raises(grpc.RpcError) as refused:
                call(channel, INFER + b"\x3a\x80\x80\x40" + bytes(1 << 20))
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["http", "grpc"])
def test_answers_lie_as_long_as_told(relay: MakeRelay, kind: Kind) -> None:
    middle = relay(InjectedFaults(hold_s=0.4))
    seconds: list[float] = []
    with grpc.insecure_channel(f"127.0.0.1:{middle.ports['grpc']}") as channel:
        connection = http.client.HTTPConnection("127.0.0.1", middle.ports["http"], timeout=5)
        for _ in range(2):
            started = time.monotonic()
            got = post(connection, b"x")[1] if kind == "http" else call(channel, INFER)
            seconds.append(time.monotonic() - started)
            assert got in (b"x", INFER)
        connection.close()
    assert min(seconds) >= 0.4
    assert max(seconds) < 2


@pytest.mark.slow
def test_too_many_connections_are_cut_off(relay: MakeRelay) -> None:
    middle = relay(caps=Caps(connections=8))
    many: list[socket.socket] = []
    with suppress(OSError):
        many += [connected(middle) for _ in range(9)]
    assert eventually(lambda: "more than 8 connections" in middle.record().excess)
    assert eventually(lambda: refused(middle))
    for sock in many:
        with sock, suppress(ConnectionError):
            assert sock.recv(1) == b""


@pytest.mark.slow
def test_too_many_calls_and_bytes_are_cut_off(relay: MakeRelay) -> None:
    middle = relay(caps=Caps(calls=50))
    with connected(middle) as sock, suppress(OSError):
        for _ in range(200):
            sock.sendall(b"POST /v2 HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
            time.sleep(0.001)
    assert eventually(lambda: "50 calls" in middle.record().excess)
    other = relay(caps=Caps(bytes=1 << 20))
    with connected(other) as sock, suppress(OSError):
        sock.sendall(f"POST {PATH} HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n".encode())
        for _ in range(100):
            sock.sendall(bytes(1 << 16))
    assert eventually(lambda: "1 MiB" in other.record().excess)


GARBAGE: list[tuple[Kind, bytes, str]] = [
    ("http", b"\0\xff" * 100_000, "no HTTP request"),
    ("http", b"nonsense\r\n\r\n", "no HTTP request"),
    ("http", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "in chunks"),
    # A server that accepts a bare \n as a line end reads a chunked body here, or another length.
    ("http", b"POST / HTTP/1.1\r\nA: b\nTransfer-Encoding: chunked\r\n\r\n", "no HTTP request"),
    ("http", b"POST / HTTP/1.1\r\nA: b\nContent-Length: 9\r\n\r\n", "no HTTP request"),
    ("http", b"POST / HTTP/1.1\r\nContent-Length : 9\r\n\r\n", "no HTTP request"),
    ("http", b"POST / HTTP/1.1\r\nContent-Length: +9\r\n\r\n", "no single number"),
    (
        "http",
        b"POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 9\r\n\r\n",
        "no single number",
    ),
    ("grpc", b"POST / HTTP/1.1\r\n\r\n", "no HTTP/2"),
    ("grpc", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 1000, "more than 1 MiB"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "data", "said"), GARBAGE)
def test_what_is_no_protocol_ends_its_connection(
    relay: MakeRelay, kind: Kind, data: bytes, said: str
) -> None:
    middle = relay()
    with connected(middle, kind) as sock, suppress(ConnectionError):
        sock.sendall(data)
        while sock.recv(4096):
            pass
    assert eventually(lambda: said in middle.record().violation)
    assert middle.record().calls == ()


@pytest.mark.slow
def test_one_that_never_reads_holds_up_nobody(relay: MakeRelay) -> None:
    middle = relay()
    with connected(middle) as deaf:
        deaf.setblocking(False)
        whole = f"POST {PATH} HTTP/1.1\r\nContent-Length: 60000\r\n\r\n".encode() + bytes(60_000)
        left, deadline = b"", time.monotonic() + 1
        while time.monotonic() < deadline:
            left = left or whole
            with suppress(BlockingIOError):
                left = left[deaf.send(left) :]
        connection = http.client.HTTPConnection("127.0.0.1", middle.ports["http"], timeout=5)
        assert post(connection, b"still") == (200, b"still")
        connection.close()
        assert not middle.record().excess


@pytest.mark.slow
def test_it_ends_by_itself(relay: MakeRelay) -> None:
    middle = relay(caps=Caps(wall_s=0.2))
    with connected(middle) as sock:
        assert sock.recv(1) == b""


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
