"""Points come only from records that were judged as a course or a take-home gave it.

`hotloop.core.record.counts` says which those are. This file lists everything that makes points of a
record: a new reader fails here until it asks, or says why it need not.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import hotloop
from hotloop.core.record import CheckRecord, Circumstances, Record, counts
from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt
from hotloop.learn.practice import verdicts
from hotloop.tasks.judged_again import with_checks
from hotloop.tasks.problem import Score

PACKAGE = Path(hotloop.__file__).parent
GIVEN = "ab" * 32

ASKS = "asks"
READERS = {
    # What counts points.
    "core/record.py": "defines it; a task's verdict says whether any of its checks earned",
    "course/attempts/attempt.py": ASKS,
    "learn/practice/verdicts.py": "keeps a learner's own, practice among them; no points are of it",
    "service/course/board.py": ASKS,
    "service/course/lti/scores.py": ASKS,
    "takehome/report_builder.py": ASKS,
    "course/points.py": "reads an Attempt, which holds no other records",
    "course/class_page/causes.py": "reads an Attempt",
    "takehome/baseline.py": "reads an Attempt",
    "takehome/score.py": "turns a record into points, for report_builder.py and baseline.py",
    "takehome/calibration.py": "reads reports",
    "takehome/report.py": "reads a report's own records, which report_builder.py put there",
    "takehome/quality.py": "reads runs that are recorded with the module",
    "takehome/verify.py": "compares verdicts; counts nothing",
    "tasks/problem.py": "turns a record into points, for the others",
    "author/harbor/parts/tests/judge.py": "has had the record judged itself",
    "author/external/judging.py": "has had the record judged itself, on a node",
    "author/external/suite.py": "reads what external/judging.py has had judged",
    # What shows a record, or carries it.
    "cli/records_table.py": "shows the record of this very check",
    "learn/notebook.py": "shows the record of this very check",
    "course/notebook_run.py": "shows the record below its cell",
    "verdicts/render_record.py": "shows the record below its cell",
    "course/judging.py": "cleans the text of a record that it has had judged itself",
    "learn/remote/client.py": "receives records",
    "learn/remote/ssh.py": "receives records",
    "service/course/jobs.py": "stores records",
    "service/course/nodes.py": "receives records",
    "judge/client.py": "receives records",
    "course/book.py": "adds the checks of one Attempt to say what is instrumented",
    "verdicts/words.py": "says whether what a record earned is instrumented",
    "tasks/fitness.py": "judges references on this machine, for authors",
    "cli/assistant/tasks.py": "shows the verdict of `hotloop check` to the learner's assistant",
    "author/evidence.py": "records runs, for authors",
    "author/exploits.py": "compares verdicts of attacks, for authors",
    "author/attack/claims.py": "says which attempts earned points, for authors",
    "author/attack/loop.py": "notes what each attempt earned, for authors",
    "author/attack/messages.py": "tells an attacker what its attempt earned, for authors",
}


def reads(tree: ast.AST) -> Iterator[str]:
    """Yield what in a file makes points of a record, or a record of JSON."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("settle" | "check_score" as name)):
                yield name
            case ast.Call(ast.Attribute(_, "settle")) if len(node.args) == 3:
                yield "settle"
            case ast.Call(ast.Attribute(ast.Name("Record"), "from_json")):
                yield "from_json"
            case ast.Attribute(_, "earned", ast.Load()):
                yield "earned"
            case _:
                pass


def readers() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        text = path.read_text(encoding="utf-8")
        if not name.startswith("tasks/modules/") and any(reads(ast.parse(text))):
            found[name] = text
    return found


NO_RECORDS = {
    "tasks/task_spec.py",
    "author/device_levels.py",
    "site/module_page.py",
    "core/verdict.py",
}
"""They read `earned` of a level, or of a ruling."""


@pytest.mark.slow
def test_every_reader_of_records_is_listed() -> None:
    found = {n for n in readers() if not n.startswith("judge/") or n == "judge/client.py"}
    assert found - NO_RECORDS - set(READERS) == set()


def test_whoever_counts_asks_what_counts() -> None:
    asking = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "import Record, counts" in (text := path.read_text(encoding="utf-8"))
        or ", counts\n" in text
    }
    assert asking == {name for name, why in READERS.items() if why == ASKS}


FOR_PRACTICE = {
    "cli/practice_verdicts.py",
    "cli/start.py",
    "learn/notebook.py",
    "site/simulator/bundle.py",  # what a page's judge reads
    "site/simulator/tasks_page.py",
    "tasks/practice.py",
}


def test_only_a_learners_own_commands_make_practice_verdicts() -> None:
    asking = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(
            r"hotloop\.(judge|tasks)(\.| import .*\b)practice\b", path.read_text(encoding="utf-8")
        )
    }
    assert asking - {"judge/practice.py", "judge/simulator_here.py"} == FOR_PRACTICE


def record(**changes: Any) -> Record:
    checks = (CheckRecord("correct", Verdict.PASSED, "Right.", 1.0),)
    about = replace(Circumstances("", "", "", "", "", {}, "", "", "", 0.0), **changes)
    return Record("ssa_passes", "fold", Verdict.PASSED, "Right.", checks, about)


FOREIGN = [
    (record(variant=GIVEN), ""),
    (record(), GIVEN),
    (record(variant="cd" * 32), GIVEN),
    (record(seeded=True), ""),
    (record(variant=GIVEN, seeded=True), GIVEN),
]
PRACTICE = [(record(practice=True), ""), (record(variant=GIVEN, practice=True), GIVEN)]


@pytest.mark.parametrize(("found", "variant"), [*FOREIGN, *PRACTICE])
def test_what_was_judged_otherwise_does_not_count(found: Record, variant: str) -> None:
    assert not counts(found, variant)
    assert not counts(Record.from_json(found.to_json()), variant)


def test_what_was_given_counts() -> None:
    assert counts(record(), "")
    assert counts(Record.from_json(record(variant=GIVEN).to_json()), GIVEN)


def attempt(found: Record, variant: str) -> Attempt:
    return Attempt(
        "ada", "ssa_passes", "", "", {}, datetime.now(UTC), 0.0, {"fold": found}, variant
    )


@pytest.mark.parametrize(("found", "variant"), [*FOREIGN, *PRACTICE])
def test_no_attempt_of_a_course_holds_such_a_record(found: Record, variant: str) -> None:
    with pytest.raises(ValueError, match="judged with another variant or a given seed"):
        attempt(found, variant)
    whole = attempt(record(variant=variant), variant)
    with pytest.raises(ValueError, match="judged with another variant or a given seed"):
        replace(whole, records={"fold": found})
    document = {**whole.to_json(), "records": {"fold": found.to_json()}}
    with pytest.raises(ValueError, match="judged with another variant or a given seed"):
        Attempt.from_json(document)


@pytest.mark.parametrize(("found", "variant"), [*FOREIGN, *PRACTICE])
def test_no_check_that_is_judged_again_brings_one_in(found: Record, variant: str) -> None:
    with pytest.raises(ValueError, match=r"judged (again with another variant or|for practice)"):
        with_checks(record(variant=variant), found)


@pytest.mark.parametrize(("found", "variant"), PRACTICE)
def test_a_practice_verdict_is_progress_that_is_called_practice(
    found: Record, variant: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(verdicts, "path", lambda: tmp_path / "verdicts.jsonl")
    monkeypatch.delenv(verdicts.OFF, raising=False)
    verdicts.note(found, Score(5, 0, 5), "command", own=True, variant=variant)
    [line] = verdicts.read().lines
    assert (line.practice, line.words) == (True, "passed (practice)")


@pytest.mark.parametrize(("found", "variant"), FOREIGN)
def test_it_is_no_progress(
    found: Record, variant: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(verdicts, "path", lambda: tmp_path / "verdicts.jsonl")
    monkeypatch.delenv(verdicts.OFF, raising=False)
    verdicts.note(found, Score(5, 0, 5), "command", own=True, variant=variant)
    assert not verdicts.read().lines
    verdicts.note(record(variant=variant), Score(5, 0, 5), "command", own=True, variant=variant)
    assert len(verdicts.read().lines) == 1
