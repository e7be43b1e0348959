"""Undecided checks are judged once more, by themselves, and the record says so."""

from dataclasses import replace

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.tasks.judged_again import seeds, settled, with_checks

from .made_reports import check, record

FIRST, SECOND = "ef" * 16, "12" * 16
OPEN = [check("correct"), check("fast", Verdict.UNDECIDED, sentence="The time was used up.")]


def test_what_is_undecided_is_judged_again_alone() -> None:
    asked: list[list[str]] = []

    def again(checks: list[str]) -> Record:
        asked.append(checks)
        slow = record("b", [check("fast", Verdict.TOO_SLOW, sentence="It is slow.")])
        return replace(slow, circumstances=replace(slow.circumstances, seed=SECOND))

    passed = record("a", [check("correct")])
    assert settled(passed, again) is passed
    assert seeds(passed) == FIRST
    found = settled(record("b", OPEN), again)
    assert asked == [["fast"]]
    assert seeds(found) == f"{FIRST}; fast again with {SECOND}"
    assert [r.verdict for r in found.checks] == [Verdict.PASSED, Verdict.TOO_SLOW]
    assert (found.verdict, found.sentence) == (Verdict.PARTIAL, "It is slow.")


def test_what_was_not_judged_again_stays() -> None:
    again = with_checks(record("b", OPEN), record("b", OPEN[:1]))
    assert [r.verdict for r in again.checks] == [Verdict.PASSED, Verdict.UNDECIDED]
