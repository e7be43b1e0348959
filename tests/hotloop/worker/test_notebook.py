"""A notebook without Jupyter: cells in order, up to the one that is judged."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.worker.notebook import (
    MAX_CELLS,
    MAX_NOTEBOOK,
    UnreadableNotebook,
    read_cells,
    run_cells,
)


def cell(source: str, **nbgrader: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": {"nbgrader": nbgrader}}


def ran(tmp_path: Path, cells: list[Any], until: str = "") -> list[str]:
    path = tmp_path / "lab.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    namespace: dict[str, Any] = {"seen": []}
    run_cells(path, namespace, until)
    return namespace["seen"]


CELLS = [
    cell("seen.append('first')"),
    {"cell_type": "markdown", "source": "seen.append('text')", "metadata": {}},
    cell("raise ValueError"),
    cell(["%matplotlib inline\n", "seen.append('magic')"]),
    cell("seen.append('written')", grade=True, solution=True, grade_id="report"),
    cell("seen.append('check')", grade=True, solution=False, grade_id="one"),
    cell("seen.append('between')"),
    cell("seen.append('check')", grade=True, solution=False, grade_id="two"),
    cell("seen.append('last')"),
]


def test_all_cells_but_the_graded_ones(tmp_path: Path) -> None:
    expected = ["first", "magic", "written", "between", "last"]
    assert ran(tmp_path, CELLS) == expected
    assert ran(tmp_path, CELLS, "no_such_task") == expected


@pytest.mark.parametrize(("task", "seen"), [("one", 3), ("two", 4)])
def test_what_stands_behind_the_judged_cell_is_not_run(
    tmp_path: Path, task: str, seen: int
) -> None:
    assert ran(tmp_path, CELLS, task) == ["first", "magic", "written", "between"][:seen]


@pytest.mark.parametrize(
    "metadata", [None, [], "x", {"nbgrader": None}, {"nbgrader": []}, {"nbgrader": {"grade": 1}}]
)
def test_odd_metadata_is_no_graded_cell(tmp_path: Path, metadata: Any) -> None:
    odd = {"cell_type": "code", "source": "seen.append(1)", "metadata": metadata}
    assert ran(tmp_path, [odd]) == [1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_encoding_that_json_has_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "lab.ipynb"
    path.write_bytes(json.dumps({"cells": CELLS[:1]}).encode(encoding))
    namespace: dict[str, Any] = {"seen": []}
    run_cells(path, namespace)
    assert namespace["seen"] == ["first"]


def test_cells_that_are_none_are_passed_over(tmp_path: Path) -> None:
    assert ran(tmp_path, [3, None, {"cell_type": "code", "source": [1, 2]}, CELLS[0]]) == ["first"]


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
