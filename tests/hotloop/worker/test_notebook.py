"""A notebook file: what is read of it, and which of its cells a task is judged with."""

import json
from typing import Any

import pytest

from hotloop.worker.notebook import (
    MAX_CELLS,
    MAX_NOTEBOOK,
    MAX_SOURCE,
    UnreadableNotebook,
    cells_to_run,
    code_cells,
    read_cells,
)


def cell(source: Any, **nbgrader: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": {"nbgrader": nbgrader}}


def run_of(cells: list[Any], task: str = "") -> list[str]:
    return cells_to_run(read_cells(json.dumps({"cells": cells}).encode()), task)


CELLS = [
    cell("first"),
    {"cell_type": "markdown", "source": "text", "metadata": {}},
    cell(["%%time\n", "magic"]),
    cell("written", grade=True, solution=True, grade_id="report"),
    cell("check", grade=True, solution=False, grade_id="one"),
    cell("between"),
    cell("check", grade=True, solution=False, grade_id="two"),
    cell("last"),
]


def test_all_cells_but_the_checks() -> None:
    expected = ["first", "%%time\nmagic", "written", "between", "last"]
    assert run_of(CELLS) == expected
    assert run_of(CELLS, "no_such_task") == expected


@pytest.mark.parametrize(("task", "count"), [("one", 3), ("two", 4)])
def test_what_stands_behind_the_judged_cell_is_not_run(task: str, count: int) -> None:
    assert run_of(CELLS, task) == ["first", "%%time\nmagic", "written", "between"][:count]


def test_of_several_checks_of_a_task_the_last_counts() -> None:
    assert run_of([CELLS[4], *CELLS], "one") == run_of(CELLS, "one")


@pytest.mark.parametrize(
    "check",
    [
        {"cell_type": "code", "id": "one", "source": "anything"},
        {"cell_type": "code", "source": "check('mine.one')"},
        {"cell_type": "code", "source": ' check( "mine.one" )\n'},
        {"cell_type": "markdown", "source": "x", "metadata": {"nbgrader": {"grade_id": "one"}}},
    ],
)
def test_a_check_without_its_metadata_is_found(check: dict[str, Any]) -> None:
    assert run_of([cell("first"), check, cell("last")], "one") == ["first"]


@pytest.mark.parametrize(
    "metadata", [None, [], "x", {"nbgrader": None}, {"nbgrader": []}, {"nbgrader": {"grade": 1}}]
)
def test_odd_metadata_is_no_check(metadata: Any) -> None:
    odd = {"cell_type": "code", "source": "odd", "metadata": metadata}
    assert run_of([odd]) == ["odd"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_encoding_that_json_has_is_read(encoding: str) -> None:
    assert code_cells(json.dumps({"cells": CELLS[:1]}).encode(encoding)) == ["first"]


def test_cells_that_are_none_are_passed_over() -> None:
    none = [3, None, {"cell_type": "code", "source": [1, 2]}, cell("x" * (MAX_SOURCE + 1))]
    assert run_of([*none, CELLS[0]]) == ["first"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty file"),
        (b'{"cells": [', "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
        (b"42", "not a notebook"),
        (b'{"cells": 3}', "has no cells"),
        (b" " * (MAX_NOTEBOOK + 1), "longer than 16 MiB"),
        (json.dumps({"cells": [{}] * (MAX_CELLS + 1)}).encode(), "more than 2000 cells"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_read_says_why(data: bytes, said: str) -> None:
    with pytest.raises(UnreadableNotebook, match=said):
        read_cells(data)


@pytest.mark.parametrize("module", ["mine", ""])
def test_a_notebook_is_its_modules(module: str) -> None:
    cells = [cell("check('mine.one')"), cell('check("yours.one")')]
    assert len(read_cells(json.dumps({"cells": cells}).encode(), module)) == 2
    assert read_cells(json.dumps({"cells": CELLS}).encode(), module)


def test_a_notebook_of_another_module_names_both() -> None:
    data = json.dumps({"cells": [cell("import torch"), cell('check("yours.one")')]}).encode()
    with pytest.raises(
        UnreadableNotebook, match=r"notebook of yours: it calls check\('yours.one'\)"
    ) as e:
        read_cells(data, "mine")
    assert str(e.value).endswith("Expected the notebook of mine: use that one.")
