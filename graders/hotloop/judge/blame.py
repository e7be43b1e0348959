"""Whose failure it is when a rung ends in an exception that is no `Ruling`.

A check reads what a candidate has sent. If it raises on the way (`min()` of an empty list, a key
that is missing, a number that is no number), the answer was not what was asked for: it is a wrong
answer. Were it `judge_error`, anybody could leave his own zero open by returning what the check
stumbles over. So, once the candidate's code is at hand, every exception is the candidate's, except

- `JudgeFault`, which code raises that no answer reaches (`fault.ours`, `fault.made`);
- what the operating system or a missing library refuses to the judge (an `OSError` with its error
  number; a parser's has none), and what the judge's own connections, sandbox and GPU driver raise.

A bug of ours that is met by a *right* answer would be blamed on the candidate too. It is found
before anybody hands in: tests/test_contract.py has every task's reference judged, which must pass.
The traceback is in the rung's evidence and in the log, and never on the learner's page.
"""

import traceback
from types import FrameType

from hotloop.core.record import RungRecord
from hotloop.core.verdict import Verdict
from hotloop.core.wire import WireError
from hotloop.judge.fault import JudgeFault
from hotloop.judge.link import readable

MACHINERY = ("hotloop.sandbox", "hotloop.judge.gpu")
"""Packages that handle processes and devices. They read no answers."""

OURS = (JudgeFault, ImportError, WireError)

MOST_TRACE = 4000
"""Characters of a traceback in a record."""


def is_ours(error: Exception) -> bool:
    """True when no answer can have caused it."""
    if isinstance(error, OSError):
        return error.errno is not None
    return isinstance(error, OURS) or _raised_in(error).startswith(MACHINERY)


def our_failure(name: str, error: Exception) -> RungRecord:
    """The record of a rung that our own failure ended. No points are lost."""
    return RungRecord(
        name,
        Verdict.JUDGE_ERROR,
        "The judge itself failed here; no points are lost, and the instructor has the log.",
        evidence=_evidence(error),
    )


def unreadable_answer(name: str, error: Exception, answer: str) -> RungRecord:
    """The record of a rung whose check could not read what came from the candidate.

    answer: the last one, as it may stand in a sentence; empty where it is unknown.
    """
    where = "".join(f"{note}: " for note in reversed(getattr(error, "__notes__", [])))
    got = f"got {answer}, which" if answer else "what it returned or wrote"
    sentence = (
        f"{where}{got} cannot be checked: it is not in the form that the task asks for. Return "
        "exactly the types, keys and shapes that the task describes."
    )
    sentence = sentence[:1].upper() + sentence[1:]
    return RungRecord(name, Verdict.WRONG_ANSWER, sentence, evidence=_evidence(error))


def _evidence(error: Exception) -> dict[str, str]:
    trace = "".join(traceback.format_exception(error))
    return {
        "error": readable(f"{type(error).__name__}: {error}", 500),
        "traceback": readable(trace[-MOST_TRACE:], MOST_TRACE),
    }


def _raised_in(error: Exception) -> str:
    """The module of ours in which it was raised, or which called what raised it."""
    frames: list[FrameType] = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    names = (str(frame.f_globals.get("__name__", "")) for frame in reversed(frames))
    return next((name for name in names if name.startswith("hotloop.")), "")
