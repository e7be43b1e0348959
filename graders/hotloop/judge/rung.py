"""A rung of the evidence ladder is a function from the judging session to one sentence.

It passes when it returns. `Ruling` ends it otherwise, and `Partly` with a share of its points;
`blame` says what any other exception becomes. What must be known before there is a session are
attributes of the function, each of which may be missing:

- `after`: names of rungs of the task that must have passed first.
- `timed`: it times a worker on a CPU, which is then started and not forked. It calls
  `session.alone()` before it measures.
- `instrumented`: other code of the learner's is in the process that is measured.

Standard rungs are frozen dataclasses in `hotloop/judge/rungs/`, so that tests can read their cases.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from hotloop.core.record import JUDGING_SECONDS, NOT_ATTEMPTED, NOT_REACHED, RungRecord
from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.blame import is_ours, our_failure, unreadable_answer
from hotloop.judge.overrun import Overrun, ending_after
from hotloop.judge.session import Session


class Rung(Protocol):
    """Measure and rule; the sentence of one that passed.

    Use `fault.made` and `fault.ours` round what no answer reaches: questions and their truth.
    """

    def __call__(self, session: Session, /) -> str:
        """The sentence."""
        ...


F = TypeVar("F", bound=Callable[..., Any])


def rung(
    *, after: tuple[str, ...] = (), timed: bool = False, instrumented: bool = False
) -> Callable[[F], F]:
    """Say of a function what must be known before it is called."""

    def mark(function: F) -> F:
        for name, value in (("after", after), ("timed", timed), ("instrumented", instrumented)):
            setattr(function, name, value)
        return function

    return mark


def following(before: str, rung: Rung) -> Rung:
    """The same rung, after those that are named in `before`, with spaces between them."""
    later = partial(rung)
    later.__dict__["after"] = tuple(before.split())
    return later


def attribute(rung: Rung, name: str, default: Any) -> Any:
    """One of the attributes above. Of a `partial`: its own, an argument of that name, or that of
    the function that it calls.
    """
    if not isinstance(rung, partial):
        return getattr(rung, name, default)
    given = {**rung.keywords, **vars(rung)}
    return given[name] if name in given else attribute(rung.func, name, default)


def after(rung: Rung) -> tuple[str, ...]:
    """Names of the rungs that must have passed before this one."""
    return tuple(attribute(rung, "after", ()))


def is_timed(part: object) -> bool:
    """True when it times a worker on a CPU, or something does that it is made of."""
    if isinstance(part, partial):
        return is_timed(part.func)
    if getattr(part, "timed", False) is True:
        return True
    if not is_dataclass(part) or isinstance(part, type):
        return False
    return any(is_timed(getattr(part, made_of.name)) for made_of in fields(part))


def judge_rungs(
    rungs: Mapping[str, Rung],
    session: Session,
    only: frozenset[str] | None = None,
    lacking: Mapping[str, str] | None = None,
) -> tuple[RungRecord, ...]:
    """Judge in order. One that comes after a rung that did not pass is not run.

    only: these rungs; None means all.
    lacking: what the machine lacks, by rung: these are not measured.
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
    """The record of one, whatever it raises."""
    clock = time.monotonic()
    own = session.for_rung(name)
    record = _ruled(name, rung, own)
    taken = {JUDGING_SECONDS: round(time.monotonic() - clock, 3)}
    evidence = {**own.figures, **record.evidence, **taken}
    # Whatever came of it: a rung that counts for nobody who passes costs nobody who does not.
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
    """What was not begun or not reached is so for the same reason; a failure is not said again."""
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
        return RungRecord(name, ruling.verdict, ruling.sentence)
    except Overrun as overrun:
        session.log_exception(overrun)
        sentence = "Checking what it returned took too long: return only what the task asks for."
        return RungRecord(name, Verdict.TIMEOUT, sentence)
    except Exception as error:  # noqa: BLE001 - `blame` says whose failure it is
        session.log_exception(error)
        if is_ours(error) or not session.met_candidate:
            return our_failure(name, error)
        return unreadable_answer(name, error, session.last_answer())
