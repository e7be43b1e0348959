"""Whatever bytes a worker sends, the judge neither crashes nor hangs."""

import contextlib
import os
import socket
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.core import wire

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(), plain, max_size=5))
def test_what_is_sent_arrives(message: wire.Message) -> None:
    a, b = socket.socketpair()
    with a, b:
        wire.send(a, message)
        assert wire.receive(b, time.monotonic() + 1) == message


@pytest.mark.slow
@given(st.binary(max_size=200))
def test_arbitrary_bytes_end_in_a_message_or_a_wire_error(data: bytes) -> None:
    a, b = socket.socketpair()
    with b:
        with a:
            a.sendall(data)
        try:
            message = wire.receive(b, time.monotonic() + 1)
        except wire.WireError:
            return
        assert isinstance(message, dict)


@given(st.binary(max_size=200))
def test_arbitrary_bodies_are_refused_or_objects(body: bytes) -> None:
    with contextlib.suppress(wire.WireError):
        assert isinstance(wire.decode(body), dict)


@pytest.mark.parametrize(
    "body", [b"NaN", b'{"a": NaN}', b'{"a": Infinity}', b"[1]", b"\xff", b"[" * 100_000, b""]
)
def test_what_is_not_a_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(body)


def test_an_announced_flood_is_refused_before_it_is_read() -> None:
    a, b = socket.socketpair()
    with a, b:
        a.sendall(wire.LENGTH.pack(wire.MAX_MESSAGE + 1))
        with pytest.raises(wire.WireError, match="allowed"):
            wire.receive(b, time.monotonic() + 1)


def test_half_a_frame_times_out() -> None:
    a, b = socket.socketpair()
    with a, b:
        a.sendall(wire.encode({"ok": True})[:-1])
        started = time.monotonic()
        with pytest.raises(wire.WireTimeout):
            wire.receive(b, started + 0.05)
        assert time.monotonic() - started < 1


def test_descriptors_reach_only_who_asks_for_them() -> None:
    a, b = socket.socketpair()
    read, write = os.pipe()
    with a, b:
        wire.send(a, {"n": 1}, [write])
        wire.send(a, {"n": 2}, [write])
        before = len(list(Path("/proc/self/fd").iterdir()))
        assert wire.receive(b, time.monotonic() + 1) == {"n": 1}
        assert len(list(Path("/proc/self/fd").iterdir())) == before
        message, fds = wire.receive_with_fds(b)
        assert message == {"n": 2}
        assert len(fds) == 1
    for fd in (read, write, *fds):
        os.close(fd)


def test_whoever_has_read_all_may_be_gone_before_the_sender_returns() -> None:
    """A program that a zygote starts can be over by then; it must not be started once more."""
    ours, theirs = socket.socketpair()

    class Slow:
        """A socket whose other side reads and closes as soon as anything was sent."""

        def sendmsg(self, *message: object) -> int:
            sent = ours.sendmsg(*message)  # type: ignore[arg-type]
            _, fds = wire.receive_with_fds(theirs)
            theirs.close()
            for fd in fds:
                os.close(fd)
            return sent

        def sendall(self, data: bytes) -> None:
            ours.sendall(data)

    with ours:
        wire.send(Slow(), {"run": True}, [ours.fileno()])  # type: ignore[arg-type]
