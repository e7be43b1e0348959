"""A problem, an author's own or one of a public set, as a module's first draft."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .test_make import _new, _run

PROBLEMS = Path(__file__).parents[1] / "external" / "problems"
OWN = Path(__file__).parents[3] / "docs" / "prefix_sum"
DRAFTS = {
    "drafted_softmax": PROBLEMS / "7_Scaled_softmax.py",
    "drafted_sum": PROBLEMS / "running_sum",
    "drafted_norm": PROBLEMS / "trace" / "definitions" / "norm" / "scaled_norm_d512.json",
    "drafted_scan": OWN,
}


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_draft_is_judged_and_lacks_only_what_an_author_writes(tree: Path) -> None:
    for name, problem in DRAFTS.items():
        made = _new(tree, name, "--track", "dl_compilers", "--from", str(problem))
        assert made.returncode == 0, made.stderr
    assert _run(tree, "hotloop.cli", "author", "render").returncode == 0
    # Also the slow ones: the reference passes, and zeros fail.
    judged = _run(tree, "pytest", "-q", "-p", "no:xdist", "-m", "", "tests/test_contract.py",
                  "-k", "drafted_ or every_tree")  # fmt: skip
    failed = set(re.findall(r"^FAILED tests/test_contract.py::(\S+)", judged.stdout, re.MULTILINE))
    left = ("test_there_are_eight_questions_over_three_levels",
            "test_there_are_four_wrong_answers_for_known_checks")  # fmt: skip
    assert failed == {f"{test}[{name}]" for test in left for name in DRAFTS}, judged.stdout[-3000:]
    assert "passed" in judged.stdout


TWO_TASKS = """
id: two
title: Two scans
tasks:
  - {id: forward, title: From the left, entry: forward, files: [shared.py, forward.py], checks: &r
      [{id: correct, points: 3, what: Right.}]}
  - {id: backward, title: From the right, entry: backward, files: [backward.cu], checks: *r}
  - {id: explained, title: Why, kind: written, files: [why.md], checks: *r}
needs: [cuda]
"""


def _two_tasks(folder: Path) -> Path:
    """A problem with two tasks, one of them in CUDA C++, and a wrong answer to each."""
    for name, text in {
        "problem.yaml": TWO_TASKS,
        "tasks.py": "from . import reference\n",
        "reference.py": "",
        "answer/shared.py": "STEP = 1\n",
        "answer/forward.py": "import torch\n\n\ndef forward(x, /, n=3):\n    return x\n",
        "answer/backward.cu": "void backward() {}\n",
        "answer/beside.py": "BESIDE = 2\n",
        "wrong/forward.correct-two_steps/shared.py": "STEP = 2\n",
        "wrong/forward.correct-two_steps/forward.py": "def forward(x, /, n=3):\n    return x\n",
        "wrong/backward.correct-nothing/backward.cu": "void backward() { return; }\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_each_task_of_an_own_problem_keeps_its_checks_and_answers(
    tree: Path, tmp_path: Path
) -> None:
    source = _two_tasks(tmp_path)
    made = _new(tree, "drafted_two", "--track", "dl_compilers", "--from", str(source))
    assert made.returncode == 0, made.stderr
    assert _run(tree, "hotloop.cli", "author", "render").returncode == 0
    asked = "from hotloop.tasks import curriculum as c; m = c.load_module('drafted_two'); "
    asked += "print([(t.id, t.points) for t in m.tasks], m.needs)"
    said = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "graders")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "[('forward', 3), ('backward', 3)] ['cuda']"
    exercise = tree / "exercises" / "drafted_two"
    assert (
        "def forward(x, /, n=3):\n    raise NotImplementedError"
        in (exercise / "forward.py").read_text()
    )
    assert "#error drafted_two.backward" in (exercise / "backward.cu").read_text()
    assert (exercise / "beside.py").read_text() == "BESIDE = 2\n"
    assert "## 2. From the right" in (exercise / "lab.ipynb").read_text()
    wrong = tree / "solutions" / "drafted_two" / "wrong"
    assert {path.name for path in wrong.iterdir()} == {
        "forward_correct_two_steps.py",
        "backward_correct_nothing.cu",
    }
    checks = tree / "graders" / "hotloop" / "tasks" / "modules" / "drafted_two"
    assert (checks / "reference.py").is_file()
    assert not {"answer", "wrong", "problem.yaml"} & {path.name for path in checks.iterdir()}


def test_an_own_problem_without_an_answer_is_refused(tree: Path, tmp_path: Path) -> None:
    source = Path(shutil.copytree(OWN, tmp_path / "scan"))
    shutil.rmtree(source / "answer")
    refused = _new(tree, "another", "--track", "dl_compilers", "--from", str(source))
    assert refused.returncode == 2
    assert "put an answer there that must pass" in refused.stderr + refused.stdout
    assert not (tree / "curriculum" / "another").exists()


@pytest.mark.slow
def test_what_is_no_problem_is_refused(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    refused = _new(tree, "another", "--track", "dl_compilers", "--from", str(tmp_path / "a.py"))
    assert refused.returncode == 2
    assert "no problem in a form that is known" in refused.stderr + refused.stdout
    assert not (tree / "curriculum" / "another").exists()
