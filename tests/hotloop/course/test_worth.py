"""What a course's checks are worth: agreed on once, changed with a reason, executing nothing."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.course import export, repricing, worth
from hotloop.course.attempts.attempt import Kind, now
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.class_page.marks import read_marks
from hotloop.course.class_page.page import page
from hotloop.course.class_page.summary import summary
from hotloop.course.config import database
from hotloop.course.executors import local
from hotloop.course.prepare import prepare
from hotloop.course.worth import SENTENCES, GpuChecks
from hotloop.tasks import curriculum

from .exported import exported

WHY = "no GPU this term"


@pytest.fixture
def graded(course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Any:
    """ada and bob have 12 points of 20, and 2 that need a GPU; the essay is not written."""
    for student in ("ada", "bob"):
        course.submit(student, make.lab())
    course.grade()
    monkeypatch.delattr(local, "execute")
    return course


def row(course: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return exported(course.root, monkeypatch)["ada"]


def measure(course: Any, verdict: Verdict, earned: float) -> None:
    """Enter what a machine with a GPU found of ada's work."""
    [*_, attempt] = store(course.root).history("ada", "tiny")
    record = attempt.records["gpu_answer"]
    checks = tuple(
        replace(check, verdict=verdict, earned=earned) if check.check == "gpu_correct" else check
        for check in record.checks
    )
    records = {**attempt.records, "gpu_answer": replace(record, checks=checks)}
    Book(course.root).enter(replace(attempt, records=records, graded=now(), id=None))


def change_module(monkeypatch: pytest.MonkeyPatch, task: str, check: str, points: int) -> None:
    whole = curriculum.load_module("tiny")
    tasks = [
        each.model_copy(
            update={
                "checks": [
                    one.model_copy(update={"points": points})
                    if (each.id, one.id) == (task, check)
                    else one
                    for one in each.checks
                ]
            }
        )
        for each in whole.tasks
    ]
    changed = whole.model_copy(update={"tasks": tasks})
    monkeypatch.setattr(worth, "load_module", lambda _name: changed)


@pytest.mark.slow
def test_checks_that_come_later_give_a_mark_now_that_only_rises(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert row(graded, monkeypatch)["score"] == "pending"
    repricing.set_gpu_checks(graded.root, GpuChecks.LATER, WHY)
    told = row(graded, monkeypatch)
    assert (told["score"], told["raw_score"], told["max_score"]) == ("12.0", "12.0", "20.0")
    assert (told["status"], told["points_pending"]) == ("so far", "2.0")
    assert (told["pending_tasks"], told["gpu_checks"]) == ("gpu_answer", "later")
    assert "12 of 20 points, 2 pending" in graded.page("ada")
    assert SENTENCES[GpuChecks.LATER] in graded.page("ada")
    for verdict, earned, points in (
        (Verdict.WRONG_ANSWER, 0.0, "12.0"),
        (Verdict.PASSED, 1.0, "14.0"),
    ):
        measure(graded, verdict, earned)
        told = row(graded, monkeypatch)
        assert (told["score"], told["status"]) == (points, "final")
    assert exported(graded.root, monkeypatch)["bob"]["score"] == "12.0"


@pytest.mark.slow
def test_checks_that_are_left_out_count_for_no_maximum(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = repricing.set_gpu_checks(graded.root, GpuChecks.LEFT_OUT, WHY).changes
    assert [change.student for change in changes] == ["ada", "bob"]
    told = row(graded, monkeypatch)
    assert (told["score"], told["max_score"], told["status"]) == ("12.0", "18.0", "final")
    assert told["gpu_checks"] == "left_out"
    shown = graded.page("ada")
    assert "12 of 18 points" in shown
    assert SENTENCES[GpuChecks.LEFT_OUT] in shown
    assert " pending" not in shown
    assert "gpu_correct" not in shown
    overview = summary(read_marks(graded.root), names=True)
    assert overview.modules[0].waiting == ()
    assert (overview.modules[0].possible, overview.modules[0].pending) == (18, 0)
    assert SENTENCES[GpuChecks.LEFT_OUT] in page(overview)
    before = told
    measure(graded, Verdict.PASSED, 1.0)
    assert {**row(graded, monkeypatch), "timestamp": ""} == {**before, "timestamp": ""}


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [GpuChecks.LEFT_OUT, GpuChecks.LATER])
def test_no_cell_waits_for_a_person(graded: Any, chosen: GpuChecks) -> None:
    repricing.set_gpu_checks(graded.root, chosen, WHY)
    with Gradebook(database(graded.root)) as gradebook:
        grades = [
            g for s in gradebook.assignment_submissions("tiny") for g in s.notebooks[0].grades
        ]
        assert all(g.auto_score is not None for g in grades)
        assert not any(g.needs_manual_grade for g in grades)


@pytest.mark.slow
def test_going_back_gives_what_was_there(graded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before, shown = row(graded, monkeypatch), graded.page("ada")
    for chosen in (GpuChecks.LEFT_OUT, GpuChecks.LATER, GpuChecks.REQUIRED):
        repricing.set_gpu_checks(graded.root, chosen, WHY)
    assert row(graded, monkeypatch) == before
    assert graded.page("ada") == shown
    noted = store(graded.root).events(kind=Kind.GPU_CHECKS)
    assert [event.why for event in noted] == [
        f"left_out: {WHY}", f"later: {WHY}", f"required: {WHY}"
    ]  # fmt: skip


@pytest.mark.slow
def test_a_changed_module_changes_marks_only_when_it_is_published(
    graded: Any, monkeypatch: pytest.MonkeyPatch, make: SimpleNamespace
) -> None:
    before = exported(graded.root, monkeypatch)
    change_module(monkeypatch, "answer", "correct", 8)
    assert exported(graded.root, monkeypatch) == before
    [*_, attempt] = store(graded.root).history("bob", "tiny")
    Book(graded.root).enter(replace(attempt, graded=now(), id=None))
    assert exported(graded.root, monkeypatch) == before
    told = repricing.preview(graded.root, ["tiny"]).changes
    assert [(c.student, c.before.points, c.after.points) for c in told] == [
        ("ada", 12, 16),
        ("bob", 12, 16),
    ]
    assert exported(graded.root, monkeypatch) == before
    with pytest.raises(UserError, match="Say why"):
        repricing.publish(graded.root, ["tiny"], " ")
    assert repricing.publish(graded.root, ["tiny"], "too easy before").changes == told
    rows = exported(graded.root, monkeypatch)
    assert {(r["points_so_far"], r["max_score"]) for r in rows.values()} == {("16.0", "24.0")}
    assert "16 of 24 points" in graded.page("ada")
    assert "8 of 8" in graded.page("ada")
    [_, event] = store(graded.root).events(kind=Kind.POINTS)
    assert (event.why, event.document is not None) == ("too easy before", True)
    with pytest.raises(UserError, match="already"):
        repricing.publish(graded.root, ["tiny"], "again")


@pytest.mark.slow
def test_a_mark_by_hand_stays_the_same_share(graded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with Gradebook(database(graded.root)) as gradebook:
        gradebook.find_grade("explain", "lab", "tiny", "ada").manual_score = 4.5
        gradebook.db.commit()
    change_module(monkeypatch, "explain", "written", 12)
    repricing.publish(graded.root, ["tiny"], "the essay counts more")
    rows = exported(graded.root, monkeypatch)
    assert (rows["ada"]["points_so_far"], rows["bob"]["points_so_far"]) == ("21.0", "12.0")
    # The untouched answer of bob is known as such, though its cell is worth more now.
    [*_, attempt] = store(graded.root).history("bob", "tiny")
    Book(graded.root).enter(replace(attempt, graded=now(), id=None))
    assert exported(graded.root, monkeypatch)["bob"]["pending_tasks"] == "gpu_answer"


@pytest.mark.slow
def test_generating_the_assignment_anew_changes_no_points(
    graded: Any, monkeypatch: pytest.MonkeyPatch, make: SimpleNamespace
) -> None:
    repricing.set_gpu_checks(graded.root, GpuChecks.LEFT_OUT, WHY)
    before = exported(graded.root, monkeypatch)
    prepare(graded.root, ["tiny"])
    assert exported(graded.root, monkeypatch) == before
    with Gradebook(database(graded.root)) as gradebook:
        assert gradebook.find_assignment("tiny").max_score == 18
    assert repricing.points(graded.root)[0].differs == ()


@pytest.mark.slow
def test_points_that_an_instructor_gave_the_notebook_are_published_too(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = graded.root / "release" / "tiny" / "lab.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "gpu_answer":
            cell["metadata"]["nbgrader"]["points"] = 10
    path.chmod(0o644)
    path.write_text(json.dumps(notebook))
    assert repricing.points(graded.root)[0].differs == ("gpu_answer",)
    repricing.publish(graded.root, ["tiny"], "counts twice")
    told = row(graded, monkeypatch)
    assert (told["points_so_far"], told["points_pending"], told["max_score"]) == (
        "15.0", "4.0", "25.0",
    )  # fmt: skip
    assert repricing.points(graded.root)[0].differs == ()


@pytest.mark.slow
def test_the_command(graded: Any) -> None:
    def call(*arguments: str) -> Any:
        return CliRunner().invoke(
            app, ["course", "points", *arguments, "--course", str(graded.root), "--json"]
        )

    document = json.loads(call().stdout)
    assert (document["gpu_checks"], document["changes"]) == ("required", [])
    assert document["modules"][0]["possible"] == 20
    refused = call("--gpu", "later")
    assert refused.exit_code == 2
    assert "Say why" in refused.stderr
    document = json.loads(call("--gpu", "later", "--why", WHY).stdout)
    assert document["gpu_checks"] == "later"
    assert document["batch"]
    assert call("tiny", "--gpu", "later", "--why", WHY).exit_code == 2
    assert call("--publish", "--why", WHY).exit_code == 2


@pytest.mark.slow
def test_one_row_a_learner_for_an_lms(graded: Any, tmp_path: Path) -> None:
    with Gradebook(database(graded.root)) as gradebook:
        gradebook.update_or_create_student(
            "ada", first_name="=cmd|' /C calc'!A0", last_name="O'Neil, jr.", email="ada+x@ä.org"
        )
        gradebook.update_or_create_student("zoe")
    to = tmp_path / "wide.csv"
    call = ["course", "export", "--wide", "modules", "--to", str(to), "--course", str(graded.root)]
    assert CliRunner().invoke(app, call).exit_code == 0
    with to.open(encoding="utf-8") as stream:
        rows = {each["student_id"]: each for each in csv.DictReader(stream)}
    ada, bob, zoe = rows["ada"], rows["bob"], rows["zoe"]
    assert (ada["last_name"], ada["email"]) == ("O'Neil, jr.", "ada+x@ä.org")
    assert ada["first_name"] == "'=cmd|' /C calc'!A0"
    assert [each["tiny"] for each in (ada, bob, zoe)] == ["12.0", "12.0", "0.0"]
    assert [each["open"] for each in (ada, bob, zoe)] == ["tiny: 2", "tiny: 2", ""]
    with Gradebook(database(graded.root)) as gradebook:
        gradebook.add_assignment("essay")
        gradebook.add_notebook("text", "essay")
        gradebook.add_grade_cell("one", "text", "essay", max_score=3, cell_type="markdown")
    table = export.wide(graded.root, by_task=True)
    assert table.possible == {
        "essay": 3, "tiny.answer": 4, "tiny.gpu_answer": 5, "tiny.from_file": 5, "tiny.explain": 6
    }  # fmt: skip
    assert {each["tiny.gpu_answer"] for each in table.rows} == {3, 0}


@pytest.mark.slow
def test_a_course_without_a_submission_can_say_so_first(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    repricing.set_gpu_checks(course.root, GpuChecks.LEFT_OUT, WHY)
    course.submit("ada", make.lab())
    course.grade()
    told = row(course, monkeypatch)
    assert (told["score"], told["max_score"]) == ("12.0", "18.0")
    repricing.set_gpu_checks(course.root, GpuChecks.REQUIRED, "a GPU came")
    assert row(course, monkeypatch)["max_score"] == "20.0"


def test_a_task_of_gpu_checks_alone_is_worth_nothing_where_they_are_left_out() -> None:
    only = worth.TaskWorth(
        judged=True,
        checks={"fast": worth.CheckWorth(points=3, on_gpu=True)},
        possible=3,
        in_notebook=3,
    )
    alone = worth.Worth("tiny", GpuChecks.LEFT_OUT, {"gpu": only})
    assert (alone.possible("gpu"), alone.mark("gpu", None)) == (0, 0)
    assert alone.scale("gpu") == 3
