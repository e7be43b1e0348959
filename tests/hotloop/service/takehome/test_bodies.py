"""How slow a candidate's upload may be, and how late after the deadline, with a real server."""

import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from hotloop.learn.pack import limits
from hotloop.service.settings import ServiceSettings

from .office import Browser, Office, listening

FAST = {"upload_rate": 20_000.0, "stall_s": 0.5, "late_s": 1.0}
"""A minimum rate and a grace period that are short enough for tests."""
SLOW = b"The upload was too slow, or stalled"
LATE = b"but was not complete 1 seconds after it"


def send(
    port: int, page: str, content: bytes, piece: int, pause: float, *, length: int = 0
) -> tuple[bytes, float]:
    """Upload in pieces, with a pause after each; return the answer, and the seconds until it came.

    length: the Content-Length to declare, if it differs from the body's.
    """
    boundary = b"x" * 20
    disposition = b'Content-Disposition: form-data; name="submission"; filename="a.zip"'
    body = b"--" + boundary + b"\r\n" + disposition + b"\r\n\r\n" + content
    body += b"\r\n--" + boundary + b"--\r\n"
    head = (
        f"POST {page}/submission HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: multipart/form-data; boundary={boundary.decode()}\r\n"
        f"Content-Length: {length or len(body)}\r\nConnection: close\r\n\r\n"
    )
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(head.encode())
        with suppress(OSError):
            for place in range(0, len(body), piece):
                connection.sendall(body[place : place + piece])
                if select.select([connection], [], [], pause)[0]:
                    break
        said = b""
        with suppress(OSError):
            while part := connection.recv(65536):
                said += part
    return said, time.monotonic() - began


def large(work: Callable[..., bytes], office: Office) -> bytes:
    """A valid submission of more than 90,000 bytes: noise does not compress."""
    noise = f"# {Random(0).randbytes(80_000).hex()}\n"
    content = work(office, extra={"softmax_triton.py": noise})
    assert len(content) > 90_000
    return content


def test_the_figures_that_the_pages_state() -> None:
    settings = ServiceSettings()
    assert (settings.upload_rate, settings.stall_s, settings.late_s) == (16 << 10, 15.0, 60.0)
    # 2.3 Mbit/s are enough for the largest file in the time that is left after the deadline.
    assert 8 * limits.MAX_UPLOAD / settings.late_s < 2.3e6


@pytest.mark.slow
def test_a_line_that_is_slow_but_steady_is_waited_for(
    opened: Callable[..., Office], work: Callable[..., bytes]
) -> None:
    office = opened(**FAST)
    with listening(office.portal) as port:
        said, seconds = send(port, office.page(), large(work, office), 5_000, 0.1)
    assert b" 303 " in said.partition(b"\r\n")[0]
    assert seconds > 3 * office.portal.settings.stall_s


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "pause", "length"),
    [(1, 0.05, 0), (500, 0.05, 0), (60_000, 9.0, 0), (1 << 20, 9.0, 16 << 20)],
    ids=["one byte at a time", "half of the floor", "stalled", "more declared than sent"],
)
def test_a_line_below_the_floor_is_ended(
    opened: Callable[..., Office],
    work: Callable[..., bytes],
    piece: int,
    pause: float,
    length: int,
) -> None:
    office = opened(**(FAST | {"upload_rate": 100_000.0}))
    with listening(office.portal) as port:
        content = large(work, office)
        said, seconds = send(port, office.page(), content, piece, pause, length=length)
        assert b" 408 " in said.partition(b"\r\n")[0]
        assert b"connection: close" in said.lower()
        assert SLOW in said
        assert seconds < 3
        assert office.team.pack(office.packs[0]).submitted == []
        # The link is free again at once, and nothing is lost.
        assert office.portal.site.uploading == set()
        assert Browser(office.portal).upload(office.page(), content).status_code == 303


@pytest.mark.slow
def test_an_upload_that_began_in_time_may_end_soon_after_the_deadline(
    opened: Callable[..., Office], work: Callable[..., bytes]
) -> None:
    office = opened(**(FAST | {"late_s": 30.0}))
    content = large(work, office)
    deadline = closing_in(office)
    with listening(office.portal) as port:
        said, _ = send(port, office.page(), content, 3_000, 0.1)
    assert b" 303 " in said.partition(b"\r\n")[0]
    assert datetime.now(UTC) > deadline
    (handed_in,) = office.team.pack(office.packs[0]).submitted
    assert handed_in.received < deadline


@pytest.mark.slow
def test_work_of_after_the_deadline_cannot_ride_in_an_upload_of_before(
    opened: Callable[..., Office], work: Callable[..., bytes]
) -> None:
    """Fast enough for the minimum rate, and nearly all of it in time: its end comes too late."""
    office = opened(**(FAST | {"upload_rate": 1_000.0}))
    content = large(work, office)
    deadline = closing_in(office)
    with listening(office.portal) as port:
        said, _ = send(port, office.page(), content, 2_000, 0.1)
        ended = datetime.now(UTC)
        assert b" 410 " in said.partition(b"\r\n")[0]
        assert b"connection: close" in said.lower()
        assert LATE in said
    assert ended < deadline + timedelta(seconds=office.portal.settings.late_s + 1)
    assert office.team.pack(office.packs[0]).submitted == []
    assert office.portal.site.uploading == set()


@pytest.mark.slow
def test_a_late_upload_takes_nothing_from_an_earlier_one(
    opened: Callable[..., Office], work: Callable[..., bytes]
) -> None:
    office = opened(**(FAST | {"upload_rate": 1_000.0}))
    assert Browser(office.portal).upload(office.page(), work(office)).status_code == 303
    before = office.team.pack(office.packs[0]).submitted
    content = large(work, office)
    closing_in(office)
    with listening(office.portal) as port:
        said, _ = send(port, office.page(), content, 2_000, 0.1)
        assert LATE in said
    assert office.team.pack(office.packs[0]).submitted == before


@pytest.mark.slow
def test_one_that_begins_after_the_deadline_reads_that_its_time_is_over(
    opened: Callable[..., Office], work: Callable[..., bytes]
) -> None:
    office = opened(**FAST)
    content = work(office)
    deadline = closing_in(office, 0.2)
    time.sleep(max(0.0, (deadline - datetime.now(UTC)).total_seconds()) + 0.1)
    answer = Browser(office.portal).upload(office.page(), content)
    assert answer.status_code == 410
    assert "The time for it ended at" in answer.text


def closing_in(office: Office, seconds: float = 1.5) -> datetime:
    """Set the candidate's deadline to very soon, and return it."""
    deadline = datetime.now(UTC) + timedelta(seconds=seconds)
    office.team.extend(office.packs[0], deadline)
    return deadline
