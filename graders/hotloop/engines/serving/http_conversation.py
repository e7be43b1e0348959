"""Parses a client's HTTP/1.1 requests on one connection."""

import json
import re
from collections.abc import Callable

from hotloop.engines.serving.conversation import (
    MOST_HEAD,
    REFUSAL,
    Note,
    ProtocolError,
    RelayedRequest,
    Routed,
)

_END = b"\r\n\r\n"
_REQUEST = re.compile(rb"([A-Z]{3,8}) (/[\x21-\x7e]{0,2000}) HTTP/1\.[01]")
_FIELD = re.compile(rb"([!#-'*+.0-9A-Z^-z|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*")
_LENGTH = re.compile(rb"\d{1,12}")
_INFER = re.compile(r"/v2/models/[^/]+(?:/versions/([^/]+))?/infer")
_SHOWN = 120


class HttpConversation:
    """Parses a connection of HTTP requests.

    refuse: called once per request; if True, the relay replies 503 and forwards nothing.
    """

    def __init__(self, note: Note, refuse: Callable[[], bool]) -> None:
        self._note = note
        self._refuse = refuse
        self._head = bytearray()
        self._left = 0
        self._size = 0
        self._what = ""
        self._refused = False

    def receive(self, data: bytes) -> Routed:
        """Process bytes of the client; requests are parsed only as far as their end requires."""
        to_server, to_client = bytearray(), bytearray()
        while data:
            if self._left:
                part, data = data[: self._left], data[self._left :]
                self._left -= len(part)
            else:
                part, data = self._take_head(data)
                if not part:
                    break
            if not self._refused:
                to_server += part
            if not self._left:
                to_client += self._complete()
        return Routed(bytes(to_server), bytes(to_client))

    def _take_head(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the head once it is complete, and the bytes after it."""
        self._head += data
        end = self._head.find(_END)
        if end < 0:
            if len(self._head) > MOST_HEAD:
                raise ProtocolError("it sends what is no HTTP request")
            return b"", b""
        head, rest = bytes(self._head[:end]), bytes(self._head[end + len(_END) :])
        self._head.clear()
        first = head.partition(b"\r\n")[0]
        match = _REQUEST.fullmatch(first)
        if match is None:
            raise ProtocolError("it sends what is no HTTP request")
        self._size = self._left = _body_bytes(head)
        self._what = match[2].decode().partition("?")[0]
        self._refused = self._refuse()
        return head + _END, rest

    def _complete(self) -> bytes:
        match = _INFER.fullmatch(self._what)
        version = match[1] or "" if match else ""
        request = RelayedRequest(match is not None, self._what[:_SHOWN], version[:_SHOWN])
        self._note(request, self._size, self._refused)
        return _refusal() if self._refused else b""


def _body_bytes(head: bytes) -> int:
    """Return the length of a request's body from its head, without the empty line.

    Raises ProtocolError for headers that a server might interpret differently, and then see other
    request boundaries than the relay does.
    """
    lengths: list[bytes] = []
    for line in head.split(b"\r\n")[1:]:
        match = _FIELD.fullmatch(line)
        if match is None:
            raise ProtocolError("it sends what is no HTTP request")
        name = match[1].lower()
        if name == b"transfer-encoding":
            raise ProtocolError("it sends a request in chunks: say its Content-Length instead")
        if name == b"content-length":
            lengths.append(match[2])
    if len(lengths) > 1 or any(_LENGTH.fullmatch(length) is None for length in lengths):
        raise ProtocolError("it sends no single number as the Content-Length of a request")
    return int(lengths[0]) if lengths else 0


def _refusal() -> bytes:
    body = json.dumps({"error": REFUSAL}).encode()
    return (
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )
