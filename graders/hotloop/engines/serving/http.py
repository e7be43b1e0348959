"""An HTTP client for a server with untrusted models: responses have a deadline and a size limit."""

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
"""Most bytes of JSON: a document of empty lists takes twenty times its size once parsed."""


@dataclass(frozen=True)
class HttpResponse:
    """A response: status, headers by lower-case name, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def text(self) -> str:
        """Decode the body as UTF-8; invalid bytes are replaced."""
        return self.body.decode(errors="replace")

    def json(self) -> dict[str, Any]:
        """Parse the body as a JSON object. Raises ValueError if it is not one, or is too long."""
        if len(self.body) > MOST_JSON:
            raise ValueError(f"the server's answer has more than {MOST_JSON >> 20} MiB of JSON")
        try:
            document: Any = json.loads(self.body)
        except RecursionError:
            raise ValueError("nested too deep") from None
        if not isinstance(document, dict):
            raise ValueError("the server's answer is no JSON object")
        return cast("dict[str, Any]", document)


class Http(Closing):
    """A connection that is reused between requests. Failures raise OSError or ValueError."""

    def __init__(self, connect: Callable[[], socket.socket], timeout_s: float) -> None:
        self._connect = connect
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> HttpResponse:
        """Send a GET request."""
        return self.request("GET", path)

    def post(self, path: str, body: bytes = b"", headers: Mapping[str, str] = {}) -> HttpResponse:
        """Send a POST request."""
        return self.request("POST", path, body, headers)

    def request(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] = {},
    ) -> HttpResponse:
        """Send a request and wait for the complete response."""
        connection = self._open()
        cast("_DeadlineSocket", connection.sock).deadline = time.monotonic() + self._timeout_s
        try:
            connection.request(method, path, body or None, dict(headers))
            response = connection.getresponse()
            data = response.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise ValueError(f"the server's answer has more than {MOST_BYTES >> 20} MiB")
            fields = {name.lower(): value for name, value in response.getheaders()}
            if response.will_close:
                self.close()
            return HttpResponse(response.status, fields, data)
        except http.client.HTTPException as error:
            self.close()
            raise ValueError(f"the server's answer is no HTTP ({type(error).__name__})") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> http.client.HTTPConnection:
        if self._connection is None:
            # The host is only for the Host header: the doorway makes the socket.
            connection = http.client.HTTPConnection("127.0.0.1", timeout=self._timeout_s)
            connection.sock = cast("socket.socket", _DeadlineSocket(self._connect()))
            self._connection = connection
        return self._connection


class _DeadlineSocket:
    """A socket for http.client with one deadline for the request and the complete response.

    A socket's own timeout applies to each read: a slow sender could block the caller forever.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.deadline = 0.0
        self.sock = sock

    def sendall(self, data: bytes) -> None:
        """Send within the time left."""
        self.set_timeout()
        self.sock.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return a stream of the response."""
        return io.BufferedReader(_DeadlineReader(self, self.sock.makefile("rb", buffering=0)))

    def close(self) -> None:
        """Close the socket, after open streams are closed."""
        self.sock.close()

    def set_timeout(self) -> None:
        """Set the socket's timeout to the time left. Raises TimeoutError after the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the server's answer took too long")
        self.sock.settimeout(left)


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: _DeadlineSocket, stream: Any) -> None:
        super().__init__()
        self._sock = sock
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        self._sock.set_timeout()
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()
