"""The demo's submissions, and what it does not touch. `make demo` itself is the long test."""

from pathlib import Path

import pytest

from hotloop.author import demo
from hotloop.course.results import Graded, TaskResult
from hotloop.tasks import curriculum, render


@pytest.mark.slow
def test_everything_that_is_promised_is_handed_in(tmp_path: Path) -> None:
    handed_in, missing = demo.hand_ins(everything=True)
    assert missing == []
    names = [each.student for each in handed_in]
    assert names[:2] == [demo.REFERENCE, demo.UNTOUCHED]
    wrong = [each for each in handed_in if each.student.startswith("wrong-")]
    known = {f"wrong-{each.name}": (each.task,) for each in render.wrong_answers(demo.MODULE)}
    assert {each.student: each.tasks for each in wrong} == known
    assert len(wrong) >= 5
    assert sum(name.startswith("cheat-") for name in names) == 3
    assert len(set(names)) == len(names)
    tasks = {task.id for task in curriculum.load_module(demo.MODULE).tasks}
    for each in handed_in:
        folder = tmp_path / each.student
        folder.mkdir()
        each.write(folder)
        assert (folder / "lab.ipynb").is_file()
        assert set(each.tasks) <= tasks


@pytest.mark.slow
def test_a_short_demo_has_a_wrong_answer_of_each_task() -> None:
    handed_in, _ = demo.hand_ins()
    assert handed_in[0].tasks == demo.TASKS
    wrong = [each for each in handed_in if each.student.startswith("wrong-")]
    assert [each.tasks for each in wrong] == [(task,) for task in demo.TASKS]
    assert {task for each in handed_in for task in each.tasks} == set(demo.TASKS)


def test_only_what_was_judged_is_shown_in_the_order_of_handing_in() -> None:
    def write(_folder: Path) -> None:
        raise AssertionError

    handed_in = [demo.DemoSubmission("z", write), demo.DemoSubmission("a", write, ("second",))]
    rows = [
        TaskResult(student, "m", task, "passed", "", 1.0, 0.0, 1.0)
        for student in ("a", "z")
        for task in ("first", "second")
    ]
    shown = demo._shown(Graded(results=rows), handed_in)
    assert [(r.student, r.task) for r in shown] == [
        ("z", "first"),
        ("z", "second"),
        ("a", "second"),
    ]


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(demo.NotADemo, match="not a demo"):
        demo.run(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "x"


def test_an_older_demo_is_made_anew(tmp_path: Path) -> None:
    demo._clear(tmp_path / "course")
    (tmp_path / "course" / "gradebook.db").write_text("old")
    demo._clear(tmp_path / "course")
    assert [path.name for path in (tmp_path / "course").iterdir()] == [demo._MARK]
