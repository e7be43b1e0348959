"""Failures of the platform, as opposed to the candidate's."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hotloop.core.verdict import Ruling

T = TypeVar("T")

_CALL = re.compile(r'^  File "([^"\n]+)", line (\d+)', re.MULTILINE)


class JudgeFault(Exception):
    """A failure that the candidate cannot have caused; it becomes `judge_error`."""


class Stumble(Exception):
    """A program of the platform failed on the candidate's bytes; the text is its traceback.

    The cause of the Ruling: the failure is the candidate's, but the log and the evidence show it,
    since a right answer may have triggered an error of the program. The cause of a JudgeFault where
    the program was given nothing of the candidate's.
    """

    @property
    def error(self) -> str:
        """The exception's type and message: the last line of the traceback."""
        return str(self).rstrip().rpartition("\n")[2]

    @property
    def places(self) -> list[str]:
        """`path:line` of every call in the traceback, its origin last. Paths of the sandbox."""
        return [f"{path}:{line}" for path, line in _CALL.findall(str(self))]


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


def generated(
    make: Callable[[], Iterable[T]],
    kind: type | None = None,
    what: str = "making what is asked",
) -> Iterator[T]:
    """Yield questions, cases or assignments; an exception while making one becomes JudgeFault.

    Exceptions in the loop body that uses them are not converted. Raises JudgeFault if there is
    none, since a check that asks nothing would pass every candidate, and for an item that is no
    `kind`.

    what: names the action in the log.
    """
    with ours(what):
        iterator = iter(make())
    anything = False
    while True:
        with ours(what):
            try:
                thing = next(iterator)
            except StopIteration:
                break
        if kind is not None and not isinstance(thing, kind):
            got = " ".join(repr(thing).split())
            raise JudgeFault(f"{what}: expected each to be a {kind.__name__}, got {got:.80}")
        anything = True
        yield thing
    if not anything:
        raise JudgeFault(f"{what}: there is nothing to ask, so every answer would pass: yield one")
