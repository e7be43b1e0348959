"""One malformed submission of every level in one batch: a small sample of the fuzzer's.

`tests/benchmarks/malformed_notebooks.py` grades hundreds.
"""

import json
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import notebooks

SEED = 11
GOOD = {"answer": "passed", "gpu_answer": "partial", "from_file": "passed", "explain": "by hand"}
LEVELS = 11
ALWAYS = ("bytes.byte_order_mark", "timestamp.timestamp_that_is_none", "beside.odd_names")
"""Mutations that once made a right answer unreadable, or prevented its grading."""


def sample() -> list[str]:
    """Return a mutation of each level, and those of ALWAYS."""
    levels: dict[str, list[str]] = {}
    for name in notebooks.all_mutations():
        levels.setdefault(name.split(".")[0], []).append(name)
    assert len(levels) == LEVELS
    rng = Random(SEED)
    return sorted({rng.choice(sorted(names)) for names in levels.values()} | set(ALWAYS))


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(400)
def test_each_gets_a_verdict_and_the_neighbors_theirs(
    confined_course: Any, make: SimpleNamespace
) -> None:
    course = confined_course
    base = json.loads(json.dumps(make.lab()))
    cases = {
        f"case_{number:02}": notebooks.one(name, base, "lab.ipynb", "tiny", Random(SEED))
        for number, name in enumerate(sample())
    }
    for student, case in cases.items():
        folder = course.root / "submitted" / student / "tiny"
        case.handed.write(folder)
        (folder / "work.py").write_text("def work():\n    return 42\n")
    for student in ("a_neighbor", "case_05_neighbor", "z_neighbor"):
        course.submit(student, make.lab())
    graded = course.grade(cell_timeout_s=4.0)
    assert graded.problems == {}
    verdicts = course.verdicts(graded)
    for student in ("a_neighbor", "case_05_neighbor", "z_neighbor"):
        assert verdicts.pop(student) == GOOD
    assert verdicts.keys() == cases.keys()
    for student, case in cases.items():
        _as_expected(case, verdicts[student])


def _as_expected(case: Any, found: dict[str, str]) -> None:
    assert found.keys() == GOOD.keys(), case.mutation
    assert "judge_error" not in found.values(), case.mutation
    if case.expect == "same":
        assert found == GOOD, case.mutation
    if case.expect == "unreadable":
        assert found == GOOD | {"answer": "runtime_error", "gpu_answer": "runtime_error"}
