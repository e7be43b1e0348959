"""Failures of the platform, as opposed to the candidate's."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hotloop.core.verdict import Ruling

T = TypeVar("T")


class JudgeFault(Exception):
    """A failure that the candidate cannot have caused; it becomes `judge_error`."""


@contextmanager
def ours(what: str) -> Generator[None]:
    """Turn every exception except Ruling into JudgeFault, for code that no answer can influence.

    what: names the action in the log.
    """
    try:
        yield
    except (Ruling, JudgeFault):
        raise
    except Exception as error:
        raise JudgeFault(f"{what} failed: {type(error).__name__}: {error}") from error


def generated(make: Callable[[], Iterable[T]]) -> Iterator[T]:
    """Yield questions, cases or assignments; an exception while making one becomes JudgeFault.

    Exceptions in the loop body that uses them are not converted. Raises JudgeFault if there is
    none, since a check that asks nothing would pass every candidate.
    """
    with ours("making what is asked"):
        iterator = iter(make())
    asked = False
    while True:
        with ours("making what is asked"):
            try:
                thing = next(iterator)
            except StopIteration:
                break
        asked = True
        yield thing
    if not asked:
        raise JudgeFault("the check has nothing to ask")
