"""Listening sockets on a candidate process's loopback interface, in or out of a sandbox."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.engines.serving import namespace_proxy, ports

if TYPE_CHECKING:
    from hotloop.sandbox.process import Confined

_TIMEOUT_S = 10.0


def beside(confined: Confined, count: int) -> list[socket.socket]:
    """Open `count` sockets at free ports that the process reaches at 127.0.0.1. Raises OSError."""
    return here(count) if confined.level == "none" else inside(confined.pid, count)


def here(count: int) -> list[socket.socket]:
    """Open sockets on this machine's loopback interface."""
    return [socket.create_server((ports.HOST, 0)) for _ in range(count)]


def inside(pid: int, count: int) -> list[socket.socket]:
    """Open sockets on the loopback interface of a process with its own network namespace."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        fd = theirs.fileno()
        command = [sys.executable, "-I", str(Path(namespace_proxy.__file__)), str(pid), "--listen"]
        try:
            subprocess.run(
                [*command, str(fd), *["0"] * count],
                pass_fds=[fd],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=True,
            )
        except subprocess.SubprocessError as error:
            raise ConnectionError(f"the network cannot be entered: {error}") from None
        theirs.close()
        return namespace_proxy.take(ours, count)
