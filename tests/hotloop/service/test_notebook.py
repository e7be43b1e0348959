"""`check("…")` in a notebook asks the service, and shows the same result."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

from hotloop.core.user_error import UserError
from hotloop.learn.notebook import check
from hotloop.learn.remote import place, saved_notebook
from hotloop.service.app import served

from .conftest import School
from .test_client import judging, own_files
from .web.serving import listening

__all__ = ["own_files"]

CELL = 'from hotloop import check\ncheck("ssa_passes.fold")'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's folder, with a notebook that has one cell."""
    work = tmp_path / "work"
    work.mkdir()
    written(work, CELL)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def logged_in(school: School, monkeypatch: pytest.MonkeyPatch) -> Iterator[School]:
    with listening(served(school.service)) as port, judging(school):
        url = f"http://127.0.0.1:{port}"
        place.remember(url, school.tokens["ada"])
        monkeypatch.setenv(place.SERVER, url)
        yield school


def written(folder: Path, *cells: str) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
    nbformat.write(notebook, folder / "lab.ipynb")


@pytest.mark.slow
def test_the_same_card_is_shown(logged_in: School, folder: Path) -> None:
    shown = check("ssa_passes.fold")
    assert shown.record.verdict.value == "passed"
    html = shown._repr_mimebundle_()["text/html"]
    assert "hl-badge" in html
    assert "10" in html


def test_what_was_run_and_is_not_saved_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ["", "def fold(program):\n    return program", CELL]
    monkeypatch.setattr(saved_notebook, "_run", lambda: run)
    monkeypatch.setattr(saved_notebook, "_seen", 0)
    with pytest.raises(UserError, match="Save the notebook"):
        saved_notebook.require_saved(folder / "lab.ipynb")
    # It may have been changed or deleted since.
    saved_notebook.require_saved(folder / "lab.ipynb")
    run.append("x = 1")
    with pytest.raises(UserError, match="Save the notebook"):
        saved_notebook.require_saved(folder / "lab.ipynb")
    written(folder, CELL, "x = 1", "y = 2")
    run.append("y = 2")
    saved_notebook.require_saved(folder / "lab.ipynb")


@pytest.mark.slow
def test_in_a_real_kernel(logged_in: School, folder: Path) -> None:
    manager, client = start_new_kernel(cwd=str(folder))
    try:
        assert "hl-badge" in json.dumps(outputs(client, CELL))
        outputs(client, "fold = None")
        assert "Save the notebook" in json.dumps(outputs(client, CELL))
        written(folder, CELL, "fold = 1")
        outputs(client, "fold = 1")
        assert "hl-badge" in json.dumps(outputs(client, CELL))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def outputs(client: Any, source: str) -> list[Any]:
    found: list[Any] = []
    client.execute_interactive(
        source, timeout=120, output_hook=lambda m: found.append(m["content"])
    )
    return found
