"""The reference kernels compared with PyTorch and a tutorial's kernel, in one run on this GPU.

    python tests/gpu/side_by_side.py --json

Softmax of float32 and bfloat16 matrices with rows of 1k to 256k elements, each large enough to
measure memory traffic, and once with few rows, where launch overhead matters. In each round every
contender is timed once, in a new random order, with CUDA events; a copy of the same tensors is one
of them, and results are shares of its bandwidth. Results are compared with float64 before the
timing. If a contender fails, the error is reported and the others run. Without a GPU it says so,
measures nothing, and exits with status 0; `--rehearse` then runs the contenders in Python on small
matrices, without timing. The one in CUDA C++ needs device memory; without a GPU,
curriculum/fused_softmax/kernels/try_softmax_best.cu tests its kernels.
"""

import argparse
import ctypes
import importlib.util
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from hotloop.worker.cuda_extension import compiled

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import triton
import triton.language as tl

KERNELS = Path(__file__).parents[2] / "curriculum" / "fused_softmax" / "kernels"
LENGTHS = tuple(1 << power for power in range(10, 19))
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
WITHIN = {torch.float32: 1e-5, torch.bfloat16: 2.0**-7}

MATRIX_BYTES = 1 << 29
"""More than five times the L2 cache of any GPU, so that no data of the previous call is cached."""

FEW_ROWS = 8
ROUNDS = 15
SAMPLE_S = 0.02

Softmax = Callable[[torch.Tensor, torch.Tensor], None]
Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--rehearse", action="store_true", help="small matrices, no figures")
    chosen = parser.parse_args()
    found = rehearse() if chosen.rehearse else side_by_side()
    print(json.dumps(found, indent=1) if chosen.json else table(found))


def side_by_side() -> Result:
    """Measure every length and dtype; without a GPU, return the reason for not measuring."""
    if not torch.cuda.is_available():
        return {"not_measured": "PyTorch finds no GPU here"}
    contenders = all_contenders()
    found: Result = {
        "gpu": torch.cuda.get_device_name(),
        "versions": {"torch": torch.__version__, "triton": triton.__version__},
        "measured": [],
    }
    for name, dtype in DTYPES.items():
        for columns in LENGTHS:
            for rows in (MATRIX_BYTES // columns // dtype.itemsize, FEW_ROWS):
                print(f"{name}, {rows} x {columns} …", file=sys.stderr, flush=True)
                figures = measured(contenders, rows, columns, dtype)
                shape = {"dtype": name, "rows": rows, "columns": columns}
                found["measured"].append({**shape, "contenders": figures})
    return found


def rehearse() -> Result:
    """Run every contender on every length, with few rows; on a CPU in the interpreter."""
    contenders = all_contenders()
    failed: Result = {}
    for name, dtype in DTYPES.items():
        for columns in LENGTHS if torch.cuda.is_available() else (1000, 40001):
            x, out = matrix(2, columns, dtype)
            for contender, softmax in contenders.items():
                fault = fault_of(softmax, x, out, like=torch.softmax)
                if contender != "copy" and fault is not None:
                    failed[f"{contender}, {name}, {columns}"] = fault
    return {"rehearsed": list(contenders), "failed": failed}


def all_contenders() -> Mapping[str, Softmax]:
    """Return the functions that write the softmax of the first argument into the second."""
    best = imported(KERNELS / "softmax_best.py")
    found: dict[str, Softmax] = {
        "copy": lambda x, out: out.copy_(x),
        "eager": lambda x, out: torch.softmax(x, -1, out=out),
        "compile": of_the_compiler(),
        "tutorial": tutorial,
        "triton": best.softmax,
    }
    if torch.cuda.is_available():
        found["cuda"] = of_cuda()
    return found


# --- contenders -----------------------------------------------------------------------------------


def of_the_compiler() -> Softmax:
    """Return torch.compile's softmax, compiled for each static shape, which is its fastest case."""

    def into(x: torch.Tensor, out: torch.Tensor) -> None:
        out.copy_(torch.softmax(x, -1))

    backend = "inductor" if torch.cuda.is_available() else "eager"
    torch._dynamo.config.cache_size_limit = 64
    return torch.compile(into, dynamic=False, backend=backend)


@triton.jit
def tutorial_kernel(
    out_ptr,
    x_ptr,
    x_row_stride,
    out_row_stride,
    n_rows,
    n_cols,
    BLOCK: tl.constexpr,  # noqa: N803
    STAGES: tl.constexpr,  # noqa: N803
):
    """As in Triton's tutorial on fused softmax: a row is one block, programs loop over rows."""
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=-float("inf"))
        x = x.to(tl.float32)
        weights = tl.exp(x - tl.max(x, axis=0))
        total = tl.sum(weights, axis=0)
        tl.store(out_ptr + row * out_row_stride + columns, weights / total, mask=inside)


def tutorial(x: torch.Tensor, out: torch.Tensor) -> None:
    rows, columns = x.shape
    programs = min(rows, 8 * multiprocessors())
    tutorial_kernel[(programs,)](
        out,
        x,
        x.stride(0),
        out.stride(0),
        rows,
        columns,
        BLOCK=triton.next_power_of_2(columns),
        STAGES=2,
        num_warps=8,
    )


def of_cuda() -> Softmax:
    """Return softmax_best.cu, compiled by nvcc."""
    folder = Path(tempfile.mkdtemp(prefix="softmax-"))
    source = KERNELS / "softmax_best.cu"
    library = ctypes.CDLL(str(compiled([source], folder / "softmax_best.so")))
    library.softmax_best_workspace.restype = ctypes.c_size_t
    entries = {
        torch.float32: library.softmax_best_float,
        torch.bfloat16: library.softmax_best_bfloat16,
    }

    def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
        rows, columns = (ctypes.c_longlong(extent) for extent in x.shape)
        size = library.softmax_best_workspace(rows, columns, ctypes.c_size_t(x.element_size()))
        workspace = torch.empty(size, dtype=torch.uint8, device=x.device)
        stream = torch.cuda.current_stream().cuda_stream
        status = entries[x.dtype](
            ctypes.c_void_p(x.data_ptr()),
            ctypes.c_void_p(out.data_ptr()),
            rows,
            columns,
            ctypes.c_longlong(x.stride(0)),
            ctypes.c_longlong(out.stride(0)),
            ctypes.c_void_p(workspace.data_ptr()),
            0,
            ctypes.c_void_p(stream),
        )
        if status:
            raise RuntimeError(f"CUDA error {status}")

    return softmax


# --- measuring ------------------------------------------------------------------------------------


def measured(
    contenders: Mapping[str, Softmax], rows: int, columns: int, dtype: torch.dtype
) -> Result:
    """Return the figures of each contender, or its error."""
    x, out = matrix(rows, columns, dtype)
    found: Result = {}
    running: dict[str, tuple[Softmax, int]] = {}
    for name, softmax in contenders.items():
        fault = None if name == "copy" else fault_of(softmax, x, out, like=torch.softmax)
        if fault is not None:
            found[name] = {"error": fault}
            continue
        once = min(seconds_of(softmax, x, out, 3) for _ in range(3))
        running[name] = (softmax, max(1, round(SAMPLE_S / once)))
    samples: dict[str, list[float]] = {name: [] for name in running}
    for _ in range(ROUNDS):
        for name in random.sample(list(running), len(running)):
            softmax, calls = running[name]
            samples[name].append(seconds_of(softmax, x, out, calls))
    copy = statistics.median(samples["copy"])
    fewest = 2 * x.numel() * x.element_size()
    return found | {name: figures_of(seconds, copy, fewest) for name, seconds in samples.items()}


def figures_of(seconds: list[float], copy: float, fewest_bytes: int) -> Result:
    low, middle, high = statistics.quantiles(seconds, n=4)
    return {
        "us": round(middle * 1e6, 3),
        "quartiles_us": [round(low * 1e6, 3), round(high * 1e6, 3)],
        "gb_per_s": round(fewest_bytes / middle / 1e9, 1),
        "of_copy": round(copy / middle, 4),
    }


def seconds_of(softmax: Softmax, x: torch.Tensor, out: torch.Tensor, calls: int) -> float:
    """Return the seconds of one call, by events on the device."""
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(calls):
        softmax(x, out)
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) * 1e-3 / calls


def fault_of(
    softmax: Softmax, x: torch.Tensor, out: torch.Tensor, like: Callable[..., torch.Tensor]
) -> str | None:
    """Return why the result is no softmax; None if a few rows agree with float64."""
    out.fill_(torch.nan)
    try:
        softmax(x, out)
        rows = torch.linspace(0, len(x) - 1, min(len(x), 16)).long()
        got, want = out[rows].double(), like(x[rows].double(), -1)
        torch.testing.assert_close(got, want, rtol=WITHIN[x.dtype], atol=1e-30)
    except Exception as error:  # noqa: BLE001 - the others shall still run
        return f"{type(error).__name__}: {str(error)[:300]}"
    return None


def matrix(rows: int, columns: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(rows, columns, device=device, dtype=dtype)
    return x, torch.empty_like(x)


def multiprocessors() -> int:
    if not torch.cuda.is_available():
        return 1
    return torch.cuda.get_device_properties().multi_processor_count


def imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def table(found: Result) -> str:
    if "measured" not in found:
        return "\n".join(f"{key}: {value}" for key, value in found.items())
    lines = [f"{found['gpu']}, {found['versions']}: share of a copy's bandwidth"]
    for shape in found["measured"]:
        figures = shape["contenders"]
        shares = [f"{name} {told.get('of_copy', 'failed')}" for name, told in figures.items()]
        head = f"{shape['dtype']:>8} {shape['rows']:>7} x {shape['columns']:<7}"
        lines.append(f"{head} {'  '.join(shares)}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
