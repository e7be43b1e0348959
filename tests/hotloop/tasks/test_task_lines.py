"""Lines of a shared file belong to the task in whose function they stand, heading or not."""

from collections.abc import Sequence

import pytest

from hotloop.tasks import curriculum, render
from hotloop.tasks.task_lines import owners

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
