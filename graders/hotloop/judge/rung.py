"""Rungs are the checks of a task: functions that take the judging session and return a sentence.

A rung that returns has passed. It raises `Ruling` for any other verdict, and `Partly` to earn a
share of its points; `blame` decides the verdict for any other exception. A rung may have these
attributes, which the judge reads without calling it:

- `after`: names of the rungs of the task that must pass first.
- `timed`: the rung times a worker on a CPU, so that worker is started by exec instead of fork. The
  rung calls `session.alone()` before it measures.
- `instrumented`: other code of the learner runs in the process that is measured.
- `scored_by`: what module.yaml has to say about it: "levels" for a rung that reads
  `session.levels`, "limits" for one that reads `session.limits`.

The standard rungs are frozen dataclasses in `hotloop/judge/rungs/`, so that tests can read their
cases.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from hotloop.core.record import JUDGING_SECONDS, NOT_ATTEMPTED, NOT_REACHED, RungRecord
from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.authored import Check
from hotloop.judge.blame import is_ours, our_failure, unreadable_answer
from hotloop.judge.fault import Stumble
from hotloop.judge.overrun import Overrun, ending_after
from hotloop.judge.session import Session


class Rung(Protocol):
    """Measure the candidate; return the sentence if it passes, raise `Ruling` otherwise.

    Wrap code that no answer can influence (making questions and their expected answers) in
    `fault.generated` and `fault.ours`.
    """

    def __call__(self, session: Session, /) -> str:
        """Return the sentence to record if the rung passes."""
        ...


F = TypeVar("F", bound=Callable[..., Any])


def rung(
    *,
    after: tuple[str, ...] = (),
    timed: bool = False,
    instrumented: bool = False,
    scored_by: str = "",
) -> Callable[[F], F]:
    """Decorator that sets the attributes `after`, `timed`, `instrumented` and `scored_by`."""
    attributes = {
        "after": after,
        "timed": timed,
        "instrumented": instrumented,
        "scored_by": scored_by,
    }

    def mark(function: F) -> F:
        for name, value in attributes.items():
            setattr(function, name, value)
        return function

    return mark


def following(before: str, rung: Rung) -> Rung:
    """Return the same rung, to run after the rungs named in `before` (separated by spaces)."""
    later = partial(rung)
    later.__dict__["after"] = tuple(before.split())
    return later


def attribute(rung: Rung, name: str, default: Any) -> Any:
    """Return one of the attributes above, or `default` if it is not set.

    For a `partial`, look first at its keyword arguments and own attributes, then at the wrapped
    function; for a check that runs another one, at that one if its own is empty.
    """
    if isinstance(rung, partial):
        given = {**rung.keywords, **vars(rung)}
        return given[name] if name in given else attribute(rung.func, name, default)
    own = getattr(rung, name, default)
    inner = rung.runs if isinstance(rung, Check) else None
    return own if own or inner is None else attribute(inner, name, default)


def after(rung: Rung) -> tuple[str, ...]:
    """Return the names of the rungs that must pass before this one."""
    return tuple(attribute(rung, "after", ()))


def is_timed(rung: Rung) -> bool:
    """Return True if this rung times a worker on a CPU."""
    return bool(attribute(rung, "timed", False))


def scored_by(rung: Rung) -> str:
    """Return `scored_by` of this rung, or an empty string."""
    return str(attribute(rung, "scored_by", ""))


def judge_rungs(
    rungs: Mapping[str, Rung],
    session: Session,
    only: frozenset[str] | None = None,
    lacking: Mapping[str, str] | None = None,
) -> tuple[RungRecord, ...]:
    """Judge the rungs in order; skip a rung if one that it comes after did not pass.

    only: judge only these rungs; None means all.
    lacking: by rung, what this machine lacks; those rungs are recorded as not measured.
    """
    done: dict[str, RungRecord] = {}
    for name, rung in rungs.items():
        if only is not None and name not in only:
            continue
        session.progress(name)
        if lacking is not None and name in lacking:
            done[name] = RungRecord(name, Verdict.NOT_MEASURED, lacking[name])
        else:
            done[name] = _not_reached(name, rung, done) or judge_rung(name, rung, session)
    return tuple(done.values())


def judge_rung(name: str, rung: Rung, session: Session) -> RungRecord:
    """Judge one rung and return its record, whatever the rung raises."""
    clock = time.monotonic()
    own = session.for_rung(name)
    record = _ruled(name, rung, own)
    taken = {JUDGING_SECONDS: round(time.monotonic() - clock, 3)}
    evidence = {**own.figures, **record.evidence, **taken}
    # Set whatever the verdict: if instrumented rungs are not counted, neither are their failures.
    instrumented = bool(attribute(rung, "instrumented", False))
    return replace(record, evidence=evidence, instrumented=instrumented)


def _not_reached(name: str, rung: Rung, done: Mapping[str, RungRecord]) -> RungRecord | None:
    for before in after(rung):
        earlier = done.get(before)
        if earlier is None or earlier.verdict is Verdict.PASSED:
            continue
        return RungRecord(name, earlier.verdict, _skipped(before, earlier))
    return None


def _skipped(before: str, earlier: RungRecord) -> str:
    """Return why a rung is skipped; a failure of the earlier rung is not repeated.

    If the earlier rung was itself skipped or not attempted, its sentence is reused.
    """
    if earlier.sentence.startswith((NOT_REACHED, NOT_ATTEMPTED)):
        return earlier.sentence
    return f"{NOT_REACHED} `{before}` passes."


def _ruled(name: str, rung: Rung, session: Session) -> RungRecord:
    try:
        with ending_after(lambda: session.budget.deadline):
            return RungRecord(name, Verdict.PASSED, rung(session), 1.0)
    except Partly as part:
        return RungRecord(name, part.verdict, part.sentence, part.earned)
    except Ruling as ruling:
        if ruling.about is not None:
            session.note(reproducible=True)
        if isinstance(ruling.__cause__, Stumble):
            session.log_exception(ruling)
            session.note(traceback=str(ruling.__cause__))
        return RungRecord(name, ruling.verdict, ruling.sentence)
    except Overrun as overrun:
        session.log_exception(overrun)
        sentence = "Checking what it returned took too long: return only what the task asks for."
        return RungRecord(name, Verdict.TIMEOUT, sentence)
    except Exception as error:  # noqa: BLE001 - `blame` says whose failure it is
        session.log_exception(error)
        if isinstance(error.__cause__, Overrun) and session.budget.used_by_candidate:
            # Ours had no time left, since the candidate has used it: it does not stay open for it.
            late = session.budget.time_is_up()
            return RungRecord(name, late.verdict, late.sentence)
        if is_ours(error) or not session.met_candidate:
            return our_failure(name, error)
        return unreadable_answer(name, error, session.last_answer())
