"""One rank of an all-reduce. The candidate's code can see everything in this file."""

from __future__ import annotations

import socket

import apart
import numpy as np
import remote


class Link:
    """What a rank has of the network: its number, and messages through the socket."""

    def __init__(self, sock: socket.socket, rank: int, ranks: int) -> None:
        self.rank, self.ranks = rank, ranks
        self._sock = sock

    def send(self, to: int, vector: np.ndarray) -> None:
        """Send a vector to a rank."""
        data = np.ascontiguousarray(vector, dtype=np.float32).tobytes()
        remote.send(self._sock, {"what": "send", "rank": int(to)}, data)

    def receive(self, source: int) -> np.ndarray:
        """Return the next vector from a rank."""
        remote.send(self._sock, {"what": "receive", "rank": int(source)})
        _, data = remote.receive(self._sock)
        return np.frombuffer(data, dtype=np.float32).copy()


def join(sock: socket.socket, source: str, entry: str, rank: int, ranks: int) -> None:
    """Receive this rank's vector, have the candidate's function reduce it, send the result."""
    module = apart.loaded(source, "collectives")
    _, data = remote.receive(sock)
    x = np.frombuffer(data, dtype=np.float32).copy()
    result = np.asarray(getattr(module, entry)(x, Link(sock, rank, ranks)), dtype=np.float32)
    remote.send(sock, {"what": "result"}, result.tobytes())
