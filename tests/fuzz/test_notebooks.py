"""The generator of malformed notebooks is deterministic, and uses all registered mutations."""

import json
import os
import stat
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import notebooks
from notebook_mutations.handed import Handed, Malformed
from notebook_mutations.registry import FOLDERS, TEXTS, TREES

SEED = 3


def sound() -> dict[str, Any]:
    """A valid notebook with two tasks."""
    cells: list[dict[str, Any]] = [_cell("markdown", {}, "# Title")]
    for task in ("one", "two"):
        solution = {"grade": False, "solution": True, "locked": False, "grade_id": f"{task}_s"}
        grade = {"grade": True, "solution": False, "locked": True, "grade_id": task, "points": 2}
        cells.append(_cell("code", {"nbgrader": solution}, f"def {task}():\n    return 1"))
        cells.append(_cell("code", {"nbgrader": grade}, f"check('{task}')"))
    return {"cells": cells, "metadata": {"title": "lab"}, "nbformat": 4, "nbformat_minor": 5}


def _cell(kind: str, metadata: dict[str, Any], source: str) -> dict[str, Any]:
    outputs = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": source[:4], "metadata": metadata, "source": source, **outputs}


def made(count: int, seed: int = SEED) -> list[Malformed]:
    return list(notebooks.malformed(sound(), "lab.ipynb", "module", count, seed))


@pytest.mark.slow
def test_the_same_seed_makes_the_same_notebooks() -> None:
    assert made(40) == made(40)
    assert made(40) != made(40, seed=SEED + 1)


@pytest.mark.slow
def test_every_mutation_has_its_turn_and_a_name_of_its_own() -> None:
    names = notebooks.all_mutations()
    assert len(set(names)) == len(names) == len(TREES) + len(TEXTS) + len(FOLDERS)
    assert {one.mutation.split("+")[0] for one in made(len(names))} == set(names)


def test_the_notebook_it_begins_with_is_left_as_it_is() -> None:
    base = sound()
    list(notebooks.malformed(base, "lab.ipynb", "module", 120, SEED))
    assert base == sound()


@pytest.mark.slow
def test_what_is_changed_at_all_is_changed() -> None:
    whole = json.dumps(sound(), indent=1).encode()
    same = [one.mutation for one in made(400) if one.handed == Handed({"lab.ipynb": whole})]
    assert same == []


@pytest.mark.parametrize("name", [m.name for m in TEXTS if m.expect == "unreadable"])
def test_what_is_said_to_be_unreadable_is_no_notebook(name: str) -> None:
    one = notebooks.one(name, sound(), "lab.ipynb", "module", Random(SEED))
    data = one.handed.files["lab.ipynb"]
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return
    assert not isinstance(document, dict) or "cells" not in document or len(data) > 16 << 20


@pytest.mark.slow
def test_two_harmless_mutations_together_promise_nothing() -> None:
    stacked = [one for one in made(600) if "+" in one.mutation]
    assert stacked
    assert {one.expect for one in stacked} <= {"any", "unreadable"}


def test_folders_are_written_as_they_are_described(tmp_path: Path) -> None:
    handed = Handed(
        files={"deep/a.txt": b"a", os.fsdecode(b"\xff.txt"): b"b"},
        links={"link": "/nowhere"},
        folders=("empty",),
        pipes=("pipe",),
        sockets=("socket",),
        sparse={"zeros": 1 << 20},
    )
    handed.write(tmp_path / "student")
    root = tmp_path / "student"
    assert (root / "deep" / "a.txt").read_bytes() == b"a"
    assert (root / os.fsdecode(b"\xff.txt")).read_bytes() == b"b"
    assert (root / "link").readlink() == Path("/nowhere")
    assert (root / "empty").is_dir()
    assert stat.S_ISFIFO((root / "pipe").lstat().st_mode)
    assert stat.S_ISSOCK((root / "socket").lstat().st_mode)
    assert (root / "zeros").stat().st_size == 1 << 20
