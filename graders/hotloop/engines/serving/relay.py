"""Forwards bytes between a candidate's network and a server in another one, and records the calls.

Client and server each have their own network namespace. The judge listens in the client's, connects
in the server's, and forwards the bytes. So it knows which protocol was actually used and how many
connections and calls there were, and it can inject faults that a real server does not produce on
command. The client is untrusted: connections, calls and bytes have limits, and a client that
exceeds one is disconnected. One thread does all this; `close` ends it and closes all sockets.
"""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from hotloop.core.clock import now
from hotloop.core.closing import Closing
from hotloop.engines.serving.conversation import (
    Conversation,
    Kind,
    ProtocolError,
    ReceivedCall,
    RelayedRequest,
)
from hotloop.engines.serving.grpc_conversation import GrpcConversation, RefusingConversation
from hotloop.engines.serving.http_conversation import HttpConversation

_CHUNK = 64 << 10
_WAITING = 256 << 10
"""Most bytes buffered in one direction; above that, the sender is not read from."""
_END_TIMEOUT_S = 20.0
FOREVER = 1 << 30


@dataclass(frozen=True)
class InjectedFaults:
    """Faults to inject.

    hold_s: seconds to delay the server's response after each inference request.
    refusals: number of calls, of any kind, to refuse first: 503 over HTTP, UNAVAILABLE over gRPC.
    The server does not receive them.
    """

    hold_s: float = 0.0
    refusals: int = 0


@dataclass(frozen=True)
class Caps:
    """Limits of a relay over its lifetime. wall_s: seconds after which it ends by itself."""

    connections: int = 64
    calls: int = 1000
    bytes: int = 64 << 20
    wall_s: float = 300.0


@dataclass(frozen=True)
class RelayRecord:
    """What a client did. connections: number accepted, by the port's protocol.

    violation: how a connection violated the protocol, as part of a sentence, or "". excess: why
    the client was disconnected, as a sentence, or "".
    """

    connections: Mapping[Kind, int]
    calls: tuple[ReceivedCall, ...]
    violation: str
    excess: str

    def inferences(self, kind: Kind | None = None) -> list[ReceivedCall]:
        """Return the inference calls, of one protocol or of both."""
        return [c for c in self.calls if c.request.inference and kind in (None, c.kind)]


class Relay(Closing):
    """A running relay. It owns the listening sockets passed to it.

    listeners: by protocol. connect: returns a new connection to the server.
    """

    def __init__(
        self,
        listeners: Mapping[Kind, socket.socket],
        connect: Callable[[Kind], socket.socket],
        faults: InjectedFaults = InjectedFaults(),
        caps: Caps = Caps(),
    ) -> None:
        self.ports: dict[Kind, int] = {
            kind: int(sock.getsockname()[1]) for kind, sock in listeners.items()
        }
        self._listeners: dict[Kind, socket.socket] = dict(listeners)
        self._connect = connect
        self._faults = faults
        self._caps = caps
        self._refusals = faults.refusals
        self._deadline = now() + caps.wall_s
        self._lock = threading.Lock()
        self._connections: dict[Kind, int] = {"http": 0, "grpc": 0}
        self._calls: list[ReceivedCall] = []
        self._violation = self._excess = ""
        self._bytes = 0
        self._pairs: set[_Pair] = set()
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._live, name="hotloop-relay", daemon=True)
        for kind, sock in listeners.items():
            sock.setblocking(False)
            self._selector.register(sock, selectors.EVENT_READ, kind)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread.start()

    def record(self) -> RelayRecord:
        """Return what happened so far. Raises an exception that occurred in the relay's thread."""
        with self._lock:
            if self._fault is not None:
                raise self._fault
            connections = dict(self._connections)
            return RelayRecord(connections, tuple(self._calls), self._violation, self._excess)

    def close(self) -> None:
        """End the thread and close all sockets. Safe to call again."""
        if self._wake.fileno() >= 0:
            with suppress(OSError):
                self._wake.send(b"!")
        self._thread.join(_END_TIMEOUT_S)
        if self._thread.is_alive():
            raise RuntimeError("the relay does not end")
        self._wake.close()

    # --- its thread -------------------------------------------------------------------------------

    def _live(self) -> None:
        try:
            while self._once():
                pass
        except Exception as error:  # noqa: BLE001 - it is raised again in `record`
            with self._lock:
                self._fault = error
        finally:
            self._stop_listening()
            for pair in list(self._pairs):
                self._end(pair)
            self._selector.close()
            self._woken.close()

    def _once(self) -> bool:
        """Wait for events and handle them. Returns False at the end."""
        for pair in self._pairs:
            pair.show_interest(self._selector)
        delayed = [p.held_until for p in self._pairs if p.down and p.held_until > now()]
        patience = max(0.0, min([self._deadline, *delayed]) - now())
        for key, events in self._selector.select(patience):
            if key.fileobj is self._woken:
                return False
            if isinstance(key.data, _End):
                self._serve(key.data, events)
            elif key.data in self._listeners:
                self._accept(key.data)
        for pair in [p for p in self._pairs if p.over]:
            self._end(pair)
        return now() < self._deadline

    def _accept(self, kind: Kind) -> None:
        try:
            sock, _ = self._listeners[kind].accept()
        except (BlockingIOError, ConnectionError):
            return
        with self._lock:
            number = sum(self._connections.values())
            self._connections[kind] += 1
        if number >= self._caps.connections:
            sock.close()
            self._too_much(f"It opened more than {self._caps.connections} connections")
            return
        self._begin(kind, number, sock)

    def _begin(self, kind: Kind, number: int, sock: socket.socket) -> None:
        refusing = kind == "grpc" and self._refusals > 0
        pair = _Pair(sock)
        try:
            if not refusing:
                pair.server = pair.end_at(self._connect(kind))
        except OSError:
            pair.close(self._selector)
            return
        pair.conversation = self._conversation(kind, number, pair, refusing)
        self._pairs.add(pair)
        self._pass_on(pair, b"")

    def _conversation(self, kind: Kind, number: int, pair: _Pair, refusing: bool) -> Conversation:
        def note(request: RelayedRequest, size: int, refused: bool) -> None:
            call = ReceivedCall(kind, request, number, size, now(), refused)
            if request.inference:
                pair.held_until = call.at + self._faults.hold_s
            with self._lock:
                self._calls.append(call)

        if kind == "http":
            return HttpConversation(note, self._refuse)
        if refusing:
            return RefusingConversation(note, lambda: self._refuse() and self._refusals > 0)
        return GrpcConversation(note)

    def _refuse(self) -> bool:
        """Use up one refusal; return False if none is left."""
        refused = self._refusals > 0
        self._refusals -= refused
        return refused

    def _serve(self, end: _End, events: int) -> None:
        pair = end.pair
        try:
            if events & selectors.EVENT_WRITE:
                pair.write(end)
            if events & selectors.EVENT_READ:
                data = end.sock.recv(_CHUNK)
                if not data:
                    pair.ended(end)
                elif end is pair.client:
                    self._pass_on(pair, data)
                else:
                    pair.down += data
                self._bytes += len(data)
                if self._bytes > self._caps.bytes:
                    self._too_much(f"It moved more than {self._caps.bytes >> 20} MiB")
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            pair.over = True

    def _pass_on(self, pair: _Pair, data: bytes) -> None:
        assert pair.conversation is not None
        try:
            routed = pair.conversation.receive(data)
        except ProtocolError as error:
            with self._lock:
                self._violation = self._violation or str(error)
            pair.over = True
            return
        pair.up += routed.to_server
        pair.down += routed.to_client
        if len(self._calls) > self._caps.calls:
            self._too_much(f"It made more than {self._caps.calls} calls")

    def _too_much(self, sentence: str) -> None:
        with self._lock:
            self._excess = self._excess or f"{sentence} and was cut off."
        for pair in self._pairs:
            pair.over = True
        self._stop_listening()

    def _stop_listening(self) -> None:
        for sock in self._listeners.values():
            with suppress(KeyError, ValueError):
                self._selector.unregister(sock)
            sock.close()
        self._listeners.clear()

    def _end(self, pair: _Pair) -> None:
        pair.close(self._selector)
        self._pairs.discard(pair)


@dataclass(eq=False)
class _End:
    """One socket of a pair. interest: the events that the selector watches for."""

    pair: _Pair
    sock: socket.socket
    interest: int = 0


@dataclass(eq=False)
class _Pair:
    """A client's connection with its connection to the server.

    up, down: bytes buffered for the server and for the client. held_until: `down` is not sent
    before. finished: the server has sent everything. over: the pair must be closed.
    """

    accepted: socket.socket
    client: _End = field(init=False)
    server: _End | None = None
    conversation: Conversation | None = None
    up: bytearray = field(default_factory=bytearray)
    down: bytearray = field(default_factory=bytearray)
    held_until: float = 0.0
    finished: bool = False
    over: bool = False

    def __post_init__(self) -> None:
        self.client = self.end_at(self.accepted)

    def write(self, end: _End) -> None:
        """Send buffered bytes to this end."""
        waiting = self.down if end is self.client else self.up
        if waiting:
            del waiting[: end.sock.send(memoryview(bytes(waiting[:_CHUNK])))]
        self.over = self.over or (self.finished and not self.down)

    def ended(self, end: _End) -> None:
        """Handle the end of one side's stream."""
        if end is self.client:
            self.over = True
        self.finished = True
        self.over = self.over or not self.down

    def show_interest(self, selector: selectors.BaseSelector) -> None:
        """Register with the selector which events can be handled now."""
        read, write = selectors.EVENT_READ, selectors.EVENT_WRITE
        may_send = bool(self.down) and now() >= self.held_until
        room = max(len(self.up), len(self.down)) < _WAITING
        self._watch(selector, self.client, read * room | write * may_send)
        if self.server is not None:
            more = not self.finished and len(self.down) < _WAITING
            self._watch(selector, self.server, read * more | write * bool(self.up))

    def close(self, selector: selectors.BaseSelector) -> None:
        """Close both sockets."""
        for end in (self.client, self.server):
            if end is not None:
                self._watch(selector, end, 0)
                end.sock.close()

    def end_at(self, sock: socket.socket) -> _End:
        """Return an end of this pair for a socket, which no longer blocks."""
        sock.setblocking(False)
        with suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _End(self, sock)

    def _watch(self, selector: selectors.BaseSelector, end: _End, interest: int) -> None:
        if interest == end.interest:
            return
        if not end.interest:
            selector.register(end.sock, interest, end)
        elif not interest:
            selector.unregister(end.sock)
        else:
            selector.modify(end.sock, interest, end)
        end.interest = interest
