"""The interface of a protocol parser in a relay: it recognizes the calls of one connection.

A conversation reads a client's bytes in parts of any size. It decides what is forwarded to the
server and what the relay replies itself. The input is untrusted: sizes are limited, and a violation
of the protocol raises `ProtocolError`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["http", "grpc"]

MOST_HEAD = 64 << 10
"""Most bytes of a request's head, and of a message that are inspected."""

REFUSAL = "Exceeds maximum queue size"
"""Triton's message when a queue is full."""


class ProtocolError(Exception):
    """The client does not speak the protocol of this port."""


@dataclass(frozen=True)
class RelayedRequest:
    """What a request asks for.

    inference: False for requests about health, models or the server. what: the path, or over gRPC
    the model. version: of the model as requested; "" if none was.
    """

    inference: bool
    what: str = ""
    version: str = ""


@dataclass(frozen=True)
class ReceivedCall:
    """One complete request; `at` is its time on the monotonic clock.

    connection: counted from 0. size: bytes of its body. refused: whether the relay refused it.
    """

    kind: Kind
    request: RelayedRequest
    connection: int
    size: int
    at: float
    refused: bool


@dataclass(frozen=True)
class Routed:
    """What to send to the server and to the client after some bytes of the client."""

    to_server: bytes = b""
    to_client: bytes = b""


class Conversation(Protocol):
    """Parses one connection."""

    def receive(self, data: bytes) -> Routed:
        """Process bytes from the client. Raises ProtocolError, which ends the connection."""
        ...


Note = Callable[[RelayedRequest, int, bool], None]
"""Records a call: what it asked for, its size in bytes, and whether it was refused."""
