"""The notebook that is graded, repaired from whatever was handed in."""

import json
from collections.abc import Collection
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.nbgraderformat import MetadataValidator

from hotloop.course.repair import repair
from hotloop.judge.notebook_release import Release, ReleasedCell
from hotloop.judge.notebook_repair import MISSING_ANSWER, NOTHING_RELEASED
from hotloop.worker.notebook import MAX_NOTEBOOK

RELEASED = [
    ReleasedCell("first_answer", "code", "def f(): ...", "a" * 32, False, False, True, False, None),
    ReleasedCell("first", "code", "check('m.first')", "b" * 32, True, True, False, False, 4.0),
    ReleasedCell("explain", "markdown", "Write here.", "c" * 32, False, True, True, False, 6.0),
    ReleasedCell("last", "code", "check('m.last')", "d" * 32, True, True, False, False, 2.0),
]


def release(module: str = "", texts: Collection[str] = ()) -> Release:
    return Release(module, {"name": "python3", "display_name": "Python 3"}, RELEASED, texts, {}, ())


def cell(source: Any, grade_id: Any = None, kind: Any = "code", **more: Any) -> dict[str, Any]:
    metadata = {} if grade_id is None else {"nbgrader": {"grade_id": grade_id}}
    return {"cell_type": kind, "source": source, "metadata": metadata, **more}


FULL = [
    cell("import torch"),
    cell("def f(): return 1", "first_answer"),
    cell("check('m.first')", "first"),
    cell("Because.", "explain", "markdown"),
    cell("check('m.last')", "last"),
]


def repaired(cells: Any, **more: Any) -> Any:
    return repair(json.dumps({"cells": cells, **more}).encode(), release())


def ids(result: Any) -> list[str]:
    return [c.metadata.get("nbgrader", {}).get("grade_id", "") for c in result.notebook.cells]


def check_sound(result: Any) -> None:
    """Check that nbgrader and nbformat accept it, and that all graded cells are there."""
    nbformat.validate(result.notebook)
    MetadataValidator().validate_nb(result.notebook)
    assert {"first", "explain", "last"} <= set(ids(result))
    for node in result.notebook.cells:
        assert set(node.metadata) <= {"nbgrader"}
        known = {r.grade_id: r for r in RELEASED}.get(
            node.metadata.get("nbgrader", {}).get("grade_id")
        )
        if known is not None:
            assert node.metadata["nbgrader"].get("points") == known.points
            assert not known.locked or node.source == known.source


def test_a_good_notebook_stays_as_it_is() -> None:
    result = repaired(FULL)
    check_sound(result)
    assert ids(result) == ["", "first_answer", "first", "explain", "last"]
    assert [c.source for c in result.notebook.cells] == [c["source"] for c in FULL]
    assert result.notes == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({2: None}, ["", "first_answer", "first", "explain", "last"], id="deleted"),
        pytest.param(
            {4: None}, ["", "first_answer", "first", "explain", "last"], id="deleted last"
        ),
        pytest.param(
            {2: cell("check('m.first')", "frist")},
            ["", "first_answer", "first", "explain", "last"],
            id="changed grade id, same text",
        ),
        pytest.param(
            {2: cell("points = 4", "frist")},
            ["", "first_answer", "", "first", "explain", "last"],
            id="changed grade id and text",
        ),
        pytest.param(
            {2: cell("points = 4", None, id="first")},
            ["", "first_answer", "", "first", "explain", "last"],
            id="metadata stripped, cell id kept",
        ),
        pytest.param(
            {2: cell("check('m.first')", ["first"])},
            ["", "first_answer", "first", "explain", "last"],
            id="grade id of another type",
        ),
        pytest.param(
            {0: cell("check('m.first')", "first")},
            ["first_answer", "first", "explain", "last"],
            id="doubled: the last counts",
        ),
        pytest.param(
            {3: cell("Because.", "explain", "code")},
            ["", "first_answer", "first", "explain", "last"],
            id="changed cell type",
        ),
        pytest.param(
            {3: cell("Because.", "explain", "raw")},
            ["", "first_answer", "first", "explain", "last"],
            id="raw cell",
        ),
    ],
)
def test_graded_cells_come_back_with_their_metadata(
    changes: dict[int, Any], expected: list[str]
) -> None:
    cells = [changes.get(number, given_cell) for number, given_cell in enumerate(FULL)]
    result = repaired([c for c in cells if c is not None])
    check_sound(result)
    assert ids(result) == expected


def test_a_locked_cell_gets_its_released_text_back_and_what_was_in_it_runs_before_it() -> None:
    result = repaired([cell("def f(): return 1", "first"), *FULL[3:]])
    check_sound(result)
    assert ids(result) == ["", "first", "explain", "last"]
    assert [c.source for c in result.notebook.cells][:2] == [
        "def f(): return 1",
        "check('m.first')",
    ]
    assert ["was changed" in note for note in result.notes] == [True]


def answer(cells: list[Any]) -> str:
    """Return the source of the written task's cell, as it is graded."""
    result = repaired(cells)
    check_sound(result)
    (found,) = (c.source for c in result.notebook.cells if c.source.startswith("Write here."))
    return found


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(None, id="deleted"),
        pytest.param(cell("", "explain", "markdown"), id="emptied"),
        pytest.param(cell(" \n\t\u00a0\u200b", "explain", "markdown"), id="blank"),
        pytest.param(cell("---\n…", "explain", "markdown"), id="no word"),
        pytest.param({"cell_type": "raw", "id": "explain"}, id="no source"),
        pytest.param(cell("\nWrite  here.\n", "explain", "raw"), id="other blanks"),
    ],
)
def test_a_written_answer_that_says_nothing_is_an_untouched_one(written: Any) -> None:
    cells = [written if c is FULL[3] else c for c in FULL]
    assert answer([c for c in cells if c is not None]) == "Write here."


def test_a_missing_answer_that_may_stand_elsewhere_is_for_a_person() -> None:
    elsewhere = cell("Because two passes read it twice.", kind="markdown")
    assert MISSING_ANSWER in answer([*FULL[:3], elsewhere, FULL[4]])


@pytest.mark.parametrize(
    "given",
    [
        cell("Because", "other", "code"),
        cell("check('m.first')", "first", "raw"),
        cell("import torch", None, "raw"),
        cell("…", None, "markdown"),
        cell("%%bash\necho Because"),
    ],
    ids=["code", "a released cell", "a released text", "no word", "a magic"],
)
def test_what_was_given_is_no_answer_elsewhere(given: Any) -> None:
    data = json.dumps({"cells": [*FULL[:3], given]}).encode()
    result = repair(data, release(texts={"import torch"}))
    assert MISSING_ANSWER not in json.dumps(result.notebook)


@pytest.mark.parametrize("kind", ["raw", "markdown", "heading"])
@pytest.mark.parametrize("named", [{"grade_id": "first_answer"}, {"id": "first_answer"}, {}])
def test_code_in_a_cell_that_no_kernel_runs_is_for_a_person_if_nothing_else_answers(
    kind: str, named: dict[str, str]
) -> None:
    retyped = cell("def f(): return 1", kind=kind) | named
    retyped["metadata"] = {"nbgrader": {"grade_id": named.get("grade_id")}}
    result = repaired([FULL[0], retyped, *FULL[2:]])
    check_sound(result)
    code = [c.source for c in result.notebook.cells if c.cell_type == "code"]
    assert code == ["import torch", "check('m.first')", "check('m.last')"]
    assert list(result.persons) == ["first"]
    (note,) = result.notes
    assert note.startswith("The cell “first_answer” is a ")
    assert "press Esc, then Y" in note
    beside = repaired([FULL[0], retyped, FULL[0], cell("def f(): return 2"), *FULL[2:]])
    assert list(beside.persons) == []


def test_what_is_no_code_answers_no_code_task() -> None:
    retyped = cell("def f( returns one", "first_answer", "markdown")
    result = repaired([FULL[0], retyped, *FULL[2:]])
    assert [c.source for c in result.notebook.cells if c.cell_type == "code"][1] == FULL[2][
        "source"
    ]
    assert "returns one" in json.dumps(result.notebook)
    assert "is not run" in result.notes[0]


@pytest.mark.parametrize("kind", ["", None, 7, "CODE"])
def test_a_cell_of_no_kind_is_what_it_was_released_as(kind: Any) -> None:
    result = repaired([FULL[0], cell("def f(): return 1", "first_answer", kind), *FULL[2:]])
    code = [c.source for c in result.notebook.cells if c.cell_type == "code"]
    assert "def f(): return 1" in code
    assert result.notes == []


def test_the_notebook_of_another_module_is_refused() -> None:
    data = json.dumps({"cells": FULL}).encode()
    assert repair(data, release("m")).unreadable == ""
    result = repair(data, release("other"))
    check_sound(result)
    assert result.unreadable == (
        "This is the notebook of m: it calls check('m.first'). Expected the notebook of other: "
        "use that one."
    )
    assert result.notes == [result.unreadable]
    assert "Because." not in json.dumps(result.notebook)


def test_a_notebook_that_checks_several_modules_is_graded() -> None:
    beside = cell("check('m.first')")
    data = json.dumps({"cells": [beside, cell('check("other.last")')]}).encode()
    assert repair(data, release("other")).unreadable == ""


def test_a_notebook_without_a_cell_of_the_exercise_says_so() -> None:
    assert repaired([cell("x = 1")]).notes == [NOTHING_RELEASED]
    assert NOTHING_RELEASED not in repaired([FULL[2]]).notes


@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
def test_a_text_in_a_notebook_without_the_exercises_cells_is_for_a_person(kind: str) -> None:
    assert MISSING_ANSWER in answer([cell("A text of mine.", kind=kind)])


def test_claims_and_outputs_of_the_file_are_dropped() -> None:
    claimed = cell("check('m.first')", "first", outputs=[{"output_type": "stream"}], id="first")
    claimed["metadata"]["nbgrader"].update(points=1000, schema_version=99, task=True, locked=False)
    claimed["metadata"].update(tags=['"><script>'], magics_language='"><script>')
    result = repaired([claimed], metadata={"language_info": {"name": "<script>"}})
    check_sound(result)
    assert "script" not in json.dumps(result.notebook)


def test_old_format_with_worksheets_is_read() -> None:
    cells = [{"cell_type": "code", "input": ["def f():\n", "    return 1"], "outputs": []}]
    data = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    result = repair(data, release())
    check_sound(result)
    assert result.notebook.cells[0].source == "def f():\n    return 1"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "No notebook was handed in"),
        (b"", "empty file"),
        (b" \n ", "empty file"),
        (b'{"cells": [', "not valid JSON"),
        (b"\xff\xfe\x00", "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
        (b"42", "not a notebook"),
        (b'{"cells": 3}', "has no cells"),
        (b"{}", "has no cells"),
        (b'{"cells": []}', "is empty"),
        (json.dumps({"cells": [cell("")] * 3}).encode(), "is empty"),
        (b" " + b"x" * MAX_NOTEBOOK, "longer than"),
        (json.dumps({"cells": [cell("1")] * 3000}).encode(), "more than"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_read_is_told_and_still_graded(data: bytes | None, said: str) -> None:
    result = repair(data, release())
    check_sound(result)
    assert said in result.unreadable
    assert result.notes == [result.unreadable]


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_keys = st.sampled_from(["cell_type", "source", "metadata", "id", "outputs", "input"])
_values = _json | st.sampled_from(
    ["code", "markdown", "raw", "first", {"nbgrader": {"grade_id": "first"}}, {"nbgrader": 3}]
)


@pytest.mark.slow
@given(st.lists(st.dictionaries(_keys, _values) | _json, max_size=6))
def test_no_json_breaks_it(cells: list[Any]) -> None:
    check_sound(repaired(cells))


def test_half_characters_can_be_written() -> None:
    result = repair(b'{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}', release())
    assert nbformat.writes(result.notebook).encode()
    assert result.notebook.cells[0].source == "x = '?'"


def test_a_cell_that_cannot_be_read_leaves_a_note() -> None:
    result = repaired([cell({"not": "text"}), cell("y" * 300_000), *FULL])
    check_sound(result)
    assert all("left out" in c.source for c in result.notebook.cells[:2])


@pytest.mark.slow
@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    check_sound(repair(data, release()))
