"""Lines of a shared file belong to the task in whose function they stand, heading or not."""

import re
from collections.abc import Sequence

import pytest

from hotloop.tasks import curriculum, render
from hotloop.tasks.task_lines import lines_of_one, owners

CUDA = """\
#include <cuda_runtime.h>

__global__ void naive(const float* x) {
  // ### TASK m.naive
  // One thread writes one row.
}

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) block(const float* x,
                                                  int columns) {
  // ### TASK m.block
  // One block writes one row.
}

// ### TASK m.warp helpers
// Helpers go here.

__global__ void warp(const float* x) {
  // ### TASK m.warp
  // One block, in registers.
}
"""
PYTHON = """\
import torch


### TASK m.first kernel
@jit
def _first(x):
    pass


### TASK m.first launch
def first(x):
    raise NotImplementedError


### TASK m.second launch
def second(x):
    raise NotImplementedError


def given(x):
    return x
"""


def owned(name: str, work: str, starter: str) -> dict[str, str]:
    """Return the tasks of each line that holds code, joined by a comma."""
    lines = work.split("\n")
    found = owners(name, lines, starter.split("\n"))
    return {line.strip(): ",".join(sorted(tasks)) for line, tasks in zip(lines, found, strict=True)}


def solved(starter: str, bodies: Sequence[tuple[str, str]]) -> str:
    for heading, body in bodies:
        assert heading in starter
        starter = starter.replace(heading, body)
    return starter


OVER_HEADINGS = solved(
    CUDA,
    [
        ("  // ### TASK m.naive\n  // One thread writes one row.", "  a();\n  shared();"),
        ("  // ### TASK m.block\n  // One block writes one row.", "  __syncthreads();\n  b();"),
        (
            "// ### TASK m.warp helpers\n// Helpers go here.\n",
            "__device__ void only() {\n  o();\n}\n",
        ),
        ("  // ### TASK m.warp\n  // One block, in registers.", "  only();\n  shared();"),
    ],
).replace("constexpr", "__device__ void shared() {\n  s();\n}\nconstexpr")


@pytest.mark.parametrize("how", ["written over", "kept", "turned around", "in a namespace"])
def test_a_line_is_of_the_kernel_in_which_it_stands(how: str) -> None:
    work = OVER_HEADINGS
    if how == "kept":
        work = work.replace("  a();", "  // ### TASK m.naive\n  a();")
    elif how == "turned around":
        first, second = work.index("__global__ void __launch"), work.index("__device__ void only")
        work = work[first:second] + work[:first] + work[second:]
    elif how == "in a namespace":
        work = f"namespace mine {{\n{work}}}\n"
    found = owned("softmax.cu", work, CUDA)
    assert {line: found[line] for line in ("a();", "__syncthreads();", "b();", "o();")} == {
        "a();": "naive",
        "__syncthreads();": "block",
        "b();": "block",
        "o();": "warp",
    }
    assert found["s();"] == "naive,warp"


def test_a_brace_in_a_comment_or_string_is_none() -> None:
    work = OVER_HEADINGS.replace("  a();", '  a("}");  // }\n  /* { */ c();')
    found = owned("softmax.cu", work, CUDA)
    assert found["/* { */ c();"] == "naive"
    assert found["b();"] == "block"


def test_python_is_told_apart_by_functions_too() -> None:
    work = solved(
        PYTHON,
        [
            (
                "### TASK m.first kernel\n@jit\ndef _first(x):\n    pass",
                "@jit\ndef _other(x):\n    k",
            ),
            ("### TASK m.first launch\n", ""),
            ("### TASK m.second launch\n", ""),
            ("def first(x):\n    raise NotImplementedError", "def first(x):\n    _other(x)"),
            ("def second(x):\n    raise NotImplementedError", "def second(x):\n    two"),
        ],
    )
    found = owned("work.py", work, PYTHON)
    assert (found["k"], found["_other(x)"], found["two"]) == ("first", "first", "second")
    assert found["return x"] == ""
    broken = owned("work.py", work.replace("    two", "    two ("), PYTHON)
    assert broken["two ("] == "second"


def test_a_carriage_return_ends_no_line() -> None:
    starter = "### TASK m.one\ndef f():\n    pass\n\n\n### TASK m.two\ndef g():\n    pass"
    work = starter.replace("pass", "a = 1  #\r    b", 1)
    assert owned("work.py", work, starter)["pass"] == "two"
    assert owned("work.py", work.replace("\n", "\r\n"), starter)["pass"] == "two"


def test_what_was_given_is_of_no_task_but_passes_on_what_uses_it() -> None:
    given = "SIZE = 1\n\n\ndef part():\n    return SIZE\n\n\n"
    main = "def main():\n    first(1)\n    second(2)\n"
    starter = given + PYTHON + main
    work = starter.replace("SIZE = 1", "SIZE = 2").replace(
        "    raise NotImplementedError", "    part()", 1
    )
    found = owned("work.py", work, starter)
    assert (found["SIZE = 2"], found["part()"], found["first(1)"]) == ("first", "first", "")


def test_methods_of_one_class_are_of_different_tasks() -> None:
    starter = (
        "class Queue:\n"
        "    def put(self, x):\n        ### TASK m.put\n        raise NotImplementedError\n\n"
        "    def get(self):\n        ### TASK m.get\n        raise NotImplementedError\n\n"
        "    def size(self):\n        return 0\n"
    )
    stub = "        ### TASK m.{}\n        raise NotImplementedError\n"
    bodies = [(stub.format("put"), "        p()\n"), (stub.format("get"), "        g()\n")]
    found = owned("queue.py", solved(starter, bodies), starter)
    assert (found["p()"], found["g()"], found["return 0"]) == ("put", "get", "")


def test_a_class_of_one_task_is_its_own_with_what_is_added() -> None:
    starter = (
        "class Queue:\n    def put(self, x):\n        ### TASK m.put\n        pass\n\n"
        "### TASK m.get\ndef get():\n    pass\n"
    )
    work = starter.replace("        pass\n", "        self.grow(SIZE)\n").replace(
        "class", "SIZE = 3\n\n\nclass"
    )
    work = work.replace("\n\n###", "\n\n    def grow(self, size):\n        more()\n\n###")
    found = owned("queue.py", work, starter)
    assert (found["SIZE = 3"], found["more()"], found["def get():"]) == ("put", "put", "get")


def test_a_method_that_was_added_to_a_shared_class_is_of_the_methods_that_call_it() -> None:
    method = "    def {0}(self):\n        ### TASK m.{0}\n        pass\n\n"
    starter = "class Queue:\n" + method.format("put") + method.format("get")
    work = (
        "class Queue:\n    size = 3\n\n    def put(self):\n        self.grow(self.size)\n\n"
        "    def grow(self, size):\n        more()\n\n    def get(self):\n        g()\n"
    )
    found = owned("queue.py", work, starter)
    assert (found["size = 3"], found["more()"], found["g()"]) == ("put", "put", "get")
    shared = owned("queue.py", work.replace("g()", "self.grow(1)"), starter)
    assert (shared["size = 3"], shared["more()"]) == ("put", "get,put")


def test_constants_macros_and_types_are_of_who_uses_them() -> None:
    added = "#define TWO \\\n  2\nconstexpr int kOne = TWO - 1;\nstruct Pair {\n  int a, b;\n};\n"
    work = added + OVER_HEADINGS.replace("  b();", "  b(kOne);").replace("  a();", "  a(Pair{});")
    found = owned("softmax.cu", work, CUDA)
    assert (found["constexpr int kOne = TWO - 1;"], found["2"]) == ("block", "block")
    assert found["int a, b;"] == "naive"


def test_a_name_in_a_comment_or_text_is_no_use() -> None:
    work = OVER_HEADINGS.replace("  b();", '  b("shared");  // as shared() does')
    assert owned("softmax.cu", work, CUDA)["s();"] == "naive,warp"


def test_a_file_belongs_as_a_whole_to_its_only_task() -> None:
    lines = ["### TASK m.one", "def f():", "    pass"]
    assert lines_of_one("one", "work.py", ["import os", *lines[1:]], lines) == {1, 2, 3}
    assert lines_of_one("two", "work.py", lines, lines) == set()
    assert lines_of_one("two", "work.py", lines, lines[1:]) == {1, 2, 3}


def test_a_thousand_functions_that_call_each_other_take_no_time() -> None:
    chain = "".join(f"void f{n}() {{ f{n + 1}(); }}\n" for n in range(1000))
    work = chain + OVER_HEADINGS.replace("  b();", "  f0();")
    assert owned("softmax.cu", work, CUDA)["void f999() { f1000(); }"] == "block"


SOFTMAX, TRITON = "softmax.cu", "softmax_triton.py"
TRITON_TASKS = ("triton_forward", "triton_masked")


def solution(file: str) -> str:
    return render.submission("fused_softmax")[file].decode()


def written(task: str, file: str, text: str) -> str:
    """Return what is not in the starter and belongs to this task alone."""
    starter = render.untouched("fused_softmax")[file].decode().split("\n")
    lines = text.split("\n")
    own = sorted(lines_of_one(task, file, lines, starter))
    return "\n".join(lines[n - 1] for n in own if lines[n - 1] not in starter)


@pytest.mark.parametrize("heading", ["", "// ### TASK fused_softmax.cuda_warp", "// my answer"])
def test_an_overwritten_heading_changes_no_line_s_task(heading: str) -> None:
    """As a candidate does who puts the answer in place of the comments, or copies headings."""
    text = re.sub(r"// ### TASK .*", heading, solution(SOFTMAX))
    naive, block = (written(task, SOFTMAX, text) for task in ("cuda_naive", "cuda_block"))
    assert "const int row = blockIdx.x * blockDim.x + threadIdx.x;" in naive
    assert "__syncthreads();" not in naive
    assert "partial[t] += partial[t + half]" in block
    assert "blockDim.x" not in block
    assert "softmax_kept" not in naive + block
    assert "softmax_kept" in written("cuda_warp", SOFTMAX, text)


def test_a_helper_belongs_to_the_kernel_that_calls_it() -> None:
    """Above a kernel it stands in the region of the one before."""
    shift = "maximum == -CUDART_INF_F ? 0.0f : maximum"
    helper = f"__device__ float shift_for(float maximum) {{\n  return {shift};\n}}\n\n"
    above = "// 6. One block a row"
    plain = solution(SOFTMAX)
    assert above in plain
    used = plain.replace(above, helper + above)
    before, _, after = used.partition("softmax_block(")
    block, rest = after.split("// 7.", 1)
    block = block.replace(f"shift = {shift}", "shift = shift_for(maximum)")
    text = f"{before}softmax_block({block}// 7.{rest}"
    helper = "float shift_for(float maximum) {"
    assert helper in written("cuda_block", SOFTMAX, text)
    assert helper not in written("cuda_naive", SOFTMAX, text)
    shared = text.replace(f"float shift = {shift}", "float shift = shift_for(maximum)")
    for task in ("cuda_block", "cuda_naive", "cuda_warp"):
        assert helper not in written(task, SOFTMAX, shared), "two tasks use it"


def test_a_kernel_of_triton_belongs_to_its_launcher() -> None:
    text = solution(TRITON)
    for work in (text, re.sub(r"### TASK .*\n", "", text)):
        forward, masked = (written(task, TRITON, work) for task in TRITON_TASKS)
        assert "keep_ptr" not in forward
        assert "keep" in masked
        functions = {line for line in masked.split("\n") if "def " in line}
        assert functions.isdisjoint(forward.split("\n"))


def test_what_no_kernel_uses_belongs_where_it_was_written() -> None:
    heading = "// ### TASK fused_softmax.cuda_warp helpers"
    unused = "__device__ float nobody(float x) { return x + 1.0f; }"
    starter = render.untouched("fused_softmax")[SOFTMAX].decode()
    text = starter.replace(heading, f"{heading}\n{unused}")
    assert written("cuda_warp", SOFTMAX, text) == unused
    assert written("cuda_block", SOFTMAX, text) == ""


def test_unbalanced_code_is_of_no_task_or_of_one() -> None:
    text = solution(SOFTMAX).replace("__syncthreads();", "{ __syncthreads();", 1)
    assert "__syncthreads" not in written("cuda_naive", SOFTMAX, text)
    # What is never closed swallows no other kernel.
    assert "softmax_kept" not in written("cuda_block", SOFTMAX, text)


@pytest.mark.parametrize("module", [module.id for module in curriculum.modules()])
def test_no_answer_of_ours_is_given_to_another_task(module: str) -> None:
    """Headings written over: each line is of its own task, or of none, or of its callers."""
    untouched, whole = render.untouched(module), render.submission(module)
    for name, data in whole.items():
        if not name.endswith((".py", ".cu", ".cpp")) or name not in untouched:
            continue
        lines = data.decode().split("\n")
        starter = untouched[name].decode().split("\n")
        headed = owners(name, lines, starter)
        without = [n for n, line in enumerate(lines) if "### TASK" not in line]
        found = owners(name, [lines[n] for n in without], starter)
        wrong = [
            (name, lines[n], sorted(headed[n]), sorted(tasks))
            for n, tasks in zip(without, found, strict=True)
            if lines[n].strip() and headed[n] and tasks and not headed[n] & tasks
        ]
        assert len(wrong) <= len(lines) / 20, wrong[:3]
