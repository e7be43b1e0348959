"""How fast is the CUDA simulator? Asked for: a block softmax of 1024 × 1024 in 0.3 s, the race
check of one of 64 rows in 3 s, a plain compilation in 2 s.

    python tests/benchmarks/cuda_simulator.py

The runtime is built before anything is measured; programs are compiled anew each time. Prints the
medians and writes tests/benchmarks/results/cuda_simulator.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hotloop.cudasim import build, run, toolchain
from hotloop.cudasim.check import check
from hotloop.judge.device import device_name

HERE = Path(__file__).parent

PROGRAM = """\
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int kThreads = 256;

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

// NUMBER makes every build a new one.
int main() {
  const int rows = ROWS, columns = 1024 + 0 * NUMBER;
  const size_t bytes = static_cast<size_t>(rows) * columns * sizeof(float);
  std::vector<float> in(bytes / sizeof(float)), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = std::sin(0.37f * i);
  float *din, *dout;
  cudaMalloc(&din, bytes);
  cudaMalloc(&dout, bytes);
  cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice);
  const auto start = std::chrono::steady_clock::now();
  softmax<<<rows, kThreads>>>(din, dout, columns);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost);
  bool right = !failed;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += out[static_cast<size_t>(row) * columns + i];
    right &= std::fabs(sum - 1) < 1e-4;
  }
  std::printf("%.6f\\n", took.count());
  return right ? 0 : 1;
}
"""


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def defines(rows: int) -> list[str]:
    return [f"ROWS={rows}", f"NUMBER={time.monotonic_ns()}"]


def compile_anew(source: Path, flavour: build.Flavour, rows: int) -> build.Built:
    return build.program([source], flavour, defines=defines(rows))


def plain(source: Path) -> float:
    """Of the kernel alone, as the program tells it."""
    done = run.run(build.program([source], "plain", defines=["ROWS=1024", "NUMBER=0"]))
    assert done.status == 0, done.output
    return float(done.output)


def race_check(source: Path) -> float:
    """Of all orders of threads, without the compilation."""
    chosen = ["ROWS=64", "NUMBER=0"]
    build.program([source], "checked", defines=chosen)
    started = time.perf_counter()
    checked = check([source], defines=chosen)
    took = time.perf_counter() - started
    assert checked.clean, checked.report.findings
    return took


def measure(repeats: int) -> dict[str, list[float]]:
    """Seconds of each task, again and again."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "softmax.cu"
        source.write_text(PROGRAM, encoding="utf-8")
        compile_anew(source, "plain", 1)  # builds the runtime
        tasks: dict[str, Callable[[], float]] = {
            "plain_softmax_1024x1024_s": lambda: plain(source),
            "race_check_softmax_64x1024_s": lambda: race_check(source),
            "compile_plain_s": lambda: seconds(lambda: compile_anew(source, "plain", 1)),
            "compile_checked_s": lambda: seconds(lambda: compile_anew(source, "checked", 1)),
        }
        return {name: [task() for _ in range(repeats)] for name, task in tasks.items()}


ASKED = {
    "plain_softmax_1024x1024_s": 0.3,
    "race_check_softmax_64x1024_s": 3.0,
    "compile_plain_s": 2.0,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "cuda_simulator.json")
    options = parser.parse_args()
    measured = measure(options.repeats)
    document = {
        "device": device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "compiler": toolchain.version(),
        **{name: round(statistics.median(all_), 3) for name, all_ in measured.items()},
        "asked": ASKED,
        "seconds": {name: [round(s, 3) for s in all_] for name, all_ in measured.items()},
    }
    options.out.write_text(json.dumps(document, indent=1) + "\n")
    if options.json:
        print(json.dumps(document))
        return
    for name in measured:
        asked = f" (asked: {ASKED[name]} s)" if name in ASKED else ""
        print(f"{name.removesuffix('_s')}: {document[name]} s{asked}")


if __name__ == "__main__":
    main()
