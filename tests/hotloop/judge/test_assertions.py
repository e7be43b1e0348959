"""Inspections of a candidate's result: in order, labeled, and the first mismatch rules."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.session import Session

CANDIDATE = Candidate("made", "x.py", "json")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def session(tmp_path: Path, told: list[str], session_over: Callable[..., Session]) -> Session:
    return session_over(tmp_path, isolation="none", tell=told.append)


def check(*mismatches: Callable[[], str | None]) -> Assertions:
    def looks(_session: Session) -> Iterator[Assertion]:
        for number, mismatch in enumerate(mismatches, start=1):
            yield Assertion(f"Thing {number}", mismatch)

    return Assertions(looks, "All {count} are well.")


def ruled(sentence: str) -> Callable[[], str | None]:
    def mismatch() -> str | None:
        raise Ruling(Verdict.TIMEOUT, sentence)

    return mismatch


def nothing() -> str | None:
    return None


def test_all_is_well(session: Session, told: list[str]) -> None:
    record = judge_check("sound", check(nothing, nothing), session.about(CANDIDATE))
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert record.sentence == "All 2 are well."
    assert record.evidence["looks"] == 2
    assert told == ["Thing 1", "Thing 2"]


def test_the_first_mismatch_rules_and_nothing_behind_it_is_looked_at(
    session: Session, told: list[str]
) -> None:
    with pytest.raises(Ruling) as caught:
        check(nothing, lambda: "it is blue", ruled("no"))(session.about(CANDIDATE))
    assert caught.value.verdict is Verdict.WRONG_ANSWER
    assert caught.value.sentence == "Thing 2: it is blue."
    assert told == ["Thing 1", "Thing 2"]


def test_a_ruling_says_what_it_is_about(session: Session) -> None:
    with pytest.raises(Ruling) as caught:
        check(ruled("It did not finish."))(session.about(CANDIDATE))
    assert caught.value.verdict is Verdict.TIMEOUT
    assert caught.value.sentence == "Thing 1: It did not finish."


def test_that_nothing_was_tried_is_about_no_single_thing(session: Session) -> None:
    with pytest.raises(Ruling) as caught:
        check(ruled("Not attempted yet."))(session.about(CANDIDATE))
    assert caught.value.sentence == "Not attempted yet."
