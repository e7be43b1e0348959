"""The notebook of module array_warmup: as released, as answered, and for stock nbgrader's tests.

Both graders get the same submission file. nbgrader replaces every locked cell by the text that the
course was released with; in the stock course that text holds assertions over as many fresh arrays
as the judge uses.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MODULE = "array_warmup"
NOTEBOOK = "lab.ipynb"

POINTS = {"row_means": 2, "clipped": 3, "distances": 4}

RIGHT = {
    "row_means": "def row_means(x):\n    return x.sum(axis=1) / x.shape[1]",
    "clipped": "def clipped(x, low, high):\n    return np.clip(x, low, high)",
    "distances": (
        "def distances(a, b):\n"
        "    squares = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T\n"
        "    return np.sqrt(np.maximum(squares, 0))"
    ),
}
_UNANSWERED = {
    "row_means": "def row_means(x):\n    raise NotImplementedError",
    "clipped": "def clipped(x, low, high):\n    raise NotImplementedError",
    "distances": "def distances(a, b):\n    raise NotImplementedError",
}
_WRONG = {
    **RIGHT,
    "row_means": "def row_means(x):\n    return x.mean(axis=1) + 0.001",
    "distances": "def distances(a, b):\n    return ((a[:, None] - b[None]) ** 2).sum(2)",
}
_RAISES = {**RIGHT, "clipped": "def clipped(x, low, high):\n    return x[None, 1, 2, 3, 4]"}

_TESTS = {
    "row_means": (
        "x = rng.normal(size=(120, 40))\n"
        "got, want = row_means(x.copy()), x.mean(axis=1)"
    ),
    "clipped": (
        "x, low, high = rng.normal(size=(120, 40)), -rng.random(), rng.random()\n"
        "got, want = clipped(x.copy(), low, high), np.minimum(np.maximum(x, low), high)"
    ),
    "distances": (
        "a, b = rng.normal(size=(120, 40)), rng.normal(size=(60, 40))\n"
        "got = distances(a.copy(), b.copy())\n"
        "want = np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))"
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """A learner's cells, and the points that they must get, by task."""

    kind: str
    cells: Mapping[str, str]
    points: Mapping[str, float]


def answers() -> tuple[Answer, ...]:
    """Return the answers of a class, half of which are right in every task."""
    right = Answer("right", RIGHT, POINTS)
    wrong = Answer("wrong", _WRONG, {"row_means": 0, "clipped": 3, "distances": 0})
    raises = Answer("raises", _RAISES, {"row_means": 2, "clipped": 0, "distances": 4})
    unanswered = Answer("unanswered", _UNANSWERED, dict.fromkeys(POINTS, 0))
    return (right, wrong, right, raises, right, unanswered)


def answer_of(number: int) -> Answer:
    """Return the answer of the learner with this number."""
    return answers()[number % len(answers())]


def submitted(answer: Answer, number: int) -> dict[str, Any]:
    """Return a learner's notebook; no two learners' notebooks are equal."""
    notebook = released(answer.cells)
    notebook["cells"][0]["source"] += f"\n\nHanded in by learner {number}."
    return notebook


def released(solutions: Mapping[str, str] = _UNANSWERED) -> dict[str, Any]:
    """Return the notebook with these solutions; by default the one that learners start from."""
    return _notebook(solutions, {task: f'check("{MODULE}.{task}")' for task in POINTS})


def stock_source() -> dict[str, Any]:
    """Return an instructor's notebook for stock nbgrader: the same, with hidden assertions."""
    return _notebook(_UNANSWERED, {task: _assertions(task) for task in POINTS})


def _assertions(task: str) -> str:
    body = "\n".join(f"    {line}" for line in _TESTS[task].splitlines())
    return (
        "### BEGIN HIDDEN TESTS\n"
        "rng = np.random.default_rng()\n"
        "for _ in range(5):\n"
        f"{body}\n"
        "    assert got.shape == want.shape\n"
        "    assert np.allclose(got, want, rtol=1e-9, atol=1e-9)\n"
        "### END HIDDEN TESTS"
    )


def _notebook(solutions: Mapping[str, str], tests: Mapping[str, str]) -> dict[str, Any]:
    cells = [
        _cell("markdown", "title", "# Array warm-up"),
        _cell("code", "setup", "import numpy as np\n\nfrom hotloop import check"),
    ]
    for task, points in POINTS.items():
        solution = {"grade": False, "solution": True, "locked": False}
        grade = {"grade": True, "solution": False, "locked": True, "points": points}
        cells.append(_cell("code", f"{task}_solution", solutions[task], solution))
        cells.append(_cell("code", task, tests[task], grade))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return copy.deepcopy(whole)


def _cell(
    kind: str, name: str, source: str, marks: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    metadata = (
        {"nbgrader": {"schema_version": 3, "grade_id": name, "task": False, **marks}}
        if marks
        else {}
    )
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": name, "metadata": metadata, "source": source, **code}
