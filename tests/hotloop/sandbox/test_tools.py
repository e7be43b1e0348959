"""Learners' tools work inside: torch, compilers, Triton without a GPU, a Jupyter kernel."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
GIB = 1 << 30
ROOM = {"memory_bytes": 4 * GIB, "tmp_bytes": GIB, "processes": 64, "wall_s": 170.0}

TORCH = """
import torch
torch.set_num_threads(2)
x = torch.randn(512, 512)
torch.testing.assert_close(x @ x, torch.einsum("ij,jk->ik", x, x))
softmax = torch.compile(lambda x: torch.softmax(x * 2 + 1, dim=-1))
torch.testing.assert_close(softmax(x), torch.softmax(x * 2 + 1, dim=-1))
print("compiled with", torch.get_num_threads(), "threads")
"""
KERNEL = """
import triton
import triton.language as tl

@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)
"""
INTERPRET = """
import sys; sys.path.insert(0, "/submission")
import torch
from kernel import double
x, out = torch.arange(100.0), torch.zeros(100)
double[(2,)](x, out, 100, 64)
print(torch.equal(out, 2 * x))
"""
COMPILE = """
import sys, warnings; sys.path.insert(0, "/submission"); warnings.simplefilter("ignore")
import triton
from kernel import double
from triton.backends.compiler import GPUTarget
types = {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
source = triton.compiler.ASTSource(double, signature=types, constexprs={"BLOCK": 64})
for capability in (80, 90):
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    print(capability, compiled.asm["cubin"][1:4] == b"ELF")
"""
JUPYTER = """
from jupyter_client.manager import KernelManager
manager = KernelManager(transport="ipc", ip="/tmp/kernel")
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=100)
outputs = []
client.execute_interactive("print(6 * 7)", output_hook=outputs.append, timeout=100)
print(*[o["content"]["text"] for o in outputs if o["msg_type"] == "stream"])
manager.shutdown_kernel(now=True)
"""
COMPILERS = """
import pathlib, subprocess
pathlib.Path("a.cpp").write_text("#include <cstdio>\\nint main() { std::puts(\\"built\\"); }")
subprocess.run(["g++", "-fopenmp", "-O2", "a.cpp", "-o", "a"], check=True)
subprocess.run(["./a"], check=True)
"""


@pytest.fixture
def kernel_file(submission: Path) -> Path:
    (submission / "kernel.py").write_text(KERNEL)
    return submission


@pytest.mark.slow
def test_torch_and_its_compiler(run: Callable[..., Any]) -> None:
    environment = {
        "OMP_PROC_BIND": "true",
        # More threads would be processes that import torch again; the other settings save g++ its
        # probes.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
    }
    ran = run(TORCH, environment=environment, **ROOM)
    assert (ran.status, ran.death) == (0, None), ran.text
    assert ran.text.endswith("compiled with 2 threads\n")


def test_triton_interpreted(run: Callable[..., Any], kernel_file: Path) -> None:
    ran = run(INTERPRET, environment={"TRITON_INTERPRET": "1"}, files=kernel_file, **ROOM)
    assert ran.text.endswith("True\n"), ran.text


def test_triton_compiled_without_a_gpu(run: Callable[..., Any], kernel_file: Path) -> None:
    ran = run(COMPILE, files=kernel_file, **ROOM)
    assert ran.text.splitlines() == ["80 True", "90 True"]


def test_a_jupyter_kernel_over_unix_sockets(run: Callable[..., Any]) -> None:
    pytest.importorskip("ipykernel")
    ran = run(JUPYTER, **ROOM)
    assert ran.text.split() == ["42"]


def test_a_compiler(run: Callable[..., Any]) -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    ran = run(COMPILERS, **ROOM)
    assert (ran.status, ran.text) == (0, "built\n")
