"""What a relay understands of one connection: the calls that a client makes over it.

A conversation reads what a client sends, as it comes and in parts of any size. It says what goes
on to the server, and what the client is told instead. Everything in it is untrusted: sizes are
capped, and what is no proper protocol is `Unreadable`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["http", "grpc"]

MOST_HEAD = 64 << 10
"""Bytes: of a request's head, and of what is looked at in a message."""

REFUSAL = "Exceeds maximum queue size"
"""What Triton itself says when a queue is full."""


class Unreadable(Exception):
    """What the client sends is not the protocol that is spoken at this port."""


@dataclass(frozen=True)
class Asked:
    """What a request is about.

    inference: false for questions about health, models or the server. what: its path or, over gRPC,
    the model. version: that of the model, as it was named; "" when none was.
    """

    inference: bool
    what: str = ""
    version: str = ""


@dataclass(frozen=True)
class Call:
    """One request, noted when it was complete; `at` is on the monotonic clock.

    connection: counted from 0. size: bytes of its body.
    """

    kind: Kind
    asked: Asked
    connection: int
    size: int
    at: float
    refused: bool


@dataclass(frozen=True)
class Heard:
    """What comes of some bytes: for the server, and for the client."""

    onward: bytes = b""
    back: bytes = b""


class Conversation(Protocol):
    """One connection's."""

    def hear(self, data: bytes) -> Heard:
        """Take what the client has sent. Unreadable ends the connection."""
        ...


Note = Callable[[Asked, int, bool], None]
"""To note a call: what it asked, its size, and whether it was refused."""
