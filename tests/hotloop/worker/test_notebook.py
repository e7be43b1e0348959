"""A notebook file, and what is read of it."""

import json
from typing import Any

import pytest

from hotloop.worker.notebook import (
    MAX_CELLS,
    MAX_NOTEBOOK,
    MAX_SOURCE,
    UnreadableNotebook,
    code_cells,
    read_cells,
)


def cell(source: Any, **nbgrader: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": {"nbgrader": nbgrader}}


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_every_encoding_that_json_has_is_read(encoding: str) -> None:
    assert code_cells(json.dumps({"cells": CELLS[:1]}).encode(encoding)) == ["first"]


def test_cells_that_are_none_are_passed_over() -> None:
    none = [3, None, {"cell_type": "code", "source": [1, 2]}, cell("x" * (MAX_SOURCE + 1))]
    texts = code_cells(json.dumps({"cells": [*none, CELLS[0]]}).encode())
    assert [text for text in texts if text] == ["first"]


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
