"""Numbers that differ between take-home candidates.

They are fixed while a task is judged, and expected results depend on them. A reference reads them
where it needs them, so that the functions in between do not have to pass them on.
"""

from collections.abc import Callable, Container, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from hotloop.core.variant import Value
from hotloop.judge.judge_fault import JudgeFault

T = TypeVar("T", bound=Value)
P = ParamSpec("P")
R = TypeVar("R")

_sampled: Mapping[str, Value] = {}


@dataclass(frozen=True)
class Between:
    """All numbers from first to last, both included."""

    first: float
    last: float

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int | float) and self.first <= number <= self.last


def constant(name: str, plain: T, drawn: Container[object]) -> T:
    """Return the value of `name` in this candidate's variant; `plain` in a course.

    drawn: what a variant may have instead, as in variants.yaml: with a factor of 0, or a number of
    another size, the reference would accept answers that nobody had to compute. Raises JudgeFault
    for another value, and if the variant lacks it: its candidate was given another task.
    """
    if not _sampled:
        return plain
    if name not in _sampled:
        raise JudgeFault(f"the candidate's variant has no {name}")
    value = _sampled[name]
    if value != plain and value not in drawn:
        raise JudgeFault(f"the candidate's variant has {name} = {value!r}, which is never drawn")
    return type(plain)(value)


@contextmanager
def constants(sampled: Mapping[str, Value]) -> Generator[None]:
    """Use these values inside the `with` block."""
    global _sampled
    before, _sampled = _sampled, dict(sampled)
    try:
        yield
    finally:
        _sampled = before


def published(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap `function` to run without a variant's numbers, as the course publishes it."""

    @wraps(function)
    def plainly(*args: P.args, **kwargs: P.kwargs) -> R:
        with constants({}):
            return function(*args, **kwargs)

    return plainly
