"""A notebook needs no package but those that the page on a class's environment says are enough."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.core import extras, paths
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.worker.notebook import code_cells

PAGE = Path(__file__).resolve().parents[2] / "site" / "pages" / "one-gpu-for-a-class.md"
WITH_ANY_KERNEL = {"hotloop", "IPython"}
KERNELS_OWN = {"ipykernel", "jinja2", "pygments"}
"""Packages of our groups that JupyterLab brings."""
MODULES = sorted(path.parent.name for path in paths.exercises().glob(f"*/{NOTEBOOK}"))
ALONE = sorted(
    set(MODULES) & set(PAGE.read_text().split("Nothing else is needed for")[1].split("`"))
)

PROGRAM = """
import json, os, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
sys.path.insert(0, "")
names = {"__name__": "__main__"}
for cell in json.loads(sys.stdin.read()):
    try:
        exec(cell, names)
    except ImportError:
        raise
    except Exception:  # a task that is not solved, or what needs its answer
        pass
"""


def test_the_page_names_notebooks_that_need_hotloop_alone() -> None:
    assert "first_kernels" in ALONE


@pytest.mark.slow
@pytest.mark.parametrize("module", ALONE)
def test_their_cells_run_with_hotloop_alone(module: str) -> None:
    absent = {name for names in extras.IMPORTED.values() for name in names} - KERNELS_OWN
    folder = paths.exercises() / module
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([*absent, "triton"])],
        input=json.dumps(code_cells((folder / NOTEBOOK).read_bytes())),
        check=False, capture_output=True, text=True, cwd=folder,
        env={**os.environ, "HOTLOOP_REPLAY": "1", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", MODULES)
def test_the_first_cell_imports_what_the_modules_groups_install(module: str) -> None:
    folder = paths.exercises() / module
    groups = ("local", *curriculum.load_module(module).needs)
    there = {name for group in groups for name in extras.IMPORTED.get(group, ())}
    there |= {path.stem for path in folder.glob("*.py")} | WITH_ANY_KERNEL
    assert imported(code_cells((folder / NOTEBOOK).read_bytes())[0]) <= there


def imported(cell: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(cell)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found - sys.stdlib_module_names
