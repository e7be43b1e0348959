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


def own_lines(work: PredictedSubmission, task: str, file: str, text: str) -> str:
    """Return the lines of a file that may be changed for a task."""
    written = replace(work, files={**work.files, file: text.encode()})
    lines = text.split("\n")
    return "\n".join(
        lines[number - 1]
        for code in code_of(written, task)
        if code.file == file
        for number in sorted(code.own)
    )


def text_of(work: PredictedSubmission, file: str) -> str:
    return work.files[file].decode()


@pytest.mark.parametrize("heading", ["", "// ### TASK fused_softmax.cuda_warp", "// my answer"])
def test_an_overwritten_heading_changes_no_line_s_task(
    work: PredictedSubmission, heading: str
) -> None:
    """As a candidate does who puts the answer in place of the comments, or copies headings."""
    text = re.sub(r"// ### TASK .*", heading, text_of(work, "softmax.cu"))
    naive = own_lines(work, "cuda_naive", "softmax.cu", text)
    block = own_lines(work, "cuda_block", "softmax.cu", text)
    assert "const int row = blockIdx.x * blockDim.x + threadIdx.x;" in naive
    assert "__syncthreads();" not in naive
    assert "partial[t] += partial[t + half]" in block
    assert "blockDim.x" not in block
    assert "softmax_kept" not in naive + block


def test_a_helper_belongs_to_the_kernel_that_calls_it(work: PredictedSubmission) -> None:
    """Above a kernel it stands in the region of the one before."""
    shift = "maximum == -CUDART_INF_F ? 0.0f : maximum"
    helper = f"__device__ float shift_for(float maximum) {{\n  return {shift};\n}}\n\n"
    above = "// 6. One block a row"
    plain = text_of(work, "softmax.cu")
    assert above in plain
    used = plain.replace(above, helper + above)
    before, _, after = used.partition("softmax_block(")
    block, rest = after.split("// 7.", 1)
    block = block.replace(f"shift = {shift}", "shift = shift_for(maximum)")
    text = f"{before}softmax_block({block}// 7.{rest}"
    helper = "float shift_for(float maximum) {"
    assert helper in own_lines(work, "cuda_block", "softmax.cu", text)
    assert helper not in own_lines(work, "cuda_naive", "softmax.cu", text)
    shared = text.replace(f"float shift = {shift}", "float shift = shift_for(maximum)")
    for task in ("cuda_block", "cuda_naive", "cuda_warp"):
        assert helper not in own_lines(work, task, "softmax.cu", shared), "two tasks use it"


def test_a_kernel_of_triton_belongs_to_its_launcher(work: PredictedSubmission) -> None:
    text = text_of(work, "softmax_triton.py")
    bare = re.sub(r"### TASK .*\n", "", text)
    for written in (text, bare):
        forward = own_lines(work, "triton_forward", "softmax_triton.py", written)
        masked = own_lines(work, "triton_masked", "softmax_triton.py", written)
        assert "keep_ptr" not in forward
        assert "keep" in masked
        functions = {line for line in masked.split("\n") if "def " in line}
        assert functions.isdisjoint(forward.split("\n"))


def test_what_no_kernel_uses_belongs_where_it_was_written(work: PredictedSubmission) -> None:
    heading = "// ### TASK fused_softmax.cuda_warp helpers"
    unused = "__device__ float nobody(float x) { return x + 1.0f; }"
    text = work.given["softmax.cu"].decode().replace(heading, f"{heading}\n{unused}")
    assert unused in own_lines(work, "cuda_warp", "softmax.cu", text)
    assert own_lines(work, "cuda_block", "softmax.cu", text) == ""


def test_unbalanced_code_is_of_no_task_or_of_one(work: PredictedSubmission) -> None:
    text = text_of(work, "softmax.cu").replace("__syncthreads();", "{ __syncthreads();", 1)
    naive = own_lines(work, "cuda_naive", "softmax.cu", text)
    assert "__syncthreads" not in naive


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
