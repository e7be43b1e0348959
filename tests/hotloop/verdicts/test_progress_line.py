"""The progress line of a running check: shown while it runs, and removed afterwards."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from hotloop.tasks import render

CHECK = "from hotloop import check\ncheck('fused_softmax.online_pass')"


def run(source: str, folder: Path) -> list[Any]:
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    nbformat.validate(notebook)
    return notebook.cells[0].outputs


LINE = """
from hotloop.verdicts.progress_line import progress_line
with progress_line("a_task", 41.4) as say:
    say("measuring <fast>")
    {inside}
"""


class Following(NotebookClient):
    """Records the text of each display update."""

    def __init__(self, notebook: Any) -> None:
        super().__init__(notebook, timeout=60, allow_errors=True)
        self.said: list[dict[str, str]] = []

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        if msg["msg_type"] in {"display_data", "update_display_data"}:
            self.said.append(msg["content"]["data"])
        return super().process_message(msg, cell, cell_index)


@pytest.mark.slow
@pytest.mark.parametrize("inside", ["pass", "raise KeyboardInterrupt"])
def test_the_line_is_updated_and_vanishes(inside: str) -> None:
    notebook = new_notebook(cells=[new_code_cell(LINE.format(inside=inside))])
    client = Following(notebook)
    client.execute()
    first, second, last = client.said
    assert first["text/plain"] == "Judging a_task … (0 s, 41 s the last time)"
    assert second["text/plain"] == "Judging a_task: measuring <fast> … (0 s, 41 s the last time)"
    assert "&lt;fast&gt;" in second["text/html"]
    assert last == {}
    assert notebook.cells[0].outputs[0].data == {}
    assert not [o for o in notebook.cells[0].outputs if o.output_type == "stream"]


@pytest.mark.slow
def test_a_check_leaves_its_verdict_and_no_line(tmp_path: Path) -> None:
    for name, content in render.submission("fused_softmax").items():
        (tmp_path / name).write_bytes(content)
    cells = json.loads((tmp_path / "lab.ipynb").read_text())["cells"]
    solution = next(
        "".join(cell["source"])
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "online_pass_solution"
    )
    outputs = run(f"import torch\n{solution}\n{CHECK}", tmp_path)
    line, verdict = outputs
    assert line.data == {}
    assert verdict.output_type == "execute_result"
    assert "Judging" not in json.dumps(outputs)
    assert not [o for o in outputs if o.output_type == "stream"]


def test_nothing_is_printed_where_no_notebook_listens(capsys: pytest.CaptureFixture[str]) -> None:
    from hotloop.verdicts.progress_line import progress_line

    with progress_line("a_task") as say:
        say("measuring")
    assert capsys.readouterr() == ("", "")
