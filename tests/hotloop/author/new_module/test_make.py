"""A module from the templates: judged for real; only what an author must write is missing."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

NAME = "first_steps"
LEFT_TO_WRITE = {
    f"test_there_are_eight_questions_over_three_levels[{NAME}]",
    f"test_there_are_four_wrong_answers_for_known_checks[{NAME}]",
}


def _run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "graders")},
        capture_output=True,
        text=True,
        check=False,
    )


def _new(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run(tree, "hotloop.cli", "author", "new", *arguments, "--json")


@pytest.mark.slow
@pytest.mark.sandbox
def test_it_passes_the_contract_but_for_what_is_to_be_written(tree: Path) -> None:
    before = (tree / "curriculum" / "curriculum.yaml").read_text()
    made = _new(tree, NAME, "--track", "dl_compilers", "--tier", "intermediate")
    assert made.returncode == 0, made.stderr
    assert f"graders/hotloop/tasks/modules/{NAME}/tasks.py" in json.loads(made.stdout)["files"]
    after = (tree / "curriculum" / "curriculum.yaml").read_text()
    assert len(after) - len(before) == len(f", {NAME}"), "comments and order stay"
    assert _run(tree, "hotloop.cli", "author", "render").returncode == 0
    wanted = f"({NAME} or every_tree) and not other_task"
    judged = _run(tree, "pytest", "-q", "-p", "no:xdist", "tests/test_contract.py", "-k", wanted)
    failed = set(re.findall(r"^FAILED tests/test_contract.py::(\S+)", judged.stdout, re.MULTILINE))
    assert failed == LEFT_TO_WRITE, judged.stdout[-3000:]
    assert "passed" in judged.stdout
    proof = tree / "curriculum" / NAME / "proofs" / "sum_that_stops.py"
    assert subprocess.run([sys.executable, proof], check=False, capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fused_softmax", "--track", "dl_compilers"], "is there already"),
        (["Bad Name", "--track", "dl_compilers"], "like a Python variable"),
        (["another", "--track", "cooking"], "There is no track"),
        (["another", "--track", "dl_compilers", "--tier", "expert"], "There is no tier"),
    ],
)
def test_what_cannot_be_made_is_said(tree: Path, arguments: list[str], said: str) -> None:
    refused = _new(tree, *arguments)
    assert refused.returncode == 2
    assert said in refused.stderr + refused.stdout
    assert not (tree / "curriculum" / "another").exists()
