"""The platform's own failure, as opposed to the candidate's."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hotloop.core.verdict import Ruling

T = TypeVar("T")


class JudgeFault(Exception):
    """Something that the learner cannot have caused went wrong; it becomes `judge_error`."""


@contextmanager
def ours(what: str) -> Generator[None]:
    """For code that no answer reaches: whatever it raises is a JudgeFault, but for a Ruling.

    what: is done inside, for the log.
    """
    try:
        yield
    except (Ruling, JudgeFault):
        raise
    except Exception as error:
        raise JudgeFault(f"{what} failed: {type(error).__name__}: {error}") from error


def made(things: Iterable[T]) -> Iterator[T]:
    """Questions, cases or assignments, one at a time: a failure to make one is a JudgeFault.

    What happens to each between two of them is not ours.
    """
    iterator = iter(things)
    while True:
        with ours("making what is asked"):
            try:
                thing = next(iterator)
            except StopIteration:
                return
        yield thing
