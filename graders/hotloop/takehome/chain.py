"""JSON lines that hang together: each names the digest of the line before it.

It shows what was taken out, put in or altered by somebody who did not write all later lines anew.
It proves nothing against somebody who did: there is no key in it, since whoever writes such a file
on their own machine would hold that key too.

Lines are only ever appended. A line that was torn by a crash stays where it is; the next line after
it is of kind `resumed`, and names the digest of what is left of the torn one. A page of the latest
lines is read from behind, so that one of a long file costs no more than one of a short file.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from hotloop import whole_file
from hotloop.practice.moment import written

RESUMED = "resumed"
_BLOCK = 64 << 10


@dataclass(frozen=True)
class Break:
    """Where a chain does not hold. line: from 1."""

    line: int
    what: str


@dataclass
class Chain:
    """What was read: the lines that are JSON objects, and where they do not fit together.

    torn: lines that a crash has cut, and after which writing went on. last: the digest that the
    next line names. unfinished: the file ends within a line.
    """

    documents: list[tuple[int, dict[str, Any]]] = field(
        default_factory=list[tuple[int, dict[str, Any]]]
    )
    breaks: list[Break] = field(default_factory=list[Break])
    torn: list[int] = field(default_factory=list[int])
    last: str = ""
    unfinished: bool = False


def beginning(about: str) -> str:
    """The digest that the first line names."""
    return hashlib.sha256(f"hotloop chain of {about}".encode()).hexdigest()


def read(data: bytes, about: str) -> Chain:
    """The chain in `data`; never an error, whatever it holds."""
    chain = Chain(last=beginning(about))
    lines = data.split(b"\n")
    chain.unfinished = lines[-1] != b""
    suspect: int | None = None  # the number of a line that is torn, if the next one says so
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
    """What a line says; None where it is no JSON object."""
    try:
        document: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], document) if isinstance(document, dict) else None


def append(path: Path, about: str, document: Mapping[str, Any], now: datetime) -> None:
    """Add a line, safely beside other processes and after a crash. OSError when it cannot be."""
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
    """`last` and `unfinished` of the chain in a file, of which its last line alone is read: a log
    may be long, and strangers may make it so.
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
"""Bytes that are read for one page."""


@dataclass(frozen=True)
class Line:
    """document: None for what cannot be read. fits: it names the digest of the line before it."""

    document: dict[str, Any] | None
    fits: bool


@dataclass(frozen=True)
class ChainPage:
    """lines: the latest first. earlier: the place before which there are more, or None."""

    lines: tuple[Line, ...] = ()
    earlier: int | None = None


def read_page(path: Path, about: str, count: int, before: int | None = None) -> ChainPage:
    """At most `count` lines that end at or before the byte `before`, or at the file's end.

    A line that is just being written is not there yet. One that is longer than a page may be cannot
    be read.
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
        # The first one begins before what was read.
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
    """The last lines, and what the first of them has to name. beginning: what the first line of all
    names; empty when it was not read.
    """
    if len(whole) > count:
        return whole[-count:], _digest(whole[-count - 1])
    if beginning or len(whole) == 1:
        return whole, beginning
    return whole[1:], _digest(whole[0])


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()
