"""A program of the worker package, started by a test, and this end of its socket."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from hotloop.core import wire


class Started:
    """A module that is run as a program in `folder`."""

    def __init__(self, module: str, folder: Path) -> None:
        self.sock, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, "--fd", str(theirs.fileno())],
                env={**os.environ, "TRITON_INTERPRET": "1"},
                pass_fds=[theirs.fileno()],
                cwd=folder,
            )

    def ask(self, message: wire.Message, fds: tuple[int, ...] = ()) -> wire.Message:
        """Send a message and return the answer."""
        wire.send(self.sock, message, fds)
        return wire.receive(self.sock)

    def close(self) -> None:
        """Send `bye`, and check that it ends without an error."""
        self.ask({"op": "bye"})
        self.sock.close()
        assert self.process.wait(60) == 0
