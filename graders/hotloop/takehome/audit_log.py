"""The team's audit log: JSON lines, each with the digest of the line before it.

It reveals lines that were removed, inserted or changed by somebody who did not rewrite all later
lines. It proves nothing against somebody who did: there is no key.

Lines are only appended. A line cut off by a crash stays; the next line is of kind `resumed` and has
the digest of what is left of it. Pages of the latest lines are read from the end, so that a long
log costs no more than a short one.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from hotloop.core import whole_file
from hotloop.core.moment import written

RESUMED = "resumed"
_BLOCK = 64 << 10

LONGEST_PAGE = 1 << 20
"""Most bytes to read for one page."""


@dataclass(frozen=True)
class AuditLine:
    """One line. document: None if unreadable. fits: it has the digest of the line before it."""

    document: dict[str, Any] | None
    fits: bool


@dataclass(frozen=True)
class AuditPage:
    """Lines, the latest first. earlier: offset before which there are more, or None."""

    lines: tuple[AuditLine, ...] = ()
    earlier: int | None = None


def append(path: Path, document: Mapping[str, Any], now: datetime) -> None:
    """Append a line, safe with concurrent processes and after a crash. Raises OSError."""
    lock = path.with_name(f".{path.name}.lock")
    with whole_file.alone(lock), path.open("ab+") as stream:
        last, unfinished = _end(stream)
        new = b""
        if unfinished:
            line = _line({"kind": RESUMED, "at": written(now)}, last)
            new = b"\n" + line + b"\n"
            last = _digest(line)
        stream.write(new + _line({**document, "at": written(now)}, last) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def read(data: bytes) -> list[AuditLine]:
    """Return the lines of a log; never raises. An incomplete last line is left out."""
    return _lines(data.split(b"\n")[:-1], _BEGINNING)


def breaks(lines: Iterable[AuditLine]) -> list[str]:
    """Return what is wrong with which line; one cut off by a crash is not."""
    faults: list[str] = []
    unreadable = 0
    for number, line in enumerate(lines, 1):
        document = line.document or {}
        if unreadable and document.get("kind") != RESUMED:
            faults.append(f"line {unreadable} cannot be read")
        if line.document is not None and not line.fits:
            faults.append(f"line {number} does not follow from the line before it")
        unreadable = number if line.document is None else 0
    return [*faults, f"line {unreadable} cannot be read"] if unreadable else faults


def read_page(path: Path, count: int, before: int | None = None) -> AuditPage:
    """Return at most `count` lines that end at or before offset `before`, or the end of the file.

    An incomplete last line is left out. A line longer than LONGEST_PAGE is unreadable.
    """
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            end = size if before is None else min(before, size)
            start = max(0, end - LONGEST_PAGE)
            stream.seek(start)
            data = stream.read(end - start)
    except FileNotFoundError:
        return AuditPage()
    data = data[: data.rfind(b"\n") + 1]
    whole = data.split(b"\n")[:-1]
    if start:
        # The first line begins before the bytes that were read.
        whole = whole[1:]
        if not whole:
            return AuditPage((AuditLine(None, fits=False),), earlier=start)
    shown, previous = _shown(whole, count, "" if start else _BEGINNING)
    left = start + len(data) - sum(len(line) + 1 for line in shown)
    return AuditPage(tuple(reversed(_lines(shown, previous))), left or None)


def _end(stream: BinaryIO) -> tuple[str, bool]:
    """Return the digest of the last line, and whether it is incomplete, reading only that line."""
    place = stream.seek(0, os.SEEK_END)
    tail = b""
    while place and b"\n" not in tail[:-1]:
        step = min(_BLOCK, place)
        place = stream.seek(place - step)
        tail = stream.read(step) + tail
    if not tail:
        return _BEGINNING, False
    return _digest(tail.removesuffix(b"\n").rpartition(b"\n")[2]), not tail.endswith(b"\n")


def _line(document: Mapping[str, Any], previous: str) -> bytes:
    return json.dumps({**document, "previous": previous}).encode()


def _lines(whole: Sequence[bytes], previous: str) -> list[AuditLine]:
    """Parse lines. previous: the digest that the first of them must have."""
    lines: list[AuditLine] = []
    for line in whole:
        document = _parsed(line)
        lines.append(
            AuditLine(document, document is not None and document.get("previous") == previous)
        )
        previous = _digest(line)
    return lines


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        document: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], document) if isinstance(document, dict) else None


def _shown(whole: Sequence[bytes], count: int, beginning: str) -> tuple[Sequence[bytes], str]:
    """Return the last `count` lines, and the digest that the first of them must have.

    beginning: the digest for the log's first line; "" if that line was not read.
    """
    if len(whole) > count:
        return whole[-count:], _digest(whole[-count - 1])
    if beginning or len(whole) == 1:
        return whole, beginning
    return whole[1:], _digest(whole[0])


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


_BEGINNING = _digest(b"hotloop audit log")
"""The digest that the first line must have."""
