"""Points that rest on the word of a process with the learner's code are called so where they are.

Each file that makes points of a record stands in a list below, or a test fails.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

import hotloop
from hotloop.cli import records_table
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.course import book, export, feedback, results
from hotloop.course.class_page.marks import ClassMarks, ModuleMarks, TaskMark
from hotloop.course.class_page.page import page
from hotloop.course.class_page.summary import summary
from hotloop.course.scores import ScoredNotebook
from hotloop.course.worth import Worth, of_module
from hotloop.learn.practice import verdicts
from hotloop.service.course.lti import scores
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.problem import settle
from hotloop.verdicts import render_record
from hotloop.verdicts import words as verdict_words

AROUND = Circumstances("ab" * 32, "0.1", "", "A CPU", "", {}, "00ff", "none", "t", 3.2)
MODULE = load_module("transformer_compilation")
*OTHERS, LAST = (check.id for check in MODULE.task("cold_start").checks)
RECORD = Record(
    MODULE.id,
    "cold_start",
    Verdict.PASSED,
    "As the world is.",
    tuple(
        CheckRecord(name, Verdict.PASSED, "Right.", 1.0, instrumented=name == LAST)
        for name in (*OTHERS, LAST)
    ),
    AROUND,
)
WORD = verdict_words.INSTRUMENTED.strip()

SHOW = {
    "cli/assistant/tasks.py",
    "cli/records_table.py",
    "cli/progress.py",
    "course/book.py",
    "course/class_page/summary.py",
    "course/export.py",
    "course/feedback.py",
    "verdicts/render_record.py",
    "course/results.py",
    "course/scores.py",
    "course/templates/class_page/index.html.j2",
    "author/harbor/parts/tests/judge.py",
    "learn/practice/verdicts.py",
    "service/course/board.py",
    "service/course/lti/scores.py",
    "takehome/score.py",
    "takehome/templates/report/report.html.j2",
    "verdicts/words.py",
}
"""Files that say of points, or leave out, what is instrumented. Each has a test below."""

COMMENT = "beside the gradebook's comment, course/book.py"
SUMS = "sums of whole submissions; their tasks are in course/results.py"
ROWS = "its rows come from a file that says so"
NO_LEARNERS = "points of references, examples or attacks"
SIMULATED = "simulated candidates, of checks that count"
REPORT = "points of checks that count, by takehome/score.py"

SHOW_NOBODY = {
    "author/attack/claims.py": NO_LEARNERS,
    "author/attack/loop.py": NO_LEARNERS,
    "author/attack/messages.py": NO_LEARNERS,
    "cli/author/exploits.py": NO_LEARNERS,
    "cli/course/attempts.py": SUMS,
    "cli/course/points.py": SUMS,
    "cli/course/results.py": ROWS,
    "cli/course/roster_table.py": SUMS,
    "cli/modules.py": "points of tasks",
    "cli/takehome/grade.py": REPORT,
    "takehome/feedback.py": REPORT,
    "core/record.py": "the record",
    "course/attempts/store.py": "stores sums",
    "course/class_page/distribution.py": "counts learners",
    "course/formgrader/marking.py": COMMENT,
    "course/formgrader/page.py": COMMENT,
    "course/formgrader/templates/hotloop_formgrade/index.html.j2": "points that a person gives",
    "course/formgrader/totals.py": COMMENT,
    "course/grade.py": ROWS,
    "course/judging.py": "hands records on",
    "course/kernel.py": "shows by course/render_record.py",
    "course/notebook_run.py": "hands records on",
    "course/points.py": "adds up",
    "course/regrade.py": SUMS,
    "course/worth.py": "adds up",
    "judge/notebook_release.py": "points of tasks",
    "service/course/lti/points.py": "adds up",
    "course/roster.py": SUMS,
    "course/standing.py": "stores sums",
    "course/templates/feedback/index.html.j2": ROWS,
    "author/device_levels.py": NO_LEARNERS,
    "learn/doctor.py": "points of tasks",
    "author/evidence.py": NO_LEARNERS,
    "author/exploits.py": NO_LEARNERS,
    "author/lease/__main__.py": NO_LEARNERS,
    "author/lease/pieces.py": NO_LEARNERS,
    "author/lease/wheels.py": NO_LEARNERS,
    "tasks/fitness.py": NO_LEARNERS,
    "judge/levels.py": "the judge",
    "judge/check.py": "the judge",
    "judge/checks/cuda_traffic.py": "the judge",
    "judge/speed.py": "the judge",
    "tasks/judged_again.py": "judges open checks again",
    "learn/notebook.py": "shows by course/render_record.py",
    "tasks/own_problem.py": "an author's own problem",
    "tasks/problem.py": "adds up",
    "learn/remote/job.py": "form of what service/course/board.py says",
    "tasks/practice.py": "points of tasks",
    "tasks/render.py": "points of tasks",
    "site/charts.py": "points of a drawing",
    "site/module_page.py": NO_LEARNERS,
    "takehome/baseline.py": NO_LEARNERS,
    "takehome/calibration.py": SIMULATED,
    "takehome/code_questions.py": REPORT,
    "takehome/follow_ups.py": REPORT,
    "core/intervals.py": REPORT,
    "takehome/quality.py": SIMULATED,
    "takehome/report.py": REPORT,
    "takehome/report_builder.py": REPORT,
    "takehome/role.py": "points of tasks",
    "takehome/verify.py": REPORT,
    "learn/pack/work_log.py": "a candidate's own log; what counts is in the report",
    "tasks/task_spec.py": "what is asked",
}

READS_POINTS = re.compile(r"\b(settled?|points_text|BoardPlace)\(|\.(earned|points)\b")


def test_every_file_that_reads_points_is_listed() -> None:
    root = Path(hotloop.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*")
        if path.suffix in {".py", ".j2", ".html", ".js"}
        and READS_POINTS.search(path.read_text(encoding="utf-8"))
    }
    found = {name for name in found if not name.startswith(("tasks/modules/", "core/verdict"))}
    assert found == SHOW | set(SHOW_NOBODY)


@pytest.mark.parametrize("name", sorted(SHOW))
def test_what_shows_points_knows_the_word(name: str) -> None:
    text = (Path(hotloop.__file__).parent / name).read_text(encoding="utf-8")
    assert "verdict_words" in text or "nstrumented" in text


def test_cards_and_texts_of_a_notebook() -> None:
    score = settle(MODULE, RECORD.task, RECORD)
    page, text = render_record.html(RECORD, score), render_record.text(RECORD, score)
    assert page.count(WORD) == text.count(WORD) == 2  # the task, and one of three checks
    assert f"{LAST}: passed {WORD}" in text


def test_the_table_of_hotloop_check() -> None:
    task = MODULE.task(RECORD.task)
    row = records_table._row(task, RECORD, settle(MODULE, RECORD.task, RECORD))
    console = Console(width=160, record=True)
    console.print(records_table.table([task], [row], {RECORD.task: RECORD}))
    assert console.export_text().count(WORD) == 2


def test_the_document_of_hotloop_check() -> None:
    score = settle(MODULE, RECORD.task, RECORD)
    told = records_table._row(MODULE.task(RECORD.task), RECORD, score)["record"]
    assert [check["instrumented"] for check in told["checks"]] == [False] * len(OTHERS) + [True]


def test_the_widget_in_a_notebook() -> None:
    assert render_record.DisplayedRecord(RECORD)._repr_mimebundle_()["text/html"].count(WORD) == 2


WORTH = Worth(RECORD.module, tasks=of_module(RECORD.module, {}).tasks)


def grade(**changes: Any) -> Any:
    scores = {"auto_score": 6.0, "manual_score": None, "extra_credit": 0.0, "max_score": 6.0}
    return SimpleNamespace(name=RECORD.task, **{**scores, **changes})


def scored(*grades: Any) -> ScoredNotebook:
    attempt: Any = SimpleNamespace(records={RECORD.task: RECORD})
    part = ScoredNotebook("ada", RECORD.module, "lab", 0.0, lambda *_: attempt, WORTH)
    part.grades.extend(grades)
    return part


def test_points_of_a_person_are_not_instrumented() -> None:
    assert scored().is_instrumented(grade())
    assert not scored().is_instrumented(grade(manual_score=3.0))


def test_the_exported_table() -> None:
    known = {"duedate": None, "max_score": 6.0, "name": RECORD.module}
    submission = SimpleNamespace(timestamp="", score=6.0)
    gradebook: Any = SimpleNamespace(find_submission=lambda *_: submission)
    ada = SimpleNamespace(id="ada", last_name="", first_name="", email="")
    row = export._row(gradebook, SimpleNamespace(**known), ada, [scored(grade())], WORTH)
    assert row["instrumented_tasks"] == RECORD.task
    assert set(row) <= set(export.COLUMNS)


def test_the_table_of_a_grading() -> None:
    task = MODULE.task(RECORD.task)
    assert results._result(scored(), grade(), task, ("", "")).sentence.endswith(WORD)


def test_the_row_of_a_feedback_page() -> None:
    score = settle(MODULE, RECORD.task, RECORD)
    assert WORD in feedback._row(grade(), score, score, RECORD, cast(Any, {})).verdict


@pytest.mark.parametrize("names", [True, False])
def test_the_class_page(names: bool) -> None:
    score = settle(MODULE, RECORD.task, RECORD)
    marks = [TaskMark(who, RECORD.task, score, RECORD, who == "ada") for who in ("ada", "bob")]
    of = ModuleMarks(MODULE, [RECORD.task], frozenset({"ada", "bob"}), marks, WORTH)
    found = summary(ClassMarks("course", 2, frozenset({"ada", "bob"}), [of]), names=names)
    assert found.modules[0].tasks[0].instrumented == 1
    assert page(found).count(WORD) == 1 + names  # the task, and the learner if named
    assert ("ada" in page(found)) is names


def test_the_reward_of_a_harness(
    load_file: Callable[[Path], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = Path(hotloop.__file__).parent / "author" / "harbor" / "parts" / "tests" / "judge.py"
    (tmp_path / "judge.py").write_bytes(parts.read_bytes())
    asked = {"module": RECORD.module, "task": RECORD.task}
    (tmp_path / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    harness = load_file(tmp_path / "judge.py")
    monkeypatch.setattr(harness, "judge_folder", lambda *_, **__: {RECORD.task: RECORD})
    monkeypatch.setattr("sys.argv", ["judge.py", str(tmp_path), str(tmp_path / "reward")])
    assert harness.main() == 0
    assert f"{LAST}: passed {WORD}" in capsys.readouterr().out


def test_the_comment_in_the_gradebook() -> None:
    assert (book._comment(None, RECORD) or "").startswith(f"Instrumented: {LAST}.")


def test_what_an_lms_is_told() -> None:
    told = scores.score(scores.ModuleScore(6.0, 6.0, 0.0, instrumented=True), "someone")
    assert WORD in told["comment"]
    assert WORD not in scores.score(scores.ModuleScore(6.0, 6.0, 0.0), "someone")["comment"]


def test_a_learners_own_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "path", lambda: tmp_path / "verdicts.jsonl")
    monkeypatch.delenv(verdicts.OFF, raising=False)
    score = settle(MODULE, RECORD.task, RECORD)
    verdicts.note(RECORD, score, "command", own=True)
    (line,) = (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["instrumented"] is True


def test_no_word_where_nothing_was_earned() -> None:
    failed = CheckRecord("measured", Verdict.WRONG_ANSWER, "Wrong.", 0.0, instrumented=True)
    record = Record("m", "t", Verdict.WRONG_ANSWER, "Wrong.", (failed,), AROUND)
    assert verdict_words.of_task(record) == "wrong answer"
