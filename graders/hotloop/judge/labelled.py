"""A ruling's sentence says which of several things it is about."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from hotloop.judge.verdict import Ruling


@contextmanager
def labelled(label: str) -> Generator[None]:
    """Put `label` before a ruling's sentence; not before one that nothing was tried at all."""
    try:
        yield
    except Ruling as ruling:
        if ruling.sentence.startswith("Not attempted"):
            raise
        raise Ruling(ruling.verdict, f"{label}: {ruling.sentence}") from None
