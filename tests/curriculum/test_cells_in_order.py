"""A notebook's cells use only what cells before them have made."""

import json
import subprocess
import sys

import pytest

from hotloop.tasks import render
from hotloop.tasks.curriculum import modules


def undefined(code: str) -> list[str]:
    """Names that are used at the top level before anything has bound them."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821"]
    command += ["--output-format", "json", "--stdin-filename", "cells.py", "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    return [found["message"] for found in json.loads(done.stdout)]


def cells(notebook: bytes) -> str:
    sources = [
        cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        for cell in json.loads(notebook)["cells"]
        if cell["cell_type"] == "code"
    ]
    return "\n\n".join(sources)


@pytest.mark.parametrize("module", [module.id for module in modules()])
def test_cells_run_in_order(module: str) -> None:
    assert undefined(cells(render.submission(module)["lab.ipynb"])) == []


def test_a_name_that_comes_too_late_is_found() -> None:
    assert undefined("print(folder)\nfolder = 1\n") == ["Undefined name `folder`"]
