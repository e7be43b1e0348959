"""Messages between judge, worker and their parents: length-limited JSON over a Unix socket.

A frame is a four-byte big-endian length, followed by that many bytes of UTF-8 JSON with one object.
File descriptors can be attached to a frame, and only receivers that ask for them get them; the
judge never accepts any from a worker. Judge and worker share no other code.
"""

import array
import json
import math
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any, cast

LENGTH = struct.Struct(">I")
MAX_MESSAGE = 1 << 20
"""Bytes. A frame that announces more is rejected before it is read."""

MOST_FDS = 253
"""The kernel's limit of file descriptors in one message."""

Message = dict[str, Any]


class WireError(Exception):
    """The other side broke the framing, sent no JSON object, or sent too much."""


class WireClosed(WireError):
    """The other side has closed the connection."""


class WireTimeout(WireError):
    """No complete message arrived before the deadline."""


def as_message(value: Any) -> Message | None:
    """Return `value` if it is a JSON object, else None; for inspecting received messages."""
    return cast(Message, value) if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any]:
    """Return `value` if it is a JSON list, else an empty list."""
    return cast("list[Any]", value) if isinstance(value, list) else []


class TooLong(ValueError):
    """A message is over MAX_MESSAGE."""


def encode(message: Message) -> bytes:
    """Return one frame.

    Raises TypeError for what is no JSON, such as numpy.int64, ValueError for NaN and infinities,
    and TooLong.
    """
    body = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    if len(body) > MAX_MESSAGE:
        raise TooLong(f"a message of {len(body)} bytes is over the {MAX_MESSAGE} allowed")
    return LENGTH.pack(len(body)) + body


def decode(body: bytes) -> Message:
    """Return the object in a frame's body. Raises WireError for anything else."""
    try:
        message = json.loads(
            body.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a JSON message: {type(error).__name__}") from None
    document = as_message(message)
    if document is None:
        raise WireError("a message is a JSON object")
    return document


def _finite(digits: str) -> float:
    """Return the number. `1e999` would be an infinity, which cannot be passed on as JSON."""
    number = float(digits)
    if math.isinf(number):
        _refuse_constant(digits)
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def send(sock: socket.socket, message: Message, fds: Sequence[int] = ()) -> None:
    """Send one frame with `fds` attached. Raises WireClosed if the other side is gone."""
    frame = encode(message)
    try:
        if fds:
            rights = array.array("i", fds)
            sent = sock.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            frame = frame[sent:]
        # Of nothing, too, it would fail on a socket whose other side has read all and is gone.
        if frame:
            sock.sendall(frame)
    except (BrokenPipeError, ConnectionResetError, OSError) as error:
        raise WireClosed(f"sending failed: {error}") from None


def receive(sock: socket.socket, deadline: float = math.inf) -> Message:
    """Return the next message; `deadline` is in time.monotonic() seconds. Accepts no descriptors.

    Raises WireTimeout, WireClosed or WireError.
    """
    return receive_rest(sock, _read_exactly(sock, LENGTH.size, deadline), deadline)


def receive_rest(sock: socket.socket, head: bytes, deadline: float = math.inf) -> Message:
    """Like `receive`, for a message whose length header `head` has already been read."""
    (size,) = LENGTH.unpack(head)
    if size > MAX_MESSAGE:
        raise WireError(f"a message of {size} bytes was announced, {MAX_MESSAGE} are allowed")
    return decode(_read_exactly(sock, size, deadline))


def receive_with_fds(sock: socket.socket) -> tuple[Message, list[int]]:
    """Return the next message and its descriptors. Use it only if the sender is trusted."""
    fds = array.array("i")
    head, ancillary, _, _ = sock.recvmsg(LENGTH.size, socket.CMSG_LEN(MOST_FDS * fds.itemsize))
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    if not head:
        raise WireClosed("the other side closed the connection")
    head += _read_exactly(sock, LENGTH.size - len(head), math.inf)
    return receive_rest(sock, head), list(fds)


def _read_exactly(sock: socket.socket, size: int, deadline: float) -> bytes:
    parts: list[bytes] = []
    while size:
        _wait_readable(sock, deadline)
        try:
            part = sock.recv(min(size, 1 << 16))
        except (ConnectionResetError, OSError) as error:
            raise WireClosed(f"receiving failed: {error}") from None
        if not part:
            raise WireClosed("the other side closed the connection")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _wait_readable(sock: socket.socket, deadline: float) -> None:
    if not is_readable(sock, deadline):
        raise WireTimeout("no answer in time")


def is_readable(sock: socket.socket, deadline: float) -> bool:
    """Wait until something can be read or `deadline` has passed, in time.monotonic() seconds."""
    if deadline == math.inf:
        return True
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    remaining = deadline - time.monotonic()
    return remaining > 0 and bool(poll.poll(remaining * 1000))
