"""Fills lent GPU memory with the driver API alone: `python borrower.py --fd N`.

--user: user id to switch to before the driver starts. That user need not be able to read the
interpreter.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import socket
from typing import ClassVar

from hotloop.core.wire import Message, WireClosed, receive_with_fds, send
from hotloop.worker.device import Cuda, DeviceMapping, library_path


class Filling(Cuda):
    """The driver API with a function that writes memory without PyTorch."""

    prototypes: ClassVar = Cuda.prototypes | {
        "cuMemsetD32_v2": (ctypes.c_uint64, ctypes.c_uint, ctypes.c_size_t),
    }


class Borrower:
    """Handles the messages `hello`, `fill` and `give_back`."""

    def __init__(self) -> None:
        self._mapping: DeviceMapping | None = None
        self._cuda: Filling | None = None

    def answer(self, message: Message, fds: list[int]) -> Message:
        """Handle a message; an exception becomes an error reply."""
        try:
            getattr(self, f"on_{message['op']}")(message, fds)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            return {"ok": False, "error": {"type": type(error).__name__, "message": str(error)}}
        return {"ok": True, "versions": {}, "pid": os.getpid()}

    def on_hello(self, _message: Message, _fds: list[int]) -> None:
        """Do nothing; the reply shows that the process runs."""

    def on_fill(self, message: Message, fds: list[int]) -> None:
        """Import and map the memory, write a word everywhere, and synchronize."""
        cuda = self._cuda or Filling()
        if self._cuda is None:
            cuda.use(0)
            self._cuda = cuda
        self._mapping = DeviceMapping(cuda, message["bytes"], writable=message["writable"])
        self._mapping.open(fds[0])
        cuda.call("cuMemsetD32_v2", self._mapping.address, message["word"], message["bytes"] // 4)
        cuda.synchronize()

    def on_give_back(self, _message: Message, _fds: list[int]) -> None:
        """Unmap the memory."""
        if self._mapping is not None:
            self._mapping.close()


def main() -> None:
    """Handle messages until the connection is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--user", type=int)
    arguments = parser.parse_args()
    if arguments.user is not None:
        ctypes.CDLL(library_path())
        os.setgroups([])
        os.setresgid(*[arguments.user] * 3)
        os.setresuid(*[arguments.user] * 3)
    sock = socket.socket(fileno=arguments.fd)
    borrower = Borrower()
    while True:
        try:
            message, fds = receive_with_fds(sock)
        except WireClosed:
            return
        send(sock, borrower.answer(message, fds))


if __name__ == "__main__":
    main()
