"""Exchanges messages with an untrusted kernel over unix sockets that this side has bound.

The kernel gets the listening sockets as file descriptors, so it needs no writable folder. Messages
that do not parse, are too long or have wrong types are dropped: a kernel's messages are only
displayed, never trusted.
"""

import contextlib
import json
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import zmq
from jupyter_client.session import Session
from zmq.utils.monitor import recv_monitor_message

from hotloop.core.closing import Closing

Channel = Literal["shell", "iopub", "control"]

PORTS = {"shell": 1, "iopub": 2, "stdin": 3, "control": 4}
"""Port numbers only name the socket files, in the order of hotloop.worker.kernel."""

MAX_MESSAGE = 32 << 20
"""In bytes. A longer message is not received: its connection is closed."""
RETRY_MS = 5
QUEUED_MESSAGES = 8
"""Most messages queued on this side; with MAX_MESSAGE it bounds the memory."""


@dataclass(frozen=True)
class Reply:
    """A message from a kernel: its kind, the request that it answers, and plain data."""

    channel: Channel
    kind: str
    parent: str
    content: dict[str, Any]


class Listeners:
    """The bound sockets on which a kernel accepts; close them after the kernel has started."""

    def __init__(self, folder: Path) -> None:
        self.sockets: list[socket.socket] = []
        for port in PORTS.values():
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(str(folder / f"kernel-{port}"))
            listener.listen(8)
            self.sockets.append(listener)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """File descriptors in the order that hotloop.worker.kernel expects."""
        return tuple(listener.fileno() for listener in self.sockets)

    def close(self) -> None:
        """Close this side's copies of the sockets."""
        for listener in self.sockets:
            listener.close()


class Channels(Closing):
    """This side's connections to one kernel."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._context = zmq.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE)
        self._context.setsockopt(zmq.RCVHWM, QUEUED_MESSAGES)
        self._context.setsockopt(zmq.LINGER, 0)
        # This side connects before the kernel listens; ZeroMQ's default retry is 100 ms.
        self._context.setsockopt(zmq.RECONNECT_IVL, RETRY_MS)
        self._session = Session(key=secrets.token_hex(32).encode())
        self._poller = zmq.Poller()
        self._sockets: dict[Channel, zmq.Socket[bytes]] = {}
        for channel, kind in _KINDS.items():
            sock = self._context.socket(kind)
            if kind == zmq.SUB:
                sock.setsockopt(zmq.SUBSCRIBE, b"")
            else:
                sock.setsockopt(zmq.IDENTITY, self._session.bsession)
            sock.connect(self._address(channel))
            self._poller.register(sock, zmq.POLLIN)
            self._sockets[channel] = sock
        self._monitor = self._sockets["iopub"].get_monitor_socket(zmq.EVENT_DISCONNECTED)

    def describe(self, inside: Path) -> str:
        """Return the connection file's text, for a kernel that sees the folder at `inside`."""
        ports = {f"{name}_port": port for name, port in PORTS.items()}
        return json.dumps(
            {
                **ports,
                "hb_port": 0,
                "transport": "ipc",
                "ip": str(inside / "kernel"),
                "key": self._session.key.decode(),
                "signature_scheme": self._session.signature_scheme,
            }
        )

    def send(self, channel: Channel, kind: str, content: dict[str, Any]) -> str:
        """Send a request without waiting; return the id that its replies carry."""
        message = cast(Any, self._session).msg(kind, content)
        # Non-blocking, since a kernel that does not read must not block this side.
        frames = self._session.serialize(message)
        with contextlib.suppress(zmq.Again):
            self._sockets[channel].send_multipart(frames, zmq.NOBLOCK)
        return str(message["header"]["msg_id"])

    def receive(self, seconds: float) -> list[Reply]:
        """Return the messages of the next `seconds`: at most one per channel, possibly none."""
        ready = self._poller.poll(max(0, int(seconds * 1000)))
        sockets = {sock for sock, _ in ready}
        replies = [
            self._read(name, sock) for name, sock in self._sockets.items() if sock in sockets
        ]
        return [reply for reply in replies if reply is not None]

    def was_cut_off(self) -> bool:
        """True if output was too large to be received; the connection is then renewed."""
        seen = False
        while cast(Any, self._monitor).poll(0):
            recv_monitor_message(cast(Any, self._monitor), zmq.NOBLOCK)
            seen = True
        if seen:
            with contextlib.suppress(zmq.ZMQError):
                self._sockets["iopub"].disconnect(self._address("iopub"))
            self._sockets["iopub"].connect(self._address("iopub"))
        return seen

    def close(self) -> None:
        """Close the connections and drop all queued messages."""
        self._sockets["iopub"].disable_monitor()
        self._context.destroy(linger=0)

    def _address(self, channel: Channel) -> str:
        return f"ipc://{self._folder}/kernel-{PORTS[channel]}"

    def _read(self, channel: Channel, sock: zmq.Socket[bytes]) -> Reply | None:
        try:
            frames = sock.recv_multipart(zmq.NOBLOCK)
            _, parts = self._session.feed_identities(frames)
            message = self._session.deserialize(parts)
            kind, content = message["msg_type"], message["content"]
            parent = message["parent_header"].get("msg_id", "")
        except Exception:  # noqa: BLE001 - hostile bytes may fail anywhere in there
            return None
        if not (isinstance(kind, str) and isinstance(content, dict) and isinstance(parent, str)):
            return None
        return Reply(channel, kind, parent, cast(dict[str, Any], content))


_KINDS: dict[Channel, int] = {"shell": zmq.DEALER, "iopub": zmq.SUB, "control": zmq.DEALER}
