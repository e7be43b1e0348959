"""Parses a client's gRPC calls: HTTP/2 frames, and the fields of messages that name the request.

Header compression (HPACK) has state that both ends share, so single frames cannot be removed. A
connection is therefore either forwarded completely or answered here completely:
`RefusingConversation` acts as a server that refuses each call with UNAVAILABLE and then sends
GOAWAY, as a restarting server does. Clients reconnect for the next call.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from hotloop.engines.serving.conversation import (
    MOST_HEAD,
    REFUSAL,
    Note,
    ProtocolError,
    RelayedRequest,
    Routed,
)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD = 9
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _ACK, _END_HEADERS = 1, 1, 4
_MOST_STREAMS = 256
_SHOWN = 120
_MOST_FRAME = 1 << 20
_UNAVAILABLE = b"14"
_INITIAL_WINDOW = 4
_LARGE_WINDOW = 1 << 24
_INPUTS, _MODEL, _VERSION = 5, 1, 2
"""Fields of ModelInferRequest; requests about health and models have no field 5."""


@dataclass
class _Stream:
    message: bytearray = field(default_factory=bytearray)
    size: int = 0


class GrpcConversation:
    """Parses a connection that is forwarded."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._preface = bytearray()
        self._head = bytearray()
        self._left = 0
        self._frame = (0, 0, 0)
        self._streams: dict[int, _Stream] = {}

    def receive(self, data: bytes) -> Routed:
        """Forward all bytes."""
        self._read(memoryview(data))
        return Routed(to_server=data)

    def _read(self, data: memoryview) -> None:
        missing = len(PREFACE) - len(self._preface)
        if missing:
            self._preface += data[:missing]
            data = data[missing:]
            if not PREFACE.startswith(self._preface):
                raise ProtocolError("it sends what is no HTTP/2, which gRPC travels in")
        while data:
            data = self._in_frame(data) if self._left else self._new_frame(data)

    def _new_frame(self, data: memoryview) -> memoryview:
        missing = _HEAD - len(self._head)
        self._head += data[:missing]
        if len(self._head) < _HEAD:
            return data[:0]
        self._left = int.from_bytes(self._head[:3], "big")
        stream = int.from_bytes(self._head[5:], "big") & 0x7FFFFFFF
        self._frame = (self._head[3], self._head[4], stream)
        self._head.clear()
        if self._left > _MOST_FRAME:
            raise ProtocolError("it sends a HTTP/2 frame of more than 1 MiB")
        if self._frame[0] == _HEADERS:
            self._streams[stream] = _Stream()
            if len(self._streams) > _MOST_STREAMS:
                raise ProtocolError(f"it leaves more than {_MOST_STREAMS} calls open")
        if not self._left:
            self._frame_ended()
        return data[missing:]

    def _in_frame(self, data: memoryview) -> memoryview:
        part = data[: self._left]
        self._left -= len(part)
        kind, _, number = self._frame
        stream = self._streams.get(number)
        if kind == _DATA and stream is not None:
            stream.size += len(part)
            stream.message += part[: MOST_HEAD - len(stream.message)]
        self._payload(part)
        if not self._left:
            self._frame_ended()
        return data[len(part) :]

    def _payload(self, part: memoryview) -> None:
        """Handle bytes of the current frame's payload."""

    def _frame_ended(self) -> None:
        kind, flags, number = self._frame
        if kind == _RESET:
            self._streams.pop(number, None)
        if kind in (_DATA, _HEADERS) and flags & _END_STREAM:
            stream = self._streams.pop(number, None)
            if stream is not None:
                self._call(number, stream)

    def _call(self, _number: int, stream: _Stream) -> None:
        self._note(_request(bytes(stream.message)), stream.size, False)


class RefusingConversation(GrpcConversation):
    """Answers a connection by refusing its calls.

    more: called once per call; if it returns False, this call is the last one to be refused.
    """

    def __init__(self, note: Note, more: Callable[[], bool]) -> None:
        super().__init__(note)
        self._more = more
        self._back = bytearray()
        self._ping = bytearray()
        window = _INITIAL_WINDOW.to_bytes(2, "big") + _LARGE_WINDOW.to_bytes(4, "big")
        self._back += _frame(_SETTINGS, 0, 0, window)

    def receive(self, data: bytes) -> Routed:
        """Forward nothing; reply to the client."""
        self._read(memoryview(data))
        back = bytes(self._back)
        self._back.clear()
        return Routed(to_client=back)

    def _payload(self, part: memoryview) -> None:
        kind, flags, _ = self._frame
        if kind == _PING and not flags & _ACK:
            self._ping += part[:8]
        if kind == _DATA:
            self._back += _frame(_WINDOW, 0, 0, len(part).to_bytes(4, "big"))

    def _frame_ended(self) -> None:
        kind, flags, _ = self._frame
        if kind == _SETTINGS and not flags & _ACK:
            self._back += _frame(_SETTINGS, _ACK, 0, b"")
        if kind == _PING and not flags & _ACK:
            self._back += _frame(_PING, _ACK, 0, bytes(self._ping).ljust(8, b"\0"))
            self._ping.clear()
        super()._frame_ended()

    def _call(self, number: int, stream: _Stream) -> None:
        self._note(_request(bytes(stream.message)), stream.size, True)
        self._back += _frame(_HEADERS, _END_HEADERS | _END_STREAM, number, _trailers())
        if not self._more():
            last = number.to_bytes(4, "big")
            self._back += _frame(_GOAWAY, 0, 0, last + bytes(4))


def _trailers() -> bytes:
    """Return the headers of a response without a message; 0x88 is `:status: 200` in HPACK."""
    fields = (
        (b"content-type", b"application/grpc"),
        (b"grpc-status", _UNAVAILABLE),
        (b"grpc-message", REFUSAL.encode()),
    )
    encoded = (b"\0%c%s%c%s" % (len(name), name, len(value), value) for name, value in fields)
    return b"\x88" + b"".join(encoded)


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    head = len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big")
    return head + payload


def _request(message: bytes) -> RelayedRequest:
    """Parse what a gRPC message asks for, after its flag and length, as far as it was kept."""
    if not message:
        return RelayedRequest(inference=False)
    if message[0]:
        raise ProtocolError("it compresses its messages: send them as they are")
    try:
        fields = _fields(message[5:])
        names = [fields.get(number, b"").decode() for number in (_MODEL, _VERSION)]
    except ValueError:
        raise ProtocolError("it sends what is no message of the inference protocol") from None
    return RelayedRequest(_INPUTS in fields, names[0][:_SHOWN], names[1][:_SHOWN])


def _fields(message: bytes) -> dict[int, bytes]:
    """Return protobuf's length-delimited fields by number; of a repeated field, the last value."""
    fields: dict[int, bytes] = {}
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        if tag & 7 == 0:
            _, position = _varint(message, position)
        elif tag & 7 == 2:
            length, position = _varint(message, position)
            fields[tag >> 3] = message[position : position + length]
            position += length
        else:
            position += {1: 8, 5: 4}.get(tag & 7, len(message))
    return fields


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        if position >= len(message):
            raise ValueError("it ends in a number")
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ValueError("a number is too long")
