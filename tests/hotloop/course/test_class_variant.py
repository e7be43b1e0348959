"""A class with a variant: the files it gets, and how its answers are graded."""

import json
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.course import classroom, prepare
from hotloop.course.attempts.store import store
from hotloop.course.grade import grade
from hotloop.tasks.lesson_files import beside_notebook
from hotloop.tasks.render import render, submission
from hotloop.tasks.variants import beside, of_class, plain

MODULE, TASK = "ssa_passes", "fold"
WORD = "autumn 2030"


@pytest.fixture
def room(tmp_path: Path) -> classroom.Classroom:
    course = tmp_path / classroom.COURSE
    course.mkdir()
    (course / "hotloop.yaml").write_text(f"variant: {WORD}\n")
    return classroom.make(tmp_path, [MODULE])


def hand_in(room: classroom.Classroom, student: str, files: dict[str, bytes]) -> None:
    folder = room.course / "submitted" / student / MODULE
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def test_another_class_is_asked_something_else() -> None:
    first, again, other = (of_class(MODULE, word) for word in (WORD, WORD, "spring 2031"))
    assert first == again
    assert first.digest not in {"", other.digest}


@pytest.mark.slow
def test_a_word_changes_what_is_handed_out(tmp_path: Path) -> None:
    published = prepare.exercise(tmp_path, MODULE)
    assert published == {**render(MODULE), **beside_notebook(MODULE)}
    (tmp_path / "hotloop.yaml").write_text(f"variant: {WORD}\n")
    asked = dict(prepare.exercise(tmp_path, MODULE))
    assert json.loads(asked.pop("variant.json")) == of_class(MODULE, WORD).to_json()
    assert asked.keys() == published.keys()
    assert asked != published


def test_without_the_solutions_there_is_no_variant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hotloop.yaml").write_text(f"variant: {WORD}\n")
    monkeypatch.setattr(paths, "solutions", lambda: tmp_path / "nowhere")
    with pytest.raises(UserError, match="needs the solutions"):
        prepare.exercise(tmp_path, MODULE)


@pytest.mark.slow
def test_the_notebook_that_was_fetched_checks_its_own_variant(room: classroom.Classroom) -> None:
    release = room.course / "release" / MODULE
    assert beside(release, MODULE) == of_class(MODULE, WORD)
    assert beside(release, "tvm_passes") == plain("tvm_passes")
    (release / "variant.json").write_text("{}")
    with pytest.raises(ValueError, match=r"variant\.json.*fetch the module again"):
        beside(release, MODULE)


@pytest.mark.slow
def test_answers_of_another_class_earn_nothing(room: classroom.Classroom) -> None:
    variant = of_class(MODULE, WORD)
    hand_in(room, "right", submission(MODULE, variant=variant))
    hand_in(room, "published", submission(MODULE))
    hand_in(room, "nothing", render(MODULE, variant))
    forged = json.dumps(plain(MODULE).to_json()).encode()
    hand_in(room, "forged", {**submission(MODULE), "variant.json": forged})
    graded = grade(room.course, settings={"tasks": [TASK]}, feedback=False)
    assert not graded.problems
    found = {
        student: attempt.records[TASK].verdict
        for student in ("right", "published", "nothing", "forged")
        if (attempt := store(room.course).published(student, MODULE)) is not None
    }
    assert found.pop("right") is Verdict.PASSED
    assert len(found) == 3
    assert not set(found.values()) & {Verdict.PASSED, Verdict.PARTIAL, Verdict.JUDGE_ERROR}
    assert not any(verdict.pending for verdict in found.values())
