"""Checks run in order, on conditions, and every way to end one becomes a verdict."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from hotloop.core.record import JUDGING_SECONDS, CheckRecord
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import time_limit
from hotloop.judge.author_guard import Check
from hotloop.judge.budget import Budget
from hotloop.judge.case_label import labeled
from hotloop.judge.check import CheckFunction, as_check, check, following, judge_check, judge_checks
from hotloop.judge.judge_fault import JudgeFault, generated, ours
from hotloop.judge.session import Session
from hotloop.judge.task import returns_data


class MadeUpSession:
    """The parts of a session that fake checks need."""

    def __init__(self, *, met_candidate: bool = False, budget_s: float = 60.0) -> None:
        self.met_candidate = met_candidate
        self.budget = Budget(budget_s)
        self.figures: dict[str, object] = {}
        self.told: list[str] = []
        self.logged: list[BaseException] = []

    def progress(self, text: str) -> None:
        self.told.append(text)

    def for_check(self, name: str) -> MadeUpSession:
        return self

    def last_answer(self) -> str:
        return "[]"

    def log_exception(self, error: BaseException) -> None:
        self.logged.append(error)


@dataclass(frozen=True)
class MadeUp(Check):
    do: Callable[[], str]
    reads_answer: ClassVar[frozenset[str]] = frozenset({"do"})

    def __call__(self, session: Session) -> str:
        return self.do()


def _passes() -> str:
    return "Good."


def _rules() -> str:
    raise Ruling(Verdict.WRONG_ANSWER, "Wrong.")


def _breaks() -> str:
    raise ZeroDivisionError("ours")


def _never() -> str:
    raise AssertionError("must not be run")


def _judge(session: MadeUpSession | None = None, **checks: MadeUp) -> list[Verdict]:
    return [r.verdict for r in judge_checks(checks, session or MadeUpSession())]  # type: ignore[arg-type]


def test_a_wrong_answer_is_never_timed() -> None:
    fast = MadeUp(_never, after=("correct",))
    assert _judge(correct=MadeUp(_rules), fast=fast) == [Verdict.WRONG_ANSWER] * 2


def test_what_needs_an_open_check_stays_open() -> None:
    broken = MadeUp(_breaks)
    after = MadeUp(_never, after=("correct",))
    assert _judge(correct=broken, fast=after) == [Verdict.JUDGE_ERROR] * 2


def test_our_own_failure_is_logged_and_is_nobodys_zero() -> None:
    session = MadeUpSession()
    (verdict,) = _judge(session, correct=MadeUp(_breaks))
    assert verdict is Verdict.JUDGE_ERROR
    assert verdict.pending
    assert isinstance(session.logged[0], ZeroDivisionError)


def _stumbles() -> str:
    with labeled("Batch 3"):
        min(list[int]())
    return _passes()


def _unpacks() -> str:
    gzip.decompress(b"an answer that is no archive")
    return _passes()


def test_a_parsers_error_is_a_wrong_answer_too() -> None:
    """`gzip.BadGzipFile` is an OSError."""
    assert _record(_unpacks, MadeUpSession(met_candidate=True)).verdict is Verdict.WRONG_ANSWER


def _record(do: Callable[[], str], session: MadeUpSession) -> CheckRecord:
    made_up = {"correct": MadeUp(do)}
    return judge_checks(made_up, session)[0]  # type: ignore[arg-type]


def test_what_a_check_cannot_read_is_a_wrong_answer() -> None:
    session = MadeUpSession(met_candidate=True)
    record = _record(_stumbles, session)
    assert record.verdict is Verdict.WRONG_ANSWER
    assert record.sentence.startswith("Batch 3: got [], which cannot be checked")
    assert "Traceback" not in record.sentence
    assert "min(list[int]())" in record.evidence["traceback"]
    assert isinstance(session.logged[0], ValueError)


def _no_questions() -> Iterator[int]:
    yield 1
    raise IndexError("a bug in making the second one")


def _cannot_ask() -> str:
    assert list(generated(_no_questions)) == [1]
    return _passes()


def _has_no_truth() -> str:
    with ours("the reference"):
        raise ZeroDivisionError
    return _passes()


def _cannot_open() -> str:
    Path("/no/file/of/ours").read_bytes()
    return _passes()


def _finds_its_own_fault() -> str:
    raise JudgeFault("a worker did not start")


@pytest.mark.parametrize("do", [_cannot_ask, _has_no_truth, _cannot_open, _finds_its_own_fault])
def test_what_no_answer_reaches_is_our_own_failure(do: Callable[[], str]) -> None:
    record = _record(do, MadeUpSession(met_candidate=True))
    assert record.verdict is Verdict.JUDGE_ERROR
    assert record.evidence["error"]


def _looks_for_ever() -> str:
    while True:
        pass


def test_looking_at_an_answer_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "MARGIN_S", 0.1)
    record = _record(_looks_for_ever, MadeUpSession(met_candidate=True, budget_s=0.1))
    assert record.verdict is Verdict.TIMEOUT
    assert "took too long" in record.sentence


def _has_no_time_left() -> str:
    raise JudgeFault("our own program took too long") from time_limit.Overrun()


@pytest.mark.parametrize(
    ("waited_s", "left_s", "verdict"),
    [
        (30.0, 0.0, Verdict.TIMEOUT),
        (10.0, 0.0, Verdict.JUDGE_ERROR),
        (30.0, 20.0, Verdict.JUDGE_ERROR),
    ],
)
def test_ours_runs_out_of_time_by_whoever_has_used_it(
    waited_s: float, left_s: float, verdict: Verdict
) -> None:
    session = MadeUpSession(met_candidate=True, budget_s=60.0)
    session.budget.waited_s = waited_s
    session.budget.deadline = time.monotonic() + left_s
    assert _record(_has_no_time_left, session).verdict is verdict


def test_the_time_of_a_check_is_kept_where_it_was_judged() -> None:
    made_up = {"a": MadeUp(_rules), "b": MadeUp(_passes, after=("a",))}
    judged, blocked = judge_checks(made_up, MadeUpSession())  # type: ignore[arg-type]
    assert 0 <= judged.evidence[JUDGING_SECONDS] < 1
    assert JUDGING_SECONDS not in blocked.evidence


@dataclass(frozen=True)
class Instrumented(MadeUp):
    instrumented: bool = field(default=True, kw_only=True)


def test_an_instrumented_check_says_so_whatever_comes_of_it() -> None:
    """Otherwise it would cost points if it fails, and give none if it passes."""
    made_up = {"a": Instrumented(_passes), "b": Instrumented(_rules)}
    judged = judge_checks(made_up, MadeUpSession())  # type: ignore[arg-type]
    assert [r.instrumented for r in judged] == [True, True]


def test_only_some_checks() -> None:
    made_up = {"a": MadeUp(_never), "b": MadeUp(_passes, after=("a",))}
    (record,) = judge_checks(made_up, MadeUpSession(), frozenset({"b"}))  # type: ignore[arg-type]
    assert record.verdict is Verdict.PASSED


def test_what_the_machine_lacks_leaves_the_points_of_its_check_open() -> None:
    checks = {"a": MadeUp(_never), "b": MadeUp(_passes)}
    first, second = judge_checks(checks, MadeUpSession(), lacking={"a": "g++ is missing."})  # type: ignore[arg-type]
    assert (first.verdict, first.sentence) == (Verdict.NOT_MEASURED, "g++ is missing.")
    assert second.verdict is Verdict.PASSED


# --- what a check reads of module.yaml ------------------------------------------------------------


@check(scored_by="limits")
def _counts(_session: object) -> str:
    return "Few."


@dataclass(frozen=True)
class _Timed(Check):
    scored_by: str = field(default="levels", kw_only=True)

    def __call__(self, session: object) -> str:
        return "Fast."


def _plain(_session: object) -> str:
    return "Right."


@check(after=("first",), timed=True, scored_by="levels")
def _at_most(session: object, most: int, least: int = 0) -> str:
    return f"{session} from {least} to {most}."


@pytest.mark.parametrize(
    ("made", "reads"),
    [
        (_plain, ""),
        (_counts, "limits"),
        (_Timed(), "levels"),
        (_Timed(entry="f"), "levels"),
        (_at_most.bind(most=2), "levels"),
        (following("correct", _counts), "limits"),
        (following("correct", _plain), ""),
    ],
)
def test_what_a_check_reads_of_module_yaml_is_known_without_calling_it(
    made: CheckFunction, reads: str
) -> None:
    assert as_check(made).scored_by == reads


def test_a_function_with_parameters_keeps_its_attributes_when_they_are_given() -> None:
    check = _at_most.bind(most=2)
    assert (check.prerequisites, check.timed) == (("first",), True)
    assert check("It is") == "It is from 0 to 2."  # type: ignore[arg-type]
    assert following("a b", check).prerequisites == ("a", "b")
    with pytest.raises(TypeError, match="by `bind`"):
        returns_data(correct=partial(_at_most, most=2))


def test_a_check_may_be_about_another_function_of_the_file() -> None:
    class About(MadeUpSession):
        about = ""

        def of(self, name: str, style: str | None = None) -> About:
            self.about = f"{name}, {style}"
            return self

    @check()
    def says(session: object) -> str:
        assert isinstance(session, About)
        return f"About {session.about}."

    for style, said in ((None, "About f, None."), ("destination", "About f, destination.")):
        about_f = replace(says, entry="f", style=style)
        assert judge_check("a", about_f, About()).sentence == said  # type: ignore[arg-type]


def test_the_seconds_of_a_check_are_without_its_wait_for_the_machine() -> None:
    session = MadeUpSession()

    @check()
    def measured(_session: object) -> str:
        with session.budget.without(1.0):
            time.sleep(0.1)
        return "Fast."

    assert judge_check("a", measured, session).evidence[JUDGING_SECONDS] < 0.09  # type: ignore[arg-type]
