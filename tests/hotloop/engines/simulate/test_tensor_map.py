"""Tensor maps of judged launches are those that a program's own host code makes."""

from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.launch import Array, launch
from hotloop.engines.simulate.problem import SimulatorError
from hotloop.engines.simulate.tensor_map import Tile

Source = Callable[..., Path]

SHAPES = [((64, 128), (16, 64), 2, 128), ((5, 12, 40), (2, 4, 8), 4, 32), ((4096,), (256,), 4, 0)]

PRINTS = """
#include <cstdio>
#include <cuda.h>
int main() {
  CUtensorMap m;
  const cuuint64_t size[] = {SIZE}, stride[] = {STRIDE 0};
  const cuuint32_t box[] = {BOX}, steps[] = {1, 1, 1, 1, 1};
  if (cuTensorMapEncodeTiled(&m, TYPE, RANK, (void*)4096, size, stride, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, SWIZZLE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return 1;
  const auto words = reinterpret_cast<unsigned*>(&m);
  for (unsigned i = 0; i < sizeof m / 4; ++i) std::printf("%u ", words[i]);
}
"""

SHIFT = """
#include "hotloop/hopper.cuh"
__global__ void shift(const __grid_constant__ CUtensorMap in, float* out, int rows, int columns) {
  __shared__ alignas(128) float tile[8 * 16];
  __shared__ hotloop::mbarrier full;
  if (threadIdx.x == 0) {
    hotloop::mbarrier_init(&full, 1);
    hotloop::fence_mbarrier_init();
    hotloop::mbarrier_arrive_expect_tx(&full, sizeof tile);
    hotloop::tensor_load(tile, &in, &full, 1, 8 * blockIdx.x);
  }
  __syncthreads();
  hotloop::mbarrier_wait_parity(&full, 0);
  for (int i = threadIdx.x; i < 8 * 16; i += blockDim.x) out[8 * 16 * blockIdx.x + i] = tile[i];
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "box", "element", "swizzle"), SHAPES)
def test_a_map_is_the_same_for_the_judge_and_in_a_program(
    source: Source, shape: tuple[int, ...], box: tuple[int, ...], element: int, swizzle: int
) -> None:
    sizes = list(reversed(shape))
    strides = [element]
    for size in sizes[:-1]:
        strides.append(strides[-1] * size)
    names = {2: "BFLOAT16", 4: "FLOAT32"}
    words = {
        "SIZE": ", ".join(map(str, sizes)),
        "STRIDE": "".join(f"{s}, " for s in strides[1:]),
        "BOX": ", ".join(map(str, reversed(box))),
        "TYPE": f"CU_TENSOR_MAP_DATA_TYPE_{names[element]}",
        "RANK": str(len(shape)),
        "SWIZZLE": f"CU_TENSOR_MAP_SWIZZLE_{f'{swizzle}B' if swizzle else 'NONE'}",
    }
    text = PRINTS
    for name, value in words.items():
        text = text.replace(f"{{{name}", f"{{{value}").replace(f" {name},", f" {value},")
    done = host.run(build.program([source(text)], checked=False))
    expected = array("I", Tile(box, swizzle).encoded(4096, shape, element)).tolist()
    assert [int(word) for word in done.output.split()] == expected


@pytest.mark.slow
def test_a_kernel_gets_a_map_of_an_array(source: Source) -> None:
    built = build.kernels([source(SHIFT)], checked=True)
    values = array("f", range(16 * 16))
    out = array("f", [0.0]) * (16 * 16)
    arguments = [
        Array("in", memoryview(values).cast("B"), tile=Tile((8, 16)), shape=(16, 16)),
        Array("out", memoryview(out).cast("B"), is_output=True),
        16,
        16,
    ]
    done = launch(built, "shift", (2, 1, 1), (32, 1, 1), arguments)
    assert (done.error, done.report.findings) == (0, [])
    rows = [[*values[16 * r + 1 : 16 * r + 16], 0.0] for r in range(16)]
    assert out.tolist() == [value for row in rows for value in row]
    with pytest.raises(SimulatorError, match=r"CUtensorMap in, .* it takes \(object, "):
        launch(built, "shift", (2, 1, 1), (32, 1, 1), arguments[:3])


@pytest.mark.parametrize(
    ("shape", "tile"),
    [
        ((16, 16), Tile((8, 300))),
        ((16, 16), Tile((8,))),
        ((16, 16), Tile((8, 2))),
        ((9, 9), Tile((4, 4))),
        ((16, 64), Tile((8, 64), 32)),
    ],
)
def test_a_map_that_cuda_refuses_is_refused(shape: tuple[int, ...], tile: Tile) -> None:
    with pytest.raises(SimulatorError):
        tile.encoded(4096, shape, 4)
