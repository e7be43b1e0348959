"""What speaks against a submission, and what its problem says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sign:
    """One accusation. words: end of a sentence that begins with the line."""

    kind: str
    line: int
    words: str


@dataclass(frozen=True)
class Rules:
    """What the problem says. forbidden: names of functions; single: computed in float32."""

    forbidden: tuple[str, ...] = ()
    single: bool = False
