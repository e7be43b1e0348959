"""Triton's interpreter is corrected in each process that imports Triton to interpret kernels."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < n)
        tl.store(out_ptr + columns, 2 * x, mask=columns < n)

def answer():
    x = torch.arange(100.0)
    out = torch.zeros_like(x)
    double[(1,)](x, out, 100, BLOCK=16)
    return int(out.sum())
"""
THROUGH_THE_WORKER = """
import sys
from pathlib import Path
from hotloop.worker.serve import load_file
print(load_file(Path(sys.argv[1]))["answer"]())
"""
RESTORED = """
import sys
from pathlib import Path
from hotloop.worker.serve import load_file
space = load_file(Path(sys.argv[1]))
tensor = space["tl"].tensor
before = vars(tensor).get("__index__")
space["answer"]()
print(vars(tensor).get("__index__") is before)
"""


def interpreted(code: str, kernels: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, str(kernels)],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        cwd=kernels.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return path


@pytest.mark.slow
def test_a_loop_runs_up_to_an_argument(kernels: Path) -> None:
    done = interpreted(THROUGH_THE_WORKER, kernels)
    assert done.stdout == "9900\n", done.stderr


@pytest.mark.slow
def test_a_launch_leaves_triton_as_it_was(kernels: Path) -> None:
    done = interpreted(RESTORED, kernels)
    assert done.stdout == "True\n", done.stderr


NOTEBOOK = """
import sys
from hotloop.worker.cells import Cells
sys.path.insert(0, ".")
Cells(sys.stderr).run("import kernels\\nprint(kernels.answer())", 60.0)
"""
LATE = """
import sys
from pathlib import Path
sys.path.insert(0, ".")
import kernels
from hotloop.worker.serve import load_file
print(load_file(Path(sys.argv[1]))["answer"]())
"""
OF_BFLOAT16 = """
import torch
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, out_ptr, a, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x + x, mask=at < N and at >= 0)

def answer():
    x = torch.arange(16.0).bfloat16()
    out = torch.zeros_like(x)
    add[(1,)](x, out, 0.5, N=16)
    return int(out.sum())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", [THROUGH_THE_WORKER, NOTEBOOK, LATE], ids=["file", "notebook", "imported before"]
)
def test_a_file_and_a_notebook_are_interpreted_alike(code: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(OF_BFLOAT16)
    done = interpreted(code, path)
    assert done.stdout == "240\n", done.stderr


@pytest.mark.slow
def test_a_compiled_kernel_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text("def answer():\n    import triton\n    return triton.knobs.runtime.interpret\n")
    code = f"import os; os.environ.pop('TRITON_INTERPRET')\n{THROUGH_THE_WORKER}"
    done = interpreted(f"{code}\nprint('triton.runtime.interpreter' in sys.modules)", path)
    assert done.stdout == "False\nFalse\n", done.stderr


def test_a_triton_that_a_submission_brings_does_not_stop_the_worker(tmp_path: Path) -> None:
    (tmp_path / "triton.py").write_text("")
    (tmp_path / "triton-3.6.0.dist-info").mkdir()
    (tmp_path / "triton-3.6.0.dist-info" / "METADATA").write_text("Name: triton\nVersion: 3.6.0\n")
    answer = tmp_path / "kernels.py"
    answer.write_text("def answer():\n    return 7\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{THROUGH_THE_WORKER}"
    done = interpreted(code, answer)
    assert done.stdout == "7\n", done.stderr


AS_COMPILED = """
import math
import torch
import triton
import triton.language as tl

@triton.jit
def numbers(x_ptr, out_ptr, FACTOR: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 4))
    a, b = 4096.0, 1.0
    c: float = 4096.0
    FACTOR *= 4096.0
    total = x * a * b * 16.0 + x * c * 16.0 + x * (d := 4096.0) * 16.0 + x * FACTOR * 16.0
    for j in tl.range(0, arg2=3, step=1):
        total += j
    tl.store(out_ptr + tl.arange(0, 4), total)

def kernel_of(number):
    FACTOR = tl.constexpr(number)

    @triton.jit
    def times(x):
        return FACTOR * x

    @triton.jit
    def multiply(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, times(tl.load(x_ptr + at, at < n)), at < n)

    return multiply

def answer():
    x, out = torch.ones(4).half(), torch.zeros(4)
    numbers[(1,)](x, out, 1.0)
    answers = [out.tolist() == [4 * 65536.0 + 3] * 4]
    x = torch.arange(10.0)
    by_size = lambda of: [math.ceil(of["n"] / of["BLOCK"])]
    by_tensor = lambda of: (of["x_ptr"].numel() // 3,)
    grids = [3], (3,), by_size, by_tensor
    for number, grid in enumerate(grids):
        out = torch.zeros(10)
        compiled = kernel_of(number)[grid](x, out, 10, BLOCK=4)
        answers.append(torch.equal(out, number * x))
    try:
        compiled.n_regs
    except AttributeError as error:
        answers.append("cannot run `n_regs` of a compiled kernel" in str(error))
    return answers
"""


@pytest.mark.slow
def test_numbers_grids_and_functions_around_a_kernel_are_what_they_are_on_a_gpu(
    tmp_path: Path,
) -> None:
    """A number in a variable is a tensor, so that float16 times it is float32."""
    path = tmp_path / "kernels.py"
    path.write_text(AS_COMPILED)
    done = interpreted(THROUGH_THE_WORKER, path)
    assert done.stdout == f"{[True] * 6}\n", done.stdout + done.stderr
