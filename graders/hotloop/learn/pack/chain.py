"""A log of JSON lines in which each line contains the digest of the previous one.

It reveals lines that were removed, inserted or changed by somebody who did not rewrite all later
lines. It proves nothing against somebody who did: there is no key, since the author of the log, on
their own machine, would have that key too.

Lines are only appended. A line cut off by a crash stays; the next line is of kind `resumed` and has
the digest of what is left of it. Pages of the latest lines are read from the end, so that a long
file costs no more than a short one.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from hotloop.core import whole_file
from hotloop.core.moment import written

RESUMED = "resumed"
_BLOCK = 64 << 10


@dataclass(frozen=True)
class Break:
    """A place where the chain is broken. line: from 1."""

    line: int
    what: str


@dataclass
class Chain:
    """A parsed log: the lines that are JSON objects, and the breaks between them.

    torn: numbers of lines cut off by a crash, after which writing resumed. last: the digest that
    the next line must have. unfinished: whether the file ends within a line.
    """

    documents: list[tuple[int, dict[str, Any]]] = field(
        default_factory=list[tuple[int, dict[str, Any]]]
    )
    breaks: list[Break] = field(default_factory=list[Break])
    torn: list[int] = field(default_factory=list[int])
    last: str = ""
    unfinished: bool = False


def beginning(about: str) -> str:
    """Return the digest that the first line must have."""
    return hashlib.sha256(f"hotloop chain of {about}".encode()).hexdigest()


def read(data: bytes, about: str) -> Chain:
    """Parse a log; never raises, whatever the data."""
    chain = Chain(last=beginning(about))
    lines = data.split(b"\n")
    chain.unfinished = lines[-1] != b""
    suspect: int | None = None  # an unreadable line, torn if the next one is `resumed`
    for number, line in enumerate(lines if chain.unfinished else lines[:-1], 1):
        document = parsed(line)
        if document is None:
            _note_damage(chain, suspect)
            suspect = number
        else:
            if suspect is not None and document.get("kind") == RESUMED:
                chain.torn.append(suspect)
            else:
                _note_damage(chain, suspect)
            suspect = None
            _note_order(chain, number, document)
            chain.documents.append((number, document))
        chain.last = hashlib.sha256(line).hexdigest()
    if suspect is not None and not chain.unfinished:
        _note_damage(chain, suspect)
    return chain


def parsed(line: bytes) -> dict[str, Any] | None:
    """Parse a line; return None if it is not a JSON object."""
    try:
        document: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], document) if isinstance(document, dict) else None


def append(path: Path, about: str, document: Mapping[str, Any], now: datetime) -> None:
    """Append a line, safe with concurrent processes and after a crash. Raises OSError."""
    lock = path.with_name(f".{path.name}.lock")
    with whole_file.alone(lock), path.open("ab+") as stream:
        last, unfinished = _end(stream, about)
        new = b""
        if unfinished:
            line = _line({"kind": RESUMED, "at": written(now)}, last)
            new = b"\n" + line + b"\n"
            last = hashlib.sha256(line).hexdigest()
        stream.write(new + _line({**document, "at": written(now)}, last) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def _end(stream: BinaryIO, about: str) -> tuple[str, bool]:
    """Return `last` and `unfinished` of the log in a file, reading only its last line.

    A log may be long, and untrusted people can make it so.
    """
    place = stream.seek(0, os.SEEK_END)
    tail = b""
    while place and b"\n" not in tail[:-1]:
        step = min(_BLOCK, place)
        place = stream.seek(place - step)
        tail = stream.read(step) + tail
    if not tail:
        return beginning(about), False
    line = tail.removesuffix(b"\n").rpartition(b"\n")[2]
    return hashlib.sha256(line).hexdigest(), not tail.endswith(b"\n")


def _line(document: Mapping[str, Any], previous: str) -> bytes:
    return json.dumps({**document, "previous": previous}).encode()


def _note_damage(chain: Chain, number: int | None) -> None:
    if number is not None:
        chain.breaks.append(Break(number, "cannot be read"))


def _note_order(chain: Chain, number: int, document: Mapping[str, Any]) -> None:
    if document.get("previous") != chain.last:
        chain.breaks.append(Break(number, "does not follow from the line before it"))


LONGEST_PAGE = 1 << 20
"""Most bytes to read for one page."""


@dataclass(frozen=True)
class Line:
    """One line. document: None if unreadable. fits: it has the digest of the previous line."""

    document: dict[str, Any] | None
    fits: bool


@dataclass(frozen=True)
class ChainPage:
    """Lines, the latest first. earlier: offset before which there are more, or None."""

    lines: tuple[Line, ...] = ()
    earlier: int | None = None


def read_page(path: Path, about: str, count: int, before: int | None = None) -> ChainPage:
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
        return ChainPage()
    data = data[: data.rfind(b"\n") + 1]
    whole = data.split(b"\n")[:-1]
    if start:
        # The first line begins before the bytes that were read.
        whole = whole[1:]
        if not whole:
            return ChainPage((Line(None, fits=False),), earlier=start)
    shown, named = _shown(whole, count, beginning(about) if not start else "")
    lines: list[Line] = []
    for line in shown:
        document = parsed(line)
        lines.append(Line(document, document is not None and document.get("previous") == named))
        named = _digest(line)
    left = start + len(data) - sum(len(line) + 1 for line in shown)
    return ChainPage(tuple(reversed(lines)), left or None)


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
