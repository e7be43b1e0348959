"""HTTP to a server whose models are not trusted: every answer has a deadline and a length cap."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

MOST_BYTES = 64 << 20


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
        """The body as an object. ValueError when it is none."""
        try:
            found: Any = json.loads(self.body)
        except RecursionError:
            raise ValueError("nested too deep") from None
        if not isinstance(found, dict):
            raise ValueError("the server's answer is no JSON object")
        return cast("dict[str, Any]", found)


class Http:
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

    def __enter__(self) -> Http:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> http.client.HTTPConnection:
        if self._connection is None:
            # The name is for the Host header only: the socket is made by the doorway.
            connection = http.client.HTTPConnection("127.0.0.1", timeout=self._timeout_s)
            connection.sock = self._connect()
            connection.sock.settimeout(self._timeout_s)
            self._connection = connection
        return self._connection
