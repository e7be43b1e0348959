"""Attributes an exception that is no `Ruling` to the candidate or to the judge.

A check reads what a candidate sent. If that raises (`min()` of an empty list, a missing key, a
string instead of a number), the answer does not have the required form, so it is a wrong answer. If
it were `judge_error`, a candidate could avoid a zero by returning something that crashes the check.
So once the candidate's code has been started or read, every exception is the candidate's, except

- `JudgeFault`, raised by code that no answer can influence (`fault.ours`, `fault.generated`);
- what the operating system or a missing library refuses to the judge (an `OSError` with an error
  number; a parser's has none, and a name that is too long is the candidate's), and exceptions of
  the judge's own connections, sandbox and GPU driver.

A bug of a check that a *correct* answer triggers would also be attributed to the candidate.
tests/test_contract.py finds such bugs: it judges every task's reference, which must pass. The
traceback goes to the check's evidence and the log, never to the learner's page.
"""

import errno
import traceback
from types import FrameType
from typing import Any

from hotloop.core.raised_at import first_cause, places
from hotloop.core.record import OUR_FAILURE, CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.core.wire import WireError
from hotloop.judge.judge_fault import JudgeFault, Stumble
from hotloop.judge.worker_connection import readable

MACHINERY = ("hotloop.sandbox", "hotloop.judge.gpu")
"""Packages that handle processes and devices. They never read answers."""

OURS = (JudgeFault, ImportError, WireError)

_OF_A_NAME = frozenset({errno.EILSEQ, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR})
"""Errors that a candidate causes by a name that it chose, or by a folder in place of a file."""

CAUSE = "cause"
RAISED_AT = "raised_at"
"""Keys in the evidence of a check that an exception ended, for the author of its check."""

MOST_PLACES = 50
MOST_TRACE = 4000
"""Maximum characters of a traceback in a record."""


def is_ours(error: Exception) -> bool:
    """Return True if no answer can have caused the exception."""
    if isinstance(error, OSError):
        return error.errno is not None and error.errno not in _OF_A_NAME
    return isinstance(error, OURS) or _raised_in(error).startswith(MACHINERY)


def our_failure(name: str, error: Exception) -> CheckRecord:
    """Return the record of a check that a failure of the judge ended. No points are lost."""
    return CheckRecord(
        name,
        Verdict.JUDGE_ERROR,
        OUR_FAILURE,
        evidence=_evidence(error),
    )


def unreadable_answer(name: str, error: Exception, answer: str) -> CheckRecord:
    """Return the record of a check whose check could not read the candidate's answer.

    answer: the last answer as text for a sentence; empty if unknown.
    """
    where = "".join(f"{note}: " for note in reversed(getattr(error, "__notes__", [])))
    got = f"got {answer}, which" if answer else "what it returned or wrote"
    sentence = (
        f"{where}{got} cannot be checked: it is not in the form that the task asks for. Return "
        "exactly the types, keys and shapes that the task describes."
    )
    sentence = sentence[:1].upper() + sentence[1:]
    return CheckRecord(name, Verdict.WRONG_ANSWER, sentence, evidence=_evidence(error))


def _evidence(error: Exception) -> dict[str, Any]:
    trace = "".join(traceback.format_exception(error))
    cause = first_cause(error)
    raised, at = f"{type(cause).__name__}: {cause}", list[str]()
    if isinstance(cause, Stumble):
        raised, at = cause.error, cause.places
    return {
        "error": readable(f"{type(error).__name__}: {error}", 500),
        "traceback": readable(trace[-MOST_TRACE:], MOST_TRACE),
        CAUSE: readable(raised, 500),
        RAISED_AT: [*places(error), *at][-MOST_PLACES:],
    }


def _raised_in(error: Exception) -> str:
    """Return the innermost `hotloop` module in the traceback, or an empty string."""
    frames: list[FrameType] = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    names = (str(frame.f_globals.get("__name__", "")) for frame in reversed(frames))
    return next((name for name in names if name.startswith("hotloop.")), "")
