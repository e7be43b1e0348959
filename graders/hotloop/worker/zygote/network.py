"""Enables the loopback interface in an otherwise empty network namespace."""

import fcntl
import socket
import struct

_GET_FLAGS, _SET_FLAGS = 0x8913, 0x8914
_UP = 1
_REQUEST = struct.Struct("16sH22x")
"""struct ifreq: the interface's name and flags."""


def raise_loopback() -> None:
    """Bring `lo` up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        reply = fcntl.ioctl(sock, _GET_FLAGS, _REQUEST.pack(b"lo", 0))
        _, flags = _REQUEST.unpack(reply)
        fcntl.ioctl(sock, _SET_FLAGS, _REQUEST.pack(b"lo", flags | _UP))
