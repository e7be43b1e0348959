"""Reads a problem of KernelBench-Hard: a folder with `reference.py`, `shapes.py`, `problem.yaml`.

    benchmarks/hard/problems-h100/05_topk_bitonic

Its scaled inputs are in `src/eval/numeric_stress.py` of the clone, which is taken along if it is
there. Source: https://github.com/Infatoshi/kernelbench.com, benchmarks/hard/SPEC.md.
"""

import ast
import json
import shutil
from pathlib import Path
from typing import Any, cast

import yaml

from hotloop.core.user_error import UserError

PROBLEM, SHAPES, TESTS = "problem.yaml", "shapes.py", "hotloop_tests.json"
FORBIDDEN = "hotloop_forbidden.json"
"""The file with the names that a solution may not use; there is none without such names."""
REFERENCE = "reference.py"
STRESS = "src/eval/numeric_stress.py"
SCALED = 3
"""Most calls with scaled inputs; a problem has two or three such cases."""


def matches(path: Path) -> bool:
    """Return whether a path is such a folder."""
    return all((path / name).is_file() for name in (PROBLEM, SHAPES, REFERENCE))


def title(path: Path) -> str:
    """Return its name in reports."""
    return path.name


def copy(path: Path, target: Path) -> None:
    """Copy the reference, and write shapes, tolerance and the number of calls as JSON."""
    shutil.copyfile(path / REFERENCE, target / REFERENCE)
    stress = path.parents[1] / STRESS
    if stress.is_file():
        shutil.copyfile(stress, target / stress.name)
    (target / TESTS).write_text(json.dumps(calls(path)))
    if names := forbidden(path):
        (target / FORBIDDEN).write_text(json.dumps(names))


def own_code(path: Path) -> str:
    """Return the problem's own code as a submission."""
    return (path / REFERENCE).read_text(encoding="utf-8")


def forbidden(path: Path) -> tuple[str, ...]:
    """Return the names that a solution may not use, as `problem.yaml` lists them."""
    return tuple(map(str, _told(path).get("forbidden") or ()))


def calls(path: Path) -> list[dict[str, Any]]:
    """Return shape, tolerance and case of each call: every shape, then the scaled inputs.

    Raises UserError for a folder in another form.
    """
    told, shapes = _told(path), _shapes(path / SHAPES)
    common: dict[str, Any] = {
        "name": str(told.get("name", "")),
        "tolerance": told.get("tolerance") or {},
    }
    plain = [{"shape": shape, "case": 0, **common} for shape in shapes]
    scaled = [{"shape": shapes[at % len(shapes)], "case": at + 1, **common} for at in range(SCALED)]
    return [*plain, *scaled]


def _told(path: Path) -> dict[str, Any]:
    try:
        told = yaml.safe_load((path / PROBLEM).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UserError(f"{path / PROBLEM} is no YAML: {error}") from None
    if not isinstance(told, dict):
        raise UserError(f"{path / PROBLEM}: expected a mapping.")
    return cast(dict[str, Any], told)


def _shapes(file: Path) -> list[dict[str, int]]:
    """Return the list `SHAPES` of the file, which is not run."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found = next(
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SHAPES"
        )
        shapes = [{str(name): int(size) for name, size in each.items()} for each in found]
    except (SyntaxError, ValueError, StopIteration, AttributeError, TypeError):
        shapes = []
    if not shapes:
        raise UserError(f"{file}: expected a list `SHAPES` of names and sizes.")
    return shapes
