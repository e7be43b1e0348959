"""Points that rest on the word of a process with the learner's code are called so where they are.

Each file that makes points of a record stands in a list below, or a test fails.
"""

import json
import re
from pathlib import Path

import pytest
from rich.console import Console

import hotloop
from hotloop import verdict_words
from hotloop.cli import check
from hotloop.core.record import Circumstances, Record, RungRecord
from hotloop.core.verdict import Verdict
from hotloop.course import book, render_record
from hotloop.curriculum import load_module
from hotloop.practice import verdicts
from hotloop.problem import settle
from hotloop.remote.service.lti import scores

AROUND = Circumstances("ab" * 32, "0.1", "", "A CPU", "", {}, "00ff", "none", "t", 3.2)
RECORD = Record(
    "transformer_compilation",
    "cold_start",
    Verdict.PASSED,
    "As the world is.",
    tuple(
        RungRecord(name, Verdict.PASSED, "Right.", 1.0, instrumented=name == "measured")
        for name in ("starts", "even", "measured")
    ),
    AROUND,
)
WORD = verdict_words.INSTRUMENTED.strip()

SHOW = {
    "cli/check.py",
    "course/book.py",
    "course/render_record.py",
    "harbor/parts/tests/judge.py",
    "remote/service/lti/scores.py",
    "takehome/score.py",
    "verdict_words.py",
}
"""Files that make points of a record and say which are instrumented."""

SHOW_NOBODY = {
    "core/record.py": "the record",
    "course/grade.py": "grades; its rows come from course/feedback.py and course/results.py",
    "course/judging.py": "hands records on",
    "course/kernel.py": "shows by course/render_record.py",
    "course/notebook_run.py": "hands records on",
    "course/points.py": "adds up",
    "device_levels.py": "levels of speed",
    "evidence.py": "runs of references",
    "exploits.py": "verdicts of attacks",
    "fitness.py": "references on this machine",
    "judge/levels.py": "the judge",
    "judge/rung.py": "the judge",
    "judge/rungs/cuda_traffic.py": "the judge",
    "judge/speed.py": "the judge",
    "judged_again.py": "judges open checks again",
    "notebook.py": "shows by course/render_record.py",
    "own_problem.py": "an author's own problem",
    "problem.py": "adds up",
    "site/module_page.py": "references on recorded devices",
    "takehome/calibration.py": "simulated candidates",
    "takehome/intervals.py": "adds up what takehome/score.py counts",
    "takehome/quality.py": "checks that take-homes leave out are not counted",
    "task_spec.py": "what is asked",
}


def test_every_file_that_makes_points_of_a_record_is_listed() -> None:
    root = Path(hotloop.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(r"\bsettled?\(|\.earned\b", path.read_text(encoding="utf-8"))
    }
    listed = SHOW | set(SHOW_NOBODY)
    assert {name for name in found if not name.startswith(("checks/", "core/verdict"))} == listed


@pytest.mark.parametrize("name", sorted(SHOW))
def test_what_shows_points_knows_the_word(name: str) -> None:
    text = (Path(hotloop.__file__).parent / name).read_text(encoding="utf-8")
    assert "verdict_words" in text or "instrumented" in text


def test_cards_and_texts_of_a_notebook() -> None:
    score = settle(load_module(RECORD.module), RECORD.task, RECORD)
    page, text = render_record.html(RECORD, score), render_record.text(RECORD, score)
    assert page.count(WORD) == text.count(WORD) == 2  # the task, and one of three checks
    assert f"measured: passed {WORD}" in text


def test_the_table_of_hotloop_check() -> None:
    module = load_module(RECORD.module)
    row = check._row(module, module.task(RECORD.task), RECORD)
    console = Console(width=160, record=True)
    console.print(check._table(module, [row], {RECORD.task: RECORD}))
    assert console.export_text().count(WORD) == 2


def test_the_comment_in_the_gradebook() -> None:
    assert (book._comment(None, RECORD) or "").startswith("Instrumented: measured.")


def test_what_an_lms_is_told() -> None:
    told = scores.score(scores.Standing(6.0, 6.0, 0.0, instrumented=True), "someone")
    assert WORD in told["comment"]
    assert WORD not in scores.score(scores.Standing(6.0, 6.0, 0.0), "someone")["comment"]


def test_a_learners_own_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "path", lambda: tmp_path / "verdicts.jsonl")
    monkeypatch.delenv(verdicts.OFF, raising=False)
    score = settle(load_module(RECORD.module), RECORD.task, RECORD)
    verdicts.note(RECORD, score, "command", own=True)
    (line,) = (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["instrumented"] is True


def test_no_word_where_nothing_was_earned() -> None:
    failed = RungRecord("measured", Verdict.WRONG_ANSWER, "Wrong.", 0.0, instrumented=True)
    record = Record("m", "t", Verdict.WRONG_ANSWER, "Wrong.", (failed,), AROUND)
    assert verdict_words.of_task(record) == "wrong answer"
