"""Numbers that differ between take-home candidates.

They are fixed while a task is judged, and expected results depend on them. A reference reads them
where it needs them, so that the functions in between do not have to pass them on.
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

_sampled: Mapping[str, Value] = {}


def constant(name: str, plain: T) -> T:
    """Return the value of `name` in this candidate's variant; `plain` in a course.

    Raises JudgeFault if a variant lacks it: its candidate was given another task.
    """
    if not _sampled:
        return plain
    if name not in _sampled:
        raise JudgeFault(f"the candidate's variant has no {name}")
    return type(plain)(_sampled[name])


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
