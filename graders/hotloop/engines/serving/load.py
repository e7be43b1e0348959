"""Generates load on a server from the judge's process, in a closed or an open loop.

Closed: each of a number of clients sends its next request when the last one is answered. Open:
requests are due at given times whether or not earlier ones were answered, and a latency counts from
the due time. Requests are prepared before and responses parsed after the measurement, so that the
generator adds little to the times. Data from the server is untrusted.
"""

import re
import selectors
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.core.clock import now
from hotloop.core.closing import Closing
from hotloop.engines.serving.http import HttpResponse
from hotloop.engines.serving.inference import HEADER, Array, encode
from hotloop.engines.serving.server import TritonServer

MOST_HEADER = 64 << 10
MOST_BODY = 16 << 20
MOST_TOGETHER = 256 << 20
"""Most bytes of all responses together: they are kept until they are parsed."""
_CHUNK = 1 << 18
_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?=[ \r])")


class LoadFailed(RuntimeError):
    """A connection broke, a response was invalid, or the time was over."""


class LoadTimeout(LoadFailed):
    """Not all requests were answered in time."""


@dataclass(frozen=True)
class Load:
    """A finished load. seconds: from the first request to the last response.

    latencies: of each request, in seconds. answers: raw responses, in the order of the requests.
    """

    seconds: float
    latencies: tuple[float, ...]
    answers: tuple[bytes, ...]

    def percentile(self, share: float) -> float:
        """Return the latency, in seconds, that this share of the requests did not exceed."""
        return float(np.quantile(self.latencies, share, method="inverted_cdf"))


def request(model: str, inputs: Mapping[str, Array], outputs: Sequence[str] = ()) -> bytes:
    """Build a complete HTTP request of the open inference protocol with binary tensors."""
    body, header_bytes = encode(inputs, outputs)
    head = (
        f"POST /v2/models/{model}/infer HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"{HEADER}: {header_bytes}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def answer(raw: bytes) -> HttpResponse:
    """Parse a raw response from `Load.answers`."""
    head, _, body = raw.partition(_END)
    status, *lines = head.split(b"\r\n")
    pairs = (line.decode("latin-1").partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return HttpResponse(int(status[9:12]), headers, body)


class Clients(Closing):
    """Open connections to a server, reused between loads.

    Raises LoadFailed if a connection cannot be made.
    """

    def __init__(self, server: TritonServer, count: int) -> None:
        self._connections: list[_Connection] = []
        try:
            for _ in range(count):
                self._connections.append(_Connection(server.connect(server.ports.http)))
        except OSError as error:
            self.close()
            raise LoadFailed(f"no connection to the server: {error}") from None

    def closed_loop(self, requests: Sequence[bytes], within_s: float) -> Load:
        """Send all requests; each client sends its next one when its last one is answered.

        Raises LoadFailed, or LoadTimeout after `within_s` seconds.
        """
        return self._run(requests, [0.0] * len(requests), within_s, from_due=False)

    def open_loop(self, requests: Sequence[bytes], due: Sequence[float], within_s: float) -> Load:
        """Send each request at its due time, or later when a client is free.

        due: seconds from the start, ascending. Raises like `closed_loop`.
        """
        return self._run(requests, due, within_s, from_due=True)

    def _run(
        self, requests: Sequence[bytes], due: Sequence[float], within_s: float, *, from_due: bool
    ) -> Load:
        latencies = [0.0] * len(requests)
        answers = [b""] * len(requests)
        idle, following, left, size = list(self._connections), 0, len(requests), 0
        began = now()
        with selectors.DefaultSelector() as selector:
            for connection in self._connections:
                selector.register(connection.sock, selectors.EVENT_READ, connection)
            while left:
                moment = now()
                while idle and following < len(requests) and began + due[following] <= moment:
                    connection = idle.pop()
                    connection.ask(requests[following], following, moment)
                    if from_due:
                        connection.since = began + due[following]
                    following += 1
                rest = began + within_s - moment
                if rest <= 0:
                    raise LoadTimeout(f"{left} of {len(requests)} requests were not answered")
                if idle and following < len(requests):
                    rest = min(rest, max(0.0, began + due[following] - moment))
                for key, _ in selector.select(rest):
                    connection = key.data
                    response = connection.read()
                    if response is None:
                        continue
                    latencies[connection.number] = now() - connection.since
                    answers[connection.number] = response
                    size += len(response)
                    if size > MOST_TOGETHER:
                        raise LoadFailed(f"all answers have more than {MOST_TOGETHER >> 20} MiB")
                    left -= 1
                    connection.rest()
                    idle.append(connection)
            seconds = now() - began
        return Load(seconds, tuple(latencies), tuple(answers))

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections:
            connection.sock.close()
        self._connections = []


class _Connection:
    """A client with at most one request in flight.

    number: of that request, -1 for none. since: the time from which its latency counts.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.number = -1
        self.since = 0.0
        self._received = bytearray()
        self._size: int | None = None

    def ask(self, data: bytes, number: int, moment: float) -> None:
        self.number, self.since = number, moment
        try:
            sent = self.sock.send(data)
        except OSError as error:
            raise LoadFailed(f"the server took no request: {error}") from None
        if sent != len(data):
            raise LoadFailed("the server does not read its requests")

    def rest(self) -> None:
        """Mark the client idle: any data that arrives now is an error."""
        self.number = -1

    def read(self) -> bytes | None:
        """Return the response once it is complete, or None."""
        try:
            data = self.sock.recv(_CHUNK)
        except BlockingIOError:
            return None
        except OSError as error:
            raise LoadFailed(f"a connection broke: {error}") from None
        if not data:
            raise LoadFailed("the server hung up")
        if self.number < 0:
            raise LoadFailed("the server answers what nobody has asked")
        self._received += data
        size = self._whole()
        if size is None or len(self._received) < size:
            return None
        if len(self._received) > size:
            raise LoadFailed("the server answers more than was asked")
        response, self._size = bytes(self._received), None
        self._received.clear()
        return response

    def _whole(self) -> int | None:
        """Return the response's length with head and body, or None until the head is complete."""
        if self._size is not None:
            return self._size
        end = self._received.find(_END)
        if end < 0:
            if len(self._received) > MOST_HEADER:
                raise LoadFailed("an answer has too long a head")
            return None
        head = bytes(self._received[: end + 2])
        length = _LENGTH.search(head)
        if length is None or _STATUS.match(head) is None:
            raise LoadFailed("an answer is no HTTP, or does not say how long it is")
        body = int(length[1])
        if body > MOST_BODY:
            raise LoadFailed(f"an answer has more than {MOST_BODY >> 20} MiB")
        self._size = end + len(_END) + body
        return self._size
