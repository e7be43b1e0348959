"""HTTP to a server whose models are not trusted: every answer has a deadline and a length cap."""

import http.client
import io
import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from hotloop.core.closing import Closing

MOST_BYTES = 64 << 20
MOST_JSON = 1 << 20
"""A document of empty lists needs twenty times its length once it is read."""


@dataclass(frozen=True)
class Answer:
    """Status, headers by lower-case name, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def text(self) -> str:
        """The body."""
        return self.body.decode(errors="replace")

    def json(self) -> dict[str, Any]:
        """The body as an object. ValueError when it is none, or too long for one."""
        if len(self.body) > MOST_JSON:
            raise ValueError(f"the server's answer has more than {MOST_JSON >> 20} MiB of JSON")
        try:
            found: Any = json.loads(self.body)
        except RecursionError:
            raise ValueError("nested too deep") from None
        if not isinstance(found, dict):
            raise ValueError("the server's answer is no JSON object")
        return cast("dict[str, Any]", found)


class Http(Closing):
    """One connection, kept open between requests. OSError and ValueError when it fails."""

    def __init__(self, connect: Callable[[], socket.socket], timeout_s: float) -> None:
        self._connect = connect
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> Answer:
        """GET."""
        return self.request("GET", path)

    def post(self, path: str, body: bytes = b"", headers: Mapping[str, str] = {}) -> Answer:
        """POST."""
        return self.request("POST", path, body, headers)

    def request(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] = {},
    ) -> Answer:
        """Send and wait for the whole answer."""
        connection = self._open()
        cast("_Timely", connection.sock).deadline = time.monotonic() + self._timeout_s
        try:
            connection.request(method, path, body or None, dict(headers))
            response = connection.getresponse()
            data = response.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise ValueError(f"the server's answer has more than {MOST_BYTES >> 20} MiB")
            found = {name.lower(): value for name, value in response.getheaders()}
            if response.will_close:
                self.close()
            return Answer(response.status, found, data)
        except http.client.HTTPException as error:
            self.close()
            raise ValueError(f"the server's answer is no HTTP ({type(error).__name__})") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Hang up; the next request connects again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> http.client.HTTPConnection:
        if self._connection is None:
            # The name is for the Host header only: the socket is made by the doorway.
            connection = http.client.HTTPConnection("127.0.0.1", timeout=self._timeout_s)
            connection.sock = cast("socket.socket", _Timely(self._connect()))
            self._connection = connection
        return self._connection


class _Timely:
    """What http.client needs of a socket, with one deadline for a request and its whole answer.

    A socket's own timeout is for each read: a byte now and then would hold us forever.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.deadline = 0.0
        self.sock = sock

    def sendall(self, data: bytes) -> None:
        """In what is left of the time."""
        self.hurry()
        self.sock.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """The answer, as it comes."""
        return io.BufferedReader(_Reading(self, self.sock.makefile("rb", buffering=0)))

    def close(self) -> None:
        """Hang up, once nobody reads any more."""
        self.sock.close()

    def hurry(self) -> None:
        """Wait no longer than until the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the server's answer took too long")
        self.sock.settimeout(left)


class _Reading(io.RawIOBase):
    def __init__(self, timely: _Timely, stream: Any) -> None:
        super().__init__()
        self._timely = timely
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        self._timely.hurry()
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()
