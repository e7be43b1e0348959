"""The instrumentation pass on hand-made modules: all accesses in accepted ones are reported."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import binary, build, engine, instrument, verify
from hotloop.engines.simulate.binary import ForbiddenInstruction
from hotloop.engines.simulate.engine.interface import InvalidModule
from hotloop.engines.simulate.instrument import ArgumentSlot, InstrumentedKernel

Source = Callable[..., Path]

KERNELS = """
#include <cuda_runtime.h>
__attribute__((noinline)) __device__ float waits(float v) { return __shfl_xor_sync(~0u, v, 1); }
__global__ void k(float* x, const float4* v, int n) {
  __shared__ float s[64];
  for (int i = threadIdx.x; i < n; i += 32) {
    if (i & 1) __syncwarp();
    s[i % 64] = waits(x[i]);
    __syncthreads();
    float4 f = v[i];
    __builtin_memcpy(x + 4 * i, &f, 16);
    atomicAdd(x, s[(i + 1) % 64] / (float)(n % 7));
    switch (i % 5) {
      case 0: x[i] += 1; break;
      case 1: __syncthreads(); x[i] += 2; break;
      case 2: x[i] = waits(x[i]) + 3; break;
      default: printf("%d", i);
    }
  }
}
"""

ASYNCHRONOUS = """
#include "hotloop/hopper.cuh"
__global__ void k(float* x, const float4* v, int n) {
  __shared__ alignas(1024) __nv_bfloat16 tile[64 * 64];
  __shared__ hotloop::mbarrier full;
  if (threadIdx.x == 0) hotloop::mbarrier_init(&full, 1), hotloop::fence_mbarrier_init();
  __syncthreads();
  float sums[32];
  const uint64_t at = hotloop::wgmma_descriptor(tile, 0, 1024, hotloop::swizzle::bytes_128);
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == 0) {
      hotloop::mbarrier_arrive_expect_tx(&full, sizeof tile);
      hotloop::bulk_load(tile, v + i * 512, sizeof tile, &full);
    }
    hotloop::mbarrier_wait_parity(&full, i & 1);
    hotloop::wgmma_fence();
    hotloop::wgmma<__nv_bfloat16>(sums, at, at, i > 0);
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
    hotloop::barrier_sync(1, 128);
  }
  for (int i = 0; i < 32; ++i) x[threadIdx.x * 32 + i] = sums[i];
  if (threadIdx.x) return;
  hotloop::bulk_store(x, tile, 128);
  hotloop::bulk_commit_group();
  hotloop::bulk_wait_group<0>();
}
"""


@pytest.fixture(scope="module", params=[KERNELS, ASYNCHRONOUS], ids=["kernels", "asynchronous"])
def compiled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[bytes, list[InstrumentedKernel]]:
    path = tmp_path_factory.mktemp("kernels") / "k.cu"
    path.write_text(request.param, encoding="utf-8")
    built = build.kernels([path], checked=True)
    wasm = (built.folder / "device.wasm").read_bytes()
    names = binary.function_names(wasm)
    number = next(index for index, name in names.items() if name == built.kernels[0].symbol)
    parameters = (ArgumentSlot(0, 4), ArgumentSlot(4, 4), ArgumentSlot(8, 4))
    return wasm, [InstrumentedKernel("k", number, parameters)]


@pytest.mark.slow
def test_what_the_compiler_made_passes(compiled: tuple[bytes, list[InstrumentedKernel]]) -> None:
    wasm, kernels = compiled
    made = instrument.instrument(wasm, kernels, checked=True)
    assert verify.verify(made.wasm, 1) >= 3
    engine.validate(made.wasm)


@pytest.mark.slow
def test_an_access_without_its_report_is_seen(
    compiled: tuple[bytes, list[InstrumentedKernel]],
) -> None:
    made = instrument.instrument(*compiled, checked=False)
    with pytest.raises(ForbiddenInstruction, match="not reported"):
        verify.verify(made.wasm, 1)


def test_an_address_of_its_own_in_the_frames_is_seen(
    compiled: tuple[bytes, list[InstrumentedKernel]],
) -> None:
    wasm = instrument.instrument(*compiled, checked=True).wasm
    load = re.search(rb"\x23[\x00-\x7f]\x28\x40\x01", wasm)
    assert load is not None
    # local.get 0 instead of the frame's own address
    wrong = wasm[: load.start()] + b"\x20\0" + wasm[load.start() + 2 :]
    with pytest.raises(ForbiddenInstruction, match="frames"):
        verify.verify(wrong, 1)


def mutated(wasm: bytes, chance: random.Random) -> bytes:
    """Change, remove, duplicate or move some bytes, mostly in the code."""
    code = next(s for s in binary.sections(wasm) if s.number == 10)
    data = bytearray(wasm)
    first = code.at if chance.random() < 0.9 else 8
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(first, code.at + len(code.body))
        size = chance.choice((1, 1, 2, 5))
        other = chance.randrange(first, code.at + len(code.body))
        kind = chance.randrange(4)
        if kind == 0:
            data[at] = chance.choice((chance.randrange(256), chance.randrange(0x20, 0x45)))
        elif kind == 1:
            data[at : at + size] = data[other : other + size]
        elif kind == 2:
            data[at : at + size] = bytes(chance.randrange(256) for _ in range(size))
        else:
            data[at], data[other] = data[other], data[at]
    return bytes(data)


@pytest.mark.slow
def test_ten_thousand_modules_that_nobody_compiled(
    compiled: tuple[bytes, list[InstrumentedKernel]],
) -> None:
    wasm, kernels = compiled
    chance = random.Random(20261124)
    passed = runnable = 0
    for _ in range(10_000):
        try:
            made = instrument.instrument(mutated(wasm, chance), kernels, checked=True)
        except ForbiddenInstruction:
            continue
        passed += 1
        verify.verify(made.wasm, 1)
        try:
            engine.validate(made.wasm)
        except InvalidModule:
            continue
        runnable += 1
    # Enough of them must get this far for the test to be meaningful.
    assert passed > 800
    assert runnable > 200
    print(f"10,000 modules: {passed} instrumented, {runnable} valid, all accesses reported")
