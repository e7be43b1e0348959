"""ldmatrix and mma against the tables of the PTX ISA, and asynchronous copies.

Tables: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", "ldmatrix".
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hotloop.engines.nvcc import compile as compiling
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate import build
from hotloop.engines.simulate.launch import Array, launch
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.engines.simulate.report import SimulatorReport

FRAGMENTS = (Path(__file__).parent / "kernels" / "fragments.cu").read_text(encoding="utf-8")

LANES = [(lane, lane // 4, lane % 4) for lane in range(32)]


def pairs(first: NDArray[np.uint16], second: NDArray[np.uint16]) -> NDArray[np.uint32]:
    return np.bitwise_or(first.astype(np.uint32), second.astype(np.uint32) << 16, dtype=np.uint32)


def run(
    source: Callable[..., Path],
    text: str,
    kernel: str,
    arguments: Sequence[Array | int],
    order: str = "forward",
) -> SimulatorReport:
    built = build.kernels([source(text)], checked=True)
    done = launch(built, kernel, (1, 1, 1), (32, 1, 1), arguments, order=order)
    assert done.error == 0 or done.report.findings
    return done.report


def array(name: str, values: NDArray[Any], *, is_output: bool = False) -> Array:
    return Array(name, values.data.cast("B"), is_output)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_a_product_has_the_fragments_of_the_tables(source: Callable[..., Path], dtype: str) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-8, 9, (16, 16)), rng.integers(-8, 9, (16, 8))

    def bits(x: NDArray[np.int64]) -> NDArray[np.uint16]:
        if dtype == "f16":
            return x.astype(np.float16).view(np.uint16)
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)

    fa, fb = np.zeros((32, 4), np.uint32), np.zeros((32, 2), np.uint32)
    for lane, group, t in LANES:
        for i in range(0, 8, 2):  # a0 to a7, two to a register
            row = group if i in (0, 4) else group + 8
            column = 2 * t if i < 4 else 2 * t + 8
            fa[lane, i // 2] = pairs(*bits(a[row, column : column + 2]))
        for i in range(0, 4, 2):
            row = 2 * t if i < 2 else 2 * t + 8
            fb[lane, i // 2] = pairs(*bits(b[row : row + 2, group]))
    d = np.zeros((32, 4), np.float32)
    given = [array("a", fa), array("b", fb), array("d", d, is_output=True)]
    assert run(source, FRAGMENTS, f"multiply_{dtype}", given).findings == []
    want = a @ b + 1
    for lane, group, t in LANES:
        for i in range(4):
            row, column = group + 8 * (i >= 2), 2 * t + i % 2
            assert d[lane, i] == want[row, column]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("pitch", "passes"), [(8, 1), (72, 1), (64, 8)])
def test_ldmatrix_gives_the_pieces_of_the_tables(
    source: Callable[..., Path], count: int, transposed: bool, pitch: int, passes: int
) -> None:
    """Rows of 128 bytes start in the same banks; with strides of 16 or 144 bytes, in all banks."""
    m = np.arange(32 * 8, dtype=np.uint16)
    r = np.zeros((32, count), np.uint32)
    given = [array("m", m), array("r", r, is_output=True), pitch]
    name = f"load_x{count}" + "_trans" * transposed
    report = run(source, FRAGMENTS, name, given)
    assert report.findings == []
    matrices = m.reshape(4, 8, 8)
    for lane, group, t in LANES:
        for i in range(count):
            matrix = matrices[i].T if transposed else matrices[i]
            assert r[lane, i] == pairs(*matrix[group, 2 * t : 2 * t + 2])
    (site,) = [s for s in report.sites if s.space == "shared" and s.did == "read"]
    assert (site.bytes, site.moved, site.fewest) == (128 * count, passes * count, count)


@pytest.mark.slow
def test_a_row_that_is_not_aligned_is_reported(source: Callable[..., Path]) -> None:
    m, r = np.arange(256, dtype=np.uint16), np.zeros((32, 1), np.uint32)
    given = [array("m", m), array("r", r, is_output=True), 12]
    (found,) = run(source, FRAGMENTS, "load_x1", given).findings
    assert found.kind == "assert"
    assert "multiple of 16 bytes" in found.text


COPIES = """
#include <cuda_pipeline.h>
__global__ void reverse(const float4* x, float4* y, int count) {
  __shared__ float4 piece[2][32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&piece[0][t], x + t, 16);
  __pipeline_commit();
  for (int i = 0; i < count; ++i) {
    if (i + 1 < count) __pipeline_memcpy_async(&piece[(i + 1) % 2][t], x + 32 * (i + 1) + t, 16);
    __pipeline_commit();
    WAIT
    ARRIVE
    y[32 * i + t] = piece[i % 2][31 - t];
    LEAVE
  }
}
__global__ void tail(const float4* x, float4* y, int count) {
  __shared__ float4 piece[32];
  __pipeline_memcpy_async(&piece[threadIdx.x], x + threadIdx.x, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = piece[threadIdx.x];
}
"""
WAIT, BARRIER = "__pipeline_wait_prior(1);", "__syncthreads();"


def _complete(wait: str, arrive: str, leave: str) -> str:
    return COPIES.replace("WAIT", wait).replace("ARRIVE", arrive).replace("LEAVE", leave)


def copied(
    source: Callable[..., Path], wait: str, arrive: str, leave: str, order: str = "forward"
) -> tuple[NDArray[np.float32], NDArray[np.float32], SimulatorReport]:
    text = _complete(wait, arrive, leave)
    x = np.arange(4 * 128, dtype=np.float32).reshape(4, 32, 4)
    y = np.full_like(x, np.nan)
    given = [array("x", x), array("y", y, is_output=True), 4]
    return x, y, run(source, text, "reverse", given, order=order)


@pytest.mark.slow
def test_what_was_waited_for_behind_a_barrier_is_there(source: Callable[..., Path]) -> None:
    x, y, report = copied(source, WAIT, BARRIER, BARRIER)
    assert report.findings == []
    assert np.array_equal(y, x[:, ::-1])
    loaded = [s for s in report.sites if s.space == "global" and s.did == "read"]
    assert sum(s.bytes for s in loaded) == sum(s.moved for s in loaded) == x.nbytes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wait", "arrive", "leave", "kind"),
    [
        ("", BARRIER, BARRIER, "uninitialized_shared"),
        ("__pipeline_wait_prior(2);", BARRIER, BARRIER, "uninitialized_shared"),
        (WAIT, "", BARRIER, "race"),
        (WAIT, BARRIER, "", "race"),
    ],
)
@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_a_missing_wait_or_barrier_is_found(
    source: Callable[..., Path], wait: str, arrive: str, leave: str, kind: str, order: str
) -> None:
    _, _, report = copied(source, wait, arrive, leave, order)
    assert kind in {f.kind for f in report.findings}
    assert all(line.line in (6, 9, 13) for f in report.findings for line in f.lines)


@pytest.mark.slow
def test_bytes_that_are_filled_are_not_read(source: Callable[..., Path]) -> None:
    x = np.ones(4 * 32 - 1, np.float32)  # the last 4 bytes would be outside
    y = np.full((32, 4), np.nan, np.float32)
    given = [array("x", x), array("y", y, is_output=True), 1]
    assert run(source, _complete(WAIT, BARRIER, BARRIER), "tail", given).findings == []
    assert np.array_equal(y, np.tile(np.array([1, 1, 1, 0], np.float32), (32, 1)))


@pytest.mark.slow
def test_nvcc_takes_the_same_sources(source: Callable[..., Path]) -> None:
    try:
        tools = toolchain.find()
    except ToolMissing as missing:
        pytest.skip(str(missing))
    path = source(FRAGMENTS)
    for made in compiling.compile_files(path, tools, (80,)):
        assert len(made.kernels) == 8
