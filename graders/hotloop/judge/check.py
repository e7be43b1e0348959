"""What is asked of a task's answer: values of `Check`, called with the judging session.

A check that returns has passed, and what it returns is the sentence to record. It raises `Ruling`
for any other verdict, and `Partly` to earn a share of its points; `exception_attribution` decides
the verdict for any other exception. The standard checks are frozen dataclasses in
`hotloop/judge/checks/`, so that tests can read their cases; `check` makes one of a function.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, cast

from hotloop.core.record import JUDGING_SECONDS, NOT_ATTEMPTED, NOT_REACHED, CheckRecord
from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.exception_attribution import is_ours, our_failure, unreadable_answer
from hotloop.judge.judge_fault import Stumble
from hotloop.judge.session import Session
from hotloop.judge.time_limit import Overrun, ending_after

P = ParamSpec("P")
CheckFunction = Check | Callable[[Session], str]
"""What an author may give for a check: a `Check`, or a function that needs no fields of one.

Wrap code that no answer can influence (making questions and their expected answers) in
`generated` and `ours` of `hotloop.judge.judge_fault`.
"""


@dataclass(frozen=True)
class FunctionCheck(Check, Generic[P]):
    """A check that calls a function with the session and `arguments`: see `check`."""

    reads_answer: ClassVar[frozenset[str]] = frozenset({"function"})
    function: Callable[Concatenate[Session, P], str]
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def bind(self, *_none: P.args, **arguments: P.kwargs) -> Check:
        """Return the check with values, given by name, for the function's other parameters."""
        return replace(self, arguments={**self.arguments, **arguments})

    def __call__(self, session: Session, /, *args: P.args, **arguments: P.kwargs) -> str:
        """Call the function with the bound arguments and these."""
        function = cast(Callable[..., str], self.function)
        return function(session, *args, **{**self.arguments, **arguments})


def check(
    *,
    after: tuple[str, ...] = (),
    timed: bool = False,
    instrumented: bool = False,
    scored_by: str = "",
) -> Callable[[Callable[Concatenate[Session, P], str]], FunctionCheck[P]]:
    """Decorator that makes a check of a function, with these fields of `Check`.

    If the function takes more than the session, `bind` gives that where a task names the check.
    """

    def mark(function: Callable[Concatenate[Session, P], str]) -> FunctionCheck[P]:
        return FunctionCheck(
            function,
            after=after,
            timed=timed,
            instrumented=instrumented,
            scored_by=scored_by,
        )

    return mark


def as_check(check: CheckFunction) -> Check:
    """Return the check, or one of the function. Raises TypeError for anything else."""
    return check if isinstance(check, Check) else FunctionCheck(check)


def following(before: str, check: CheckFunction) -> Check:
    """Return the same check, to run after those named in `before` (separated by spaces)."""
    return replace(as_check(check), after=tuple(before.split()))


def judge_checks(
    checks: Mapping[str, CheckFunction],
    session: Session,
    only: frozenset[str] | None = None,
    lacking: Mapping[str, str] | None = None,
) -> tuple[CheckRecord, ...]:
    """Judge the checks in order; skip a check if one that it comes after did not pass.

    only: judge only these checks; None means all.
    lacking: by check, what this machine lacks; those checks are recorded as not measured.
    """
    done: dict[str, CheckRecord] = {}
    for name, check in checks.items():
        check = as_check(check)
        if only is not None and name not in only:
            continue
        session.progress(name)
        if lacking is not None and name in lacking:
            done[name] = CheckRecord(name, Verdict.NOT_MEASURED, lacking[name])
        else:
            done[name] = _not_reached(name, check, done) or judge_check(name, check, session)
    return tuple(done.values())


def judge_check(name: str, check: CheckFunction, session: Session) -> CheckRecord:
    """Judge one check and return its record, whatever the check raises."""
    clock, waited_s = time.monotonic(), session.budget.turn_s
    check = as_check(check)
    own = session_for(name, check, session)
    record = _ruled(name, check, own)
    waited_s = session.budget.turn_s - waited_s  # for the machine
    taken = {JUDGING_SECONDS: round(time.monotonic() - clock - waited_s, 3)}
    evidence = {**own.figures, **record.evidence, **taken}
    # Set whatever the verdict: if instrumented checks are not counted, neither are their failures.
    return replace(record, evidence=evidence, instrumented=check.instrumented)


def session_for(name: str, check: Check, session: Session) -> Session:
    """Return the session in which the check called `name` is judged: about its function."""
    own = session.for_check(name)
    if check.entry is None and check.style is None:
        return own
    return own.of(check.entry or own.candidate.name, check.style)


def _not_reached(name: str, check: Check, done: Mapping[str, CheckRecord]) -> CheckRecord | None:
    for before in check.prerequisites:
        earlier = done.get(before)
        if earlier is None or earlier.verdict is Verdict.PASSED:
            continue
        # The sentence of a failure is not repeated, that of a skipped or unattempted check is.
        repeats = earlier.sentence.startswith((NOT_REACHED, NOT_ATTEMPTED))
        sentence = earlier.sentence if repeats else f"{NOT_REACHED} `{before}` passes."
        return CheckRecord(name, earlier.verdict, sentence)
    return None


def _ruled(name: str, check: Check, session: Session) -> CheckRecord:
    try:
        with ending_after(lambda: session.budget.deadline):
            return CheckRecord(name, Verdict.PASSED, check(session), 1.0)
    except Partly as part:
        return CheckRecord(name, part.verdict, part.sentence, part.earned)
    except Ruling as ruling:
        if ruling.about is not None:
            session.note(reproducible=True)
        if isinstance(ruling.__cause__, Stumble):
            session.log_exception(ruling)
            session.note(traceback=str(ruling.__cause__))
        return CheckRecord(name, ruling.verdict, ruling.sentence)
    except Overrun as overrun:
        session.log_exception(overrun)
        sentence = "Checking what it returned took too long: return only what the task asks for."
        return CheckRecord(name, Verdict.TIMEOUT, sentence)
    except Exception as error:  # noqa: BLE001 - `exception_attribution` says whose failure it is
        session.log_exception(error)
        if isinstance(error.__cause__, Overrun) and session.budget.used_by_candidate:
            # Ours had no time left, since the candidate has used it: it does not stay open for it.
            late = session.budget.time_is_up()
            return CheckRecord(name, late.verdict, late.sentence)
        if is_ours(error) or not session.met_candidate:
            return our_failure(name, error)
        return unreadable_answer(name, error, session.last_answer())
