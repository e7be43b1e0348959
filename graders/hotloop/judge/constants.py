"""The numbers that differ from one take-home candidate to another.

They are fixed for as long as a task is judged, and what is true depends on them: a reference reads
them where it needs them, so that no function between it and the judge passes them on.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from hotloop.judge.fault import JudgeFault
from hotloop.variants.variant import Value

T = TypeVar("T", bound=Value)
P = ParamSpec("P")
R = TypeVar("R")

_drawn: Mapping[str, Value] = {}


def constant(name: str, plain: T) -> T:
    """What this candidate's variant has for `name`; `plain` in a course.

    JudgeFault where a variant lacks it: whoever is judged by it was asked something else.
    """
    if not _drawn:
        return plain
    if name not in _drawn:
        raise JudgeFault(f"the candidate's variant has no {name}")
    return type(plain)(_drawn[name])


@contextmanager
def constants(drawn: Mapping[str, Value]) -> Generator[None]:
    """Judge with these."""
    global _drawn
    before, _drawn = _drawn, dict(drawn)
    try:
        yield
    finally:
        _drawn = before


def published(function: Callable[P, R]) -> Callable[P, R]:
    """`function` without a variant's numbers: what is right for code that the course publishes."""

    @wraps(function)
    def plainly(*args: P.args, **kwargs: P.kwargs) -> R:
        with constants({}):
            return function(*args, **kwargs)

    return plainly
