"""The module's published wrong answers; reading them takes a second, so a process does it once."""

from __future__ import annotations

from functools import cache

from hotloop import render
from hotloop.render import WrongAnswer


@cache
def wrong_answers(module: str) -> tuple[WrongAnswer, ...]:
    """As `hotloop.render` reads them."""
    return tuple(render.wrong_answers(module))
