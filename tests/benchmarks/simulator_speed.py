"""How fast is the CUDA simulator, and what does each order of threads add?

    python tests/benchmarks/simulator_speed.py
    python tests/benchmarks/simulator_speed.py --against CHECKOUT

Kernels are launched plain, and checked in two orders of their threads, and compared with the same
loops in C on one core (clang -O2 of the wheel ziglang); tasks take turns, so that a slow moment
affects all. A launch includes making the device and copying the arrays: `nothing` shows the cost of
that alone. The product of module gemm_hopper, with its copies, mbarriers and wgmma, is checked in
one order of its threads, without the comparison on the host. Each way has one thread, and its CPU
time is measured, which other processes disturb least. Then programs are compiled, uncached and
cached, in wall-clock time. Last, the broken programs of the simulator's tests are run in one, two
and four orders, and compared with the findings that their first lines require.

Prints medians and ratios, and writes tests/benchmarks/results/simulator_speed.json.

With --against only checked launches are timed: of this checkout and of another one, such as an
earlier commit's, in processes that take turns. Prints how many times the other's CPU time this one
takes, and adds that to the result file. --products does the same for the products alone.
"""

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from checkout import commit

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.launch import Argument, Array, launch
from hotloop.engines.simulate.orders import ORDERS
from hotloop.engines.simulate.toolchain import machine
from hotloop.judge.device import device_name

HERE = Path(__file__).parent
TESTS = HERE.parent / "hotloop" / "engines" / "simulate" / "test_kernels.py"
THREADS = 256
NATIVE_CALLS = 5
TWO = ("forward", "reverse")
PRODUCTS = HERE.parents[1] / "curriculum" / "gemm_hopper" / "proofs" / "ladder.cu"
SIZES = (256, 512)
"""m = n = k."""

KERNELS = """\
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void nothing(float* y) {}

__global__ void vector_add(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i];
}

__device__ float block_reduce(float v, float* s, bool is_max) {
  __syncthreads();
  s[threadIdx.x] = v;
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) {
      const float a = s[threadIdx.x], b = s[threadIdx.x + stride];
      s[threadIdx.x] = is_max ? fmaxf(a, b) : a + b;
    }
  }
  __syncthreads();
  return s[0];
}

__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float s[kThreads];
  const float* x = in + static_cast<size_t>(blockIdx.x) * columns;
  float* y = out + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kThreads) largest = fmaxf(largest, x[i]);
  largest = block_reduce(largest, s, true);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += __expf(x[i] - largest);
  sum = block_reduce(sum, s, false);
  for (int i = threadIdx.x; i < columns; i += kThreads) y[i] = __expf(x[i] - largest) / sum;
}
"""

MAIN = """\
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> host(1024);
  float* x;
  cudaMalloc(&x, 4096);
  nothing<<<1, 1>>>(x);
  cudaMemcpy(host.data(), x, 4096, cudaMemcpyDeviceToHost);
  std::printf("%f\\n", host[0]);
}
"""

NATIVE = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void vector_add(const float* a, const float* b, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

static void softmax(const float* in, float* out, int rows, int columns) {
  for (int r = 0; r < rows; ++r) {
    const float* x = in + (size_t)r * columns;
    float* y = out + (size_t)r * columns;
    float largest = -INFINITY, sum = 0;
    for (int i = 0; i < columns; ++i) largest = fmaxf(largest, x[i]);
    for (int i = 0; i < columns; ++i) sum += expf(x[i] - largest);
    for (int i = 0; i < columns; ++i) y[i] = expf(x[i] - largest) / sum;
  }
}

int main(int argc, char** argv) {
  const int rows = atoi(argv[1]), columns = atoi(argv[2]), calls = atoi(argv[3]);
  const size_t count = (size_t)(rows ? rows : 1) * columns;
  float* a = malloc(4 * count);
  float* b = malloc(4 * count);
  float* y = calloc(count, 4);
  float total = 0;
  for (size_t i = 0; i < count; ++i) a[i] = sinf(0.37f * i), b[i] = 1;
  for (int call = -1; call < calls; ++call) {
    struct timespec first, last;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &first);
    if (rows) softmax(a, y, rows, columns);
    else vector_add(a, b, y, columns);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &last);
    total += y[count / 2];
    if (call >= 0)
      printf("%.9f\\n", last.tv_sec - first.tv_sec + 1e-9 * (last.tv_nsec - first.tv_nsec));
  }
  fprintf(stderr, "%f\\n", total);
  return 0;
}
"""


@dataclass(frozen=True)
class Task:
    """A kernel and its size. rows: 0 for a kernel without rows; `columns` is then its elements."""

    kernel: str
    rows: int
    columns: int

    @property
    def name(self) -> str:
        """The kernel's name with its size."""
        if self.kernel == "nothing":
            return self.kernel
        return f"{self.kernel} {f'{self.rows}x' if self.rows else ''}{self.columns}"


TASKS = (
    Task("nothing", 0, 1),
    Task("vector_add", 0, 1 << 20),
    Task("softmax", 64, 1024),
    Task("softmax", 1024, 1024),
)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="compare with another one")
    parser.add_argument("--launches", action="store_true", help="print checked launches' seconds")
    parser.add_argument("--products", action="store_true", help="check products only")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "simulator_speed.json")
    options = parser.parse_args()
    build.prepare()
    if options.launches:
        print(json.dumps(checked_launches()))
        return
    if options.products or options.against is not None:
        part = "products" if options.products else "against"
        document = json.loads(options.out.read_text(encoding="utf-8"))
        document[part] = {
            "device": device_name(),
            "date": time.strftime("%Y-%m-%d"),
            "repeats": options.repeats,
            "load_1min": round(os.getloadavg()[0], 2),
            **(
                products(options.repeats)
                if options.products
                else against(options.against, options.repeats)
            ),
        }
        options.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(document[part], indent=1))
        return
    with tempfile.TemporaryDirectory() as folder:
        document: dict[str, Any] = {
            "device": device_name(),
            "date": time.strftime("%Y-%m-%d"),
            "versions": {name: version(name) for name in ("wasmtime", "ziglang")},
            "repeats": options.repeats,
            "cores": os.cpu_count(),
            "load_1min": round(os.getloadavg()[0], 2),
            "launches": launches(Path(folder), options.repeats),
            "products": products(options.repeats),
            "compiling_s": compiling(Path(folder), options.repeats),
            "orders": orders(),
        }
    options.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(document) if options.json else table(document))


# --- launches -------------------------------------------------------------------------------------


def launches(folder: Path, repeats: int) -> dict[str, dict[str, float]]:
    """Return each task's seconds on a core, plain, and checked in two orders; and the ratios."""
    program = folder / "native"
    source = folder / "native.c"
    source.write_text(NATIVE, encoding="utf-8")
    machine.call([str(machine.zig()), "cc", "-O2", str(source), "-o", str(program), "-lm"])
    kernels = folder / "kernels.cu"
    kernels.write_text(KERNELS, encoding="utf-8")
    plain = build.kernels([kernels], checked=False)
    checked = build.kernels([kernels], checked=True)
    ways: dict[str, Callable[[Task], float]] = {
        "native_s": lambda task: native(program, task),
        "plain_s": lambda task: launched(plain, task, TWO[:1]),
        "checked_two_orders_s": lambda task: launched(checked, task, TWO),
    }
    found = {task.name: {way: list[float]() for way in ways} for task in TASKS}
    for _ in range(repeats):
        for task in TASKS:
            for way, seconds in ways.items():
                if way != "native_s" or task.kernel != "nothing":
                    found[task.name][way].append(seconds(task))
    return {name: with_ratios(samples) for name, samples in found.items()}


def checked_launches() -> dict[str, float]:
    """Return each task's CPU seconds, checked in two orders."""
    with tempfile.TemporaryDirectory() as folder:
        kernels = Path(folder) / "kernels.cu"
        kernels.write_text(KERNELS, encoding="utf-8")
        checked = build.kernels([kernels], checked=True)
    return {task.name: launched(checked, task, TWO) for task in TASKS}


def against(other: Path, repeats: int) -> dict[str, Any]:
    """Return how many times another checkout's CPU time a checked launch takes, by task."""
    sides = [HERE.parents[1], other.resolve()]
    taken: list[list[dict[str, float]]] = [[], []]
    for turn in range(repeats):
        for side in (0, 1) if turn % 2 else (1, 0):
            environment = {**os.environ, "PYTHONPATH": str(sides[side] / "graders")}
            command = [sys.executable, __file__, "--launches"]
            done = subprocess.run(command, env=environment, check=True, capture_output=True)
            taken[side].append(json.loads(done.stdout))
    told: dict[str, Any] = {"commit": commit(other)}
    for task in TASKS:
        here, there = (statistics.median(each[task.name] for each in side) for side in taken)
        told[task.name] = round(here / there, 3)
    return told


def with_ratios(samples: Mapping[str, list[float]]) -> dict[str, float]:
    """Return medians, and how many times as long the simulator takes."""
    figures = {way: round(statistics.median(all_), 6) for way, all_ in samples.items() if all_}
    if "native_s" in figures:
        figures["plain_to_native"] = round(figures["plain_s"] / figures["native_s"], 1)
    figures["checked_to_plain"] = round(figures["checked_two_orders_s"] / figures["plain_s"], 1)
    return figures


def native(program: Path, task: Task) -> float:
    """Return the CPU time of one call."""
    command = [str(program), str(task.rows), str(task.columns), str(NATIVE_CALLS)]
    return statistics.median(map(float, machine.call(command).split()))


def launched(built: build.Built, task: Task, orders_: tuple[str, ...]) -> float:
    """Return the CPU time of all orders in sequence; the result must be right, without findings."""
    arguments, blocks, expected, out = prepared(task)
    started = time.thread_time()
    for order in orders_:
        done = launch(built, task.kernel, (blocks, 1, 1), (THREADS, 1, 1), arguments, order=order)
        assert not done.error
        assert not done.report.findings
    took = time.thread_time() - started
    np.testing.assert_allclose(out, expected, rtol=1e-4)
    return took


def prepared(task: Task) -> tuple[list[Argument], int, np.ndarray, np.ndarray]:
    """Return a launch's arguments, its blocks, the expected output, and the output array."""
    x = np.sin(0.37 * np.arange(max(1, task.rows) * task.columns, dtype=np.float64))
    x = x.astype(np.float32)
    out = np.zeros_like(x)
    given = Array("x", x.data.cast("B")), Array("y", out.data.cast("B"), is_output=True)
    if task.kernel == "nothing":
        return [given[1]], 1, np.zeros_like(x), out
    if task.kernel == "vector_add":
        ones = np.ones_like(x)
        with_ones = Array("b", ones.data.cast("B"))
        blocks = -(-task.columns // THREADS)
        return [given[0], with_ones, given[1], task.columns], blocks, x + ones, out
    rows = x.reshape(task.rows, task.columns).astype(np.float64)
    weights = np.exp(rows - rows.max(axis=1, keepdims=True))
    expected = (weights / weights.sum(axis=1, keepdims=True)).ravel()
    return [*given, task.columns], task.rows, expected, out


# --- products of a warp group ---------------------------------------------------------------------


def products(repeats: int) -> dict[str, Any]:
    """Return the median CPU seconds of each size: to check the kernel, and of all that is around.

    around: making the matrices, and comparing some rows of the result with a loop of the host.
    """
    built = build.program([PRODUCTS], checked=True)
    seconds: dict[str, dict[str, float]] = {}
    for size in SIZES:
        whole = statistics.median(product(built, "gemm_hopper", size) for _ in range(repeats))
        around = statistics.median(product(built, "none", size) for _ in range(repeats))
        figures = {"checked": round(whole - around, 3), "around": round(around, 3)}
        seconds[f"{size} x {size} x {size}"] = figures
    return {"seconds": seconds}


def product(built: build.Built, kernel: str, size: int) -> float:
    """Return the CPU time of a run; the result must be right, without findings."""
    started = time.thread_time()
    done = host.run(built, [kernel, str(size)], timeout_s=300)
    took = time.thread_time() - started
    assert done.output == ("right\n" if kernel != "none" else "wrong\n"), done.output
    assert not done.report.findings
    return took


# --- compiling ------------------------------------------------------------------------------------


def compiling(folder: Path, repeats: int) -> dict[str, float]:
    """Return seconds for kernels alone and for a whole program, uncached and cached."""
    found: dict[str, list[float]] = {}
    for _ in range(repeats):
        for name, text in (("kernels", KERNELS), ("program", KERNELS + MAIN)):
            source = folder / f"{name}.cu"
            unseen = f"__device__ unsigned long long number = {time.monotonic_ns()};\n"
            source.write_text(text + unseen, encoding="utf-8")
            for state in ("anew", "cached"):
                started = time.perf_counter()
                compile_checked(source, alone=name == "kernels")
                found.setdefault(f"{name} {state}", []).append(time.perf_counter() - started)
    return {name: round(statistics.median(all_), 3) for name, all_ in found.items()}


def compile_checked(source: Path, *, alone: bool) -> build.Built:
    if alone:
        return build.kernels([source], checked=True)
    return build.program([source], checked=True)


# --- orders ---------------------------------------------------------------------------------------


def orders() -> dict[str, Any]:
    """Return which broken programs are missed, entirely or in part, in 1, 2 and 4 orders.

    unnoticed: reported as clean. incomplete: some required findings are missing.
    """
    sys.path.insert(0, str(TESTS.parent))
    tests = importlib.import_module(TESTS.stem)
    found: dict[str, Any] = {"programs": len(tests.BROKEN)}
    for count in (1, 2, 4):
        unnoticed: list[str] = []
        incomplete: list[str] = []
        for program in tests.BROKEN:
            wanted, seconds = tests.expected(program)
            checked = check([program], orders=ORDERS[:count], timeout_s=seconds)
            got = {(f.kind, frozenset(map(str, f.lines))) for f in checked.report.findings}
            if checked.clean:
                unnoticed.append(program.stem)
            elif not wanted <= got:
                incomplete.append(program.stem)
        found[str(count)] = {"unnoticed": unnoticed, "incomplete": incomplete}
    return found


# --- showing --------------------------------------------------------------------------------------


def table(document: dict[str, Any]) -> str:
    """Format the document as text."""
    lines = [f"{document['device']}, {document['versions']}", ""]
    for name, told in document["launches"].items():
        on_a_core = f"native {1e3 * told['native_s']:.2f} ms, " if "native_s" in told else ""
        times = f", {told['plain_to_native']:g}x native" if on_a_core else ""
        lines.append(
            f"{name}: {on_a_core}plain {told['plain_s']:.3f} s{times}; checked in two orders "
            f"{told['checked_two_orders_s']:.3f} s, {told['checked_to_plain']:g}x plain"
        )
    lines += [
        f"product of {name}: checked in {told['checked']} s"
        for name, told in document["products"]["seconds"].items()
    ]
    lines += [f"compiling, {name}: {took} s" for name, took in document["compiling_s"].items()]
    programs = document["orders"]["programs"]
    for count in ("1", "2", "4"):
        told = document["orders"][count]
        lines.append(
            f"in {count} of the orders: {programs - len(told['unnoticed'])} of {programs} broken "
            f"programs found; unnoticed: {', '.join(told['unnoticed']) or 'none'}; "
            f"incomplete: {', '.join(told['incomplete']) or 'none'}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
