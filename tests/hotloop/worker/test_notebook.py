"""A notebook without Jupyter: cells in order, up to the one that is judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.worker.notebook import run_cells


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
