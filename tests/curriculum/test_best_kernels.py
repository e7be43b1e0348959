"""The module's reference kernels: right, clean in the simulator, and compiled without spills and
with loads of 16 bytes, for a GPU that need not be here. How fast they are,
tests/gpu/side_by_side.py measures where there is one.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.engines.nvcc import toolchain
from hotloop.engines.nvcc.compile import Compiled, compile_files
from hotloop.engines.nvcc.sass import widest
from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.device import kind

FOLDER = paths.curriculum() / "fused_softmax" / "kernels"
CUDA, TRY = FOLDER / "softmax_best.cu", FOLDER / "try_softmax_best.cu"
TRITON = FOLDER / "softmax_best.py"
SIDE_BY_SIDE = paths.root() / "tests" / "gpu" / "side_by_side.py"

ROW_READERS = {"kept_rows", "cached_rows", "partial_rows", "finish_rows"}
LENGTHS = [1024, 8192, 32768, 262144]


@pytest.fixture(scope="module")
def side_by_side(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(SIDE_BY_SIDE)


# --- CUDA C++ -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_kernel_is_right_and_clean_in_every_order() -> None:
    checked = check([CUDA, TRY])
    assert checked.report.findings == []
    assert {run.output.strip() for run in checked.runs} == {"PASS"}
    assert checked.clean
    launched = {launch.kernel.partition("<")[0] for launch in checked.report.launches}
    assert launched == ROW_READERS


@pytest.mark.slow
def test_the_trial_tells_a_wrong_kernel(tmp_path: Path) -> None:
    """A row's edge left out of the sum, and a maximum of 0 instead of the row's."""
    for right, wrong in (
        ("float sum = edge;", "float sum = 0.0f;"),
        ("return maximum == -CUDART_INF_F ? 0.0f : maximum;", "return 0.0f;"),
    ):
        text = CUDA.read_text(encoding="utf-8")
        assert right in text
        broken = tmp_path / CUDA.name
        broken.write_text(text.replace(right, wrong), encoding="utf-8")
        done = host.run(build.program([broken, TRY], checked=False, include=[FOLDER]))
        assert done.status == 1
        assert "units off" in done.output


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    try:
        return compile_files(CUDA, toolchain.find(), (90,))[0]
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.mark.slow
def test_for_sm_90_nothing_spills_and_each_row_is_loaded_by_16_bytes(compiled: Compiled) -> None:
    assert len(compiled.kernels) == 20, "seven lengths and three more kernels, in two dtypes"
    for kernel in compiled.kernels:
        used = kernel.resources
        assert used.spill_bytes == 0, used.name
        assert used.registers <= 64, "so that 1024 threads fit into a multiprocessor"
        assert widest(kernel.accesses, "load") == 16, used.name


# --- Triton ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_triton_kernels_are_right() -> None:
    done = subprocess.run(
        [sys.executable, str(TRITON)],
        env={**os.environ, "TRITON_INTERPRET": "0" if kind() == "cuda" else "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": right") == 12


COMPILE = r"""
import importlib.util, io, json, os, re, sys
from contextlib import redirect_stdout
os.environ |= {"TRITON_ALWAYS_COMPILE": "1", "TRITON_DUMP_PTXAS_LOG": "1"}
os.environ["TRITON_CACHE_DIR"] = sys.argv[2]
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

spec = importlib.util.spec_from_file_location("softmax_best", sys.argv[1])
best = importlib.util.module_from_spec(spec)
sys.modules["softmax_best"] = best
spec.loader.exec_module(best)

def figures(kernel, dtype, columns):
    shape = best.shape_of(columns)
    constants = {"BLOCK": shape.block, "PARTS": triton.next_power_of_2(shape.parts)}
    types = {name: f"*{dtype}" for name in ("x_ptr", "out_ptr")}
    types |= {name: "*fp32" for name in ("maxima_ptr", "sums_ptr")}
    names = [parameter.name for parameter in kernel.params]
    constants = {name: value for name, value in constants.items() if name in names}
    signature = {n: "constexpr" if n in constants else types.get(n, "i32") for n in names}
    wide = ("_ptr", "_stride", "n_cols")
    attributes = {
        (i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if n.endswith(wide)
    }
    source = ASTSource(kernel, signature=signature, constexprs=constants, attrs=attributes)
    log = io.StringIO()
    with redirect_stdout(log):
        made = triton.compile(
            source, target=GPUTarget("cuda", 90, 32), options={"num_warps": shape.warps}
        )
    loads = re.findall(r"ld\.global\S*\.v(\d)\.b(\d+)", made.asm["ptx"])
    spilled = re.search(r"(\d+) bytes spill stores", log.getvalue())
    return {
        "spilled": int(spilled[1]) if spilled else None,
        "load": max((int(n) * int(bits) // 8 for n, bits in loads), default=0),
    }

found = {}
for dtype in ("fp32", "bf16"):
    for columns in json.loads(sys.argv[3]):
        long = best.shape_of(columns).parts > 1
        for kernel in (best.partial_rows, best.finish_rows) if long else (best.kept_rows,):
            found[f"{kernel.fn.__name__} {dtype} {columns}"] = figures(kernel, dtype, columns)
print(json.dumps(found))
"""


@pytest.mark.slow
def test_the_triton_kernels_compile_for_sm_90_without_spills(tmp_path: Path) -> None:
    """As launches on a GPU would compile them, for tensors that begin on 16 bytes."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, str(TRITON), str(tmp_path), json.dumps(LENGTHS)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, int]] = json.loads(done.stdout)
    assert len(found) == 2 * (3 + 2), "three short lengths and a long one, in two dtypes"
    assert {name for name, told in found.items() if told["spilled"] != 0} == set()
    assert {name for name, told in found.items() if told["load"] != 16} == set()


# --- side by side ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_contender_that_runs_here_computes_a_softmax() -> None:
    done = subprocess.run(
        [sys.executable, str(SIDE_BY_SIDE), "--json", "--rehearse"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["failed"] == {}
    cuda = ["cuda"] if kind() == "cuda" else []
    assert told["rehearsed"] == ["copy", "eager", "compile", "tutorial", "triton", *cuda]


@pytest.mark.skipif(kind() == "cuda", reason="this machine has a GPU")
def test_without_a_gpu_nothing_is_measured(side_by_side: ModuleType) -> None:
    assert set(side_by_side.side_by_side()) == {"not_measured"}


@pytest.mark.slow
def test_a_contender_that_computes_something_else_is_not_measured(side_by_side: ModuleType) -> None:
    script = side_by_side
    x, out = script.matrix(3, 100, script.torch.float32)
    fault = script.fault_of(lambda x, out: out.copy_(x), x, out, like=script.torch.softmax)
    assert fault is not None
    assert fault.startswith("AssertionError")
    figures = script.figures_of([1e-3, 2e-3, 3e-3, 4e-3], 1e-3, 10**9)
    assert figures["us"] == 2500.0
    assert figures["of_copy"] == 0.4
    assert figures["gb_per_s"] == 400.0
