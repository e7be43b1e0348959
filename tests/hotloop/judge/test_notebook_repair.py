"""Which cells of a notebook a task is judged with, whatever was done to them."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.notebook import cells_to_run
from hotloop.judge.notebook_release import Release, exercise, of_files
from hotloop.judge.notebook_repair import repaired
from hotloop.tasks import curriculum
from hotloop.worker.notebook import MAX_SOURCE


def cell(source: Any, **nbgrader: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": {"nbgrader": nbgrader}}


def check(task: str) -> dict[str, Any]:
    marks = {"grade": True, "solution": False, "locked": True, "task": False, "points": 1}
    return cell(f"check('mine.{task}')", grade_id=task, **marks)


def stub(task: str) -> dict[str, Any]:
    marks = {"grade": False, "solution": True, "locked": False, "task": False}
    source = f"### TASK mine.{task}\ndef {task}():\n    raise NotImplementedError"
    return cell(source, grade_id=f"{task}_solution", **marks)


RELEASED = [cell("import json"), stub("one"), check("one"), stub("two"), check("two")]
del RELEASED[0]["metadata"]["nbgrader"]
NOTEBOOK = {"cells": RELEASED, "metadata": {"kernelspec": {}}}
RELEASE = of_files("mine", {"lab.ipynb": json.dumps(NOTEBOOK).encode()}, ())


def run_of(cells: Sequence[Any], task: str = "", release: Release = RELEASE) -> list[str]:
    return repaired(json.dumps({"cells": cells}).encode(), release).before(task)


ONE, TWO = "def one(): return 1", "def two(): return 2"
CELLS = [
    cell("first"),
    {"cell_type": "markdown", "source": "text", "metadata": {}},
    cell(["%%time\n", "magic"]),
    cell(ONE, grade_id="one_solution"),
    check("one"),
    cell("between"),
    cell(TWO, grade_id="two_solution"),
    check("two"),
    cell("last"),
]
TEXTS = ["first", "%%time\nmagic", ONE, "between", TWO, "last"]


@pytest.mark.parametrize(("task", "count"), [("one", 3), ("two", 5), ("", 6), ("no_such_task", 6)])
def test_what_stands_behind_the_judged_cell_is_not_run(task: str, count: int) -> None:
    assert run_of(CELLS, task) == TEXTS[:count]


@pytest.mark.parametrize("task", ["one", "two"])
def test_of_several_checks_of_a_task_the_last_counts(task: str) -> None:
    assert run_of([check(task), *CELLS], task) == run_of(CELLS, task)


@pytest.mark.parametrize(
    "named",
    [
        {"cell_type": "code", "id": "one", "source": "anything"},
        {"cell_type": "code", "source": "check('mine.one')"},
        {"cell_type": "code", "source": " check('mine.one')\n"},
        {"cell_type": "markdown", "source": "x", "metadata": {"nbgrader": {"grade_id": "one"}}},
    ],
)
def test_a_check_without_its_metadata_is_found(named: dict[str, Any]) -> None:
    texts = run_of([cell("first"), cell(ONE), named, cell("last")], "one")
    assert [text for text in texts if text != "anything"] == ["first", ONE]


def test_a_check_that_is_deleted_stands_behind_its_code_and_before_the_next_task() -> None:
    assert run_of([one for one in CELLS if one != check("one")], "one") == TEXTS[:4]
    assert run_of([one for one in CELLS if one != check("two")], "two") == TEXTS


def test_a_check_that_is_moved_up_stands_behind_its_code() -> None:
    rest = [one for one in CELLS if one != check("two")]
    assert run_of([check("two"), *rest], "two") == TEXTS


def test_a_cell_as_handed_out_does_not_undo_the_answer() -> None:
    assert run_of([cell(ONE), stub("one"), check("one")], "one") == [ONE]
    assert run_of([cell(ONE), check("one"), stub("two")], "two") == [ONE, stub("two")["source"]]


def test_what_was_written_into_a_check_runs_before_it() -> None:
    source = f"{ONE}\ncheck('mine.one')"
    assert run_of([cell(source, grade_id="one"), cell("last")], "one") == [f"{ONE}\n"]


@pytest.mark.parametrize(
    "metadata", [None, [], "x", {"nbgrader": None}, {"nbgrader": []}, {"nbgrader": {"grade": 1}}]
)
def test_odd_metadata_is_no_check(metadata: Any) -> None:
    odd = {"cell_type": "code", "source": "odd", "metadata": metadata}
    assert run_of([odd]) == ["odd"]


def test_cells_that_are_none_are_passed_over() -> None:
    none = [3, None, {"cell_type": "code", "source": [1, 2]}, cell("x" * (MAX_SOURCE + 1))]
    assert run_of([*none, CELLS[0]]) == ["first"]


def test_a_folder_without_an_exercise_runs_all_cells() -> None:
    assert exercise("no_such_module").cells == []
    assert run_of([cell("first"), cell(ONE)], "one", exercise("no_such_module")) == ["first", ONE]


def test_a_notebook_that_cannot_be_read_is_ruled_on(tmp_path: Any) -> None:
    (tmp_path / "lab.ipynb").write_text("[]")
    with pytest.raises(Ruling) as ruling:
        cells_to_run(SubmissionFiles(tmp_path), "lab.ipynb", "llm_serving_engine", "capacity")
    assert ruling.value.verdict is Verdict.RUNTIME_ERROR
    assert "not a notebook" in ruling.value.sentence


@pytest.mark.parametrize("module", curriculum.modules(), ids=lambda m: m.id)
def test_an_exercise_is_judged_as_it_was_handed_out(module: curriculum.Module) -> None:
    """Each judged task has its check, and what runs before it are all cells above that are none."""
    released = exercise(module.id)
    data = (paths.exercises() / module.id / "lab.ipynb").read_bytes()
    cells = json.loads(data)["cells"]
    checks = {known.grade_id for known in released.cells if known.grade and not known.solution}
    assert checks == {task.id for task in module.tasks if task.kind == "code"}
    code: list[str] = []
    for each in cells:
        name = each["metadata"].get("nbgrader", {}).get("grade_id")
        if name in checks:
            assert repaired(data, released).before(name) == code
        elif each["cell_type"] == "code":
            code.append("".join(each["source"]))
