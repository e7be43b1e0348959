"""Ports on this machine's loopback."""

import socket
from contextlib import ExitStack
from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Ports:
    """The ports of a server."""

    http: int
    grpc: int
    metrics: int


USUAL = Ports(8000, 8001, 8002)
"""Triton's defaults, for a server with its own network, where all ports are free."""


def free() -> Ports:
    """Return three ports that are free now. Another process may take one before the server does."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(3)]
        for sock in sockets:
            sock.bind((HOST, 0))
        http, grpc, metrics = (int(sock.getsockname()[1]) for sock in sockets)
    return Ports(http, grpc, metrics)


def all_free(ports: Ports) -> bool:
    """True if all three ports can be bound."""
    with ExitStack() as stack:
        for port in (ports.http, ports.grpc, ports.metrics):
            sock = stack.enter_context(socket.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind((HOST, port))
            except OSError:
                return False
    return True
