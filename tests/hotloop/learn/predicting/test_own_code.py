"""Only code that the learner wrote is changed, and only in the task of the question."""

import json
import re
from dataclasses import replace

import pytest

from hotloop.learn.predicting.own_code import PredictedSubmission, changes, code_of
from hotloop.tasks import curriculum, render

MODULE = "fused_softmax"


@pytest.fixture(scope="module")
def work() -> PredictedSubmission:
    return PredictedSubmission(
        curriculum.load_module(MODULE),
        ("cuda_block", "triton_forward", "online_pass"),
        render.submission(MODULE),
        render.untouched(MODULE),
    )


def test_the_starters_lines_are_nobodys(work: PredictedSubmission) -> None:
    [code] = code_of(work, "cuda_block")
    lines = code.text.split("\n")
    own = [lines[number - 1] for number in sorted(code.own)]
    assert "  maximum = partial[0];" in own
    assert not [line for line in own if "constexpr int kThreads" in line or "#include" in line]
    assert not [line for line in own if "softmax_kept" in line], "another task's helpers"


def test_an_untouched_file_has_nothing_to_change(work: PredictedSubmission) -> None:
    assert code_of(replace(work, files=work.given), "cuda_block") == []
    assert changes(replace(work, files=work.given), "cuda_block") == []


def test_a_cell_of_the_notebook_is_changed_alone(work: PredictedSubmission) -> None:
    [code] = code_of(work, "online_pass")
    change = changes(work, "online_pass")[0]
    changed = json.loads(work.with_text(code, change.text).files["lab.ipynb"])
    before = json.loads(work.files["lab.ipynb"])
    differ = [
        cell["metadata"]["nbgrader"]["grade_id"]
        for cell, old in zip(changed["cells"], before["cells"], strict=True)
        if cell["source"] != old["source"]
    ]
    assert code.cell == "online_pass_solution"
    assert differ == [code.cell]


@pytest.mark.slow
def test_every_change_lies_in_own_lines_and_differs(work: PredictedSubmission) -> None:
    for task in work.tasks:
        found = changes(work, task)
        assert len(found) > 20
        assert len({change.text for change in found}) == len(found)
        for change in found:
            assert change.line in change.code.own
            assert change.text != change.code.text


def test_what_takes_understanding_comes_first(work: PredictedSubmission) -> None:
    operators = [change.edit.operator for change in changes(work, "cuda_block")]
    assert "moved barrier" in operators[:12]
    assert "wrong constant" not in operators[:20]


def test_lines_of_other_tasks_in_the_file_are_not_changed(work: PredictedSubmission) -> None:
    """A candidate puts the answer in place of the headings."""
    text = re.sub(r"// ### TASK .*", "", work.files["softmax.cu"].decode())
    written = replace(work, files={**work.files, "softmax.cu": text.encode()})
    lines = text.split("\n")
    [naive], [block] = code_of(written, "cuda_naive"), code_of(written, "cuda_block")
    assert naive.own.isdisjoint(block.own)
    assert not [n for n in naive.own if "__syncthreads();" in lines[n - 1]]
    assert [n for n in block.own if "__syncthreads();" in lines[n - 1]]


def test_a_file_that_is_no_python_gives_no_changes(work: PredictedSubmission) -> None:
    broken = {**work.files, "softmax_triton.py": b"def f(:\n    x = 1\n"}
    assert changes(replace(work, files=broken), "triton_forward") == []


def test_a_diff_shows_the_line(work: PredictedSubmission) -> None:
    change = next(c for c in changes(work, "cuda_block") if c.edit.operator == "missing barrier")
    diff = change.diff()
    assert diff[0].startswith("@@ ")
    assert [line for line in diff if line.startswith("-")] == ["-    __syncthreads();"] or [
        line for line in diff if line.startswith("-")
    ] == ["-  __syncthreads();"]
