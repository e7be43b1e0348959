"""The latest lines of a chain, or those before a place in it: read from behind, so that a page of a
long file costs no more than one of a short file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop.takehome import chain

LONGEST = 1 << 20
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


def read(path: Path, about: str, count: int, before: int | None = None) -> ChainPage:
    """At most `count` lines that end at or before the byte `before`, or at the file's end.

    A line that is just being written is not there yet. One that is longer than a page may be cannot
    be read.
    """
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            end = size if before is None else min(before, size)
            start = max(0, end - LONGEST)
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
    shown, named = _shown(whole, count, chain.beginning(about) if not start else "")
    lines: list[Line] = []
    for line in shown:
        document = chain.parsed(line)
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
