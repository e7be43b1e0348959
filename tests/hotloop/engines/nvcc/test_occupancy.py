"""Theoretical occupancy agrees with NVIDIA's occupancy calculator."""

import itertools
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop.engines.nvcc import toolchain
from hotloop.engines.nvcc.occupancy import MULTIPROCESSORS, REGISTERS, WARP, Occupancy, occupancy
from hotloop.engines.nvcc.toolchain import Toolchain

BLOCKS = (1, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1000, 1024)
REGISTER_COUNTS = (1, 8, 16, 24, 32, 33, 37, 40, 48, 56, 64, 65, 72, 80, 96, 128, 168, 200, 255)
SHARED = (0, 1, 1024, 4096, 8192, 10000, 16384, 32768, 49152, 49153, 65536, 101376, 166912, 232448)
BARRIERS = (0, 2, 16)

CALCULATOR = r"""
#include <climits>
#include <cstdio>
#include <cstring>
#include <cuda_occupancy.h>

int main() {
  int major, minor, threads, block, registers, barriers;
  size_t shared_sm, shared_block, reserved, used;
  while (std::scanf("%d %d %d %zu %zu %zu %d %d %zu %d", &major, &minor, &threads, &shared_sm,
                    &shared_block, &reserved, &block, &registers, &used, &barriers) == 10) {
    cudaOccDeviceProp device;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = threads;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 49152;
    device.sharedMemPerMultiprocessor = shared_sm;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = shared_block;
    device.reservedSharedMemPerBlock = reserved;
    // All of it as dynamic shared memory, which the launcher has opted in to.
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = INT_MAX;
    function.numRegs = registers;
    function.sharedSizeBytes = 0;
    function.partitionedGCConfig = PARTITIONED_GC_OFF;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = used;
    function.numBlockBarriers = barriers;
    cudaOccDeviceState state;
    cudaOccResult result;
    std::memset(&result, 0, sizeof result);
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, block, used) !=
        CUDA_OCC_SUCCESS)
      std::puts("-1");
    else
      std::printf("%d\n", result.activeBlocksPerMultiprocessor);
  }
}
"""


def points() -> Iterator[tuple[int, int, int, int, int]]:
    yield from itertools.product(MULTIPROCESSORS, BLOCKS, REGISTER_COUNTS, SHARED, BARRIERS)


def found(capability: int, block: int, registers: int, shared: int, barriers: int) -> Occupancy:
    fit = occupancy(capability, block, registers, shared, barriers)
    assert fit is not None
    return fit


@pytest.fixture
def calculator(real: Toolchain, tmp_path: Path) -> Path:
    """NVIDIA's own calculation, compiled from the header in the toolkit."""
    folder = real.headers[0] / "include"
    if not (folder / "cuda_occupancy.h").is_file():
        pytest.skip("cuda_occupancy.h is not installed: pip install nvidia-cuda-runtime")
    (tmp_path / "calculator.cpp").write_text(CALCULATOR)
    program = tmp_path / "calculator"
    subprocess.run(
        [
            str(shutil.which("g++")),
            "-w",
            f"-I{folder}",
            str(tmp_path / "calculator.cpp"),
            "-o",
            program,
        ],
        check=True,
    )
    return program


@pytest.mark.slow
def test_agrees_with_nvidias_calculator_everywhere(calculator: Path) -> None:
    asked = list(points())
    lines = [
        f"{c // 10} {c % 10} {sm.warps * WARP} {sm.shared_bytes} {sm.block_shared_bytes} "
        f"{sm.reserved_bytes} {block} {registers} {shared} {barriers}"
        for c, block, registers, shared, barriers in asked
        for sm in [MULTIPROCESSORS[c]]
    ]
    done = subprocess.run(
        [calculator], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    theirs = list(map(int, done.stdout.split()))
    ours = [found(*point).blocks for point in asked]
    assert len(theirs) == len(asked) > 100_000
    different = [(p, t, o) for p, t, o in zip(asked, theirs, ours, strict=True) if t != o]
    assert different == []


@pytest.mark.parametrize(
    ("capability", "block", "registers", "shared", "blocks", "limits"),
    [
        # NVIDIA's Best Practices Guide, "Calculating Occupancy": 37 registers, 2048 threads an SM.
        (80, 128, 37, 0, 12, ("registers",)),
        (80, 320, 37, 0, 4, ("registers",)),
        # As cuda_occupancy.h of CUDA 13.0 gives them.
        (75, 256, 32, 0, 4, ("threads",)),
        (75, 256, 32, 17000, 3, ("shared memory",)),
        (80, 32, 16, 0, 32, ("blocks",)),
        (80, 256, 64, 0, 4, ("registers",)),
        (80, 1024, 65, 0, 0, ("registers",)),
        (86, 256, 40, 0, 6, ("threads", "registers")),
        (89, 32, 16, 0, 24, ("blocks",)),
        (90, 256, 32, 49152, 4, ("shared memory",)),
        (90, 128, 255, 0, 2, ("registers",)),
        (120, 1024, 32, 0, 1, ("threads",)),
    ],
)
def test_known_values(
    capability: int, block: int, registers: int, shared: int, blocks: int, limits: tuple[str, ...]
) -> None:
    fit = found(capability, block, registers, shared, 0)
    assert fit.blocks == blocks
    assert set(limits) <= set(fit.limits)
    assert fit.share == blocks * -(-block // 32) / MULTIPROCESSORS[capability].warps


def test_the_two_shares_in_the_best_practices_guide() -> None:
    """The guide rounds them to 75 % and 63 %."""
    assert found(80, 128, 37, 0, 0).share == 0.75
    assert found(80, 320, 37, 0, 0).share == 0.625


@pytest.mark.parametrize("capability", sorted(MULTIPROCESSORS))
def test_one_more_of_the_limiting_resource_is_too_much(capability: int) -> None:
    sm = MULTIPROCESSORS[capability]
    most = sm.block_shared_bytes
    assert found(capability, 256, 32, most, 0).blocks == 1
    over = found(capability, 256, 32, most + 1, 0)
    assert (over.blocks, over.limits) == (0, ("shared memory",))
    assert found(capability, 1024, REGISTERS // 1024, 0, 0).blocks == 1
    assert found(capability, 1024, REGISTERS // 1024 + 1, 0, 0).limits == ("registers",)
    assert found(capability, 1025, 32, 0, 0).limits == ("threads",)


def test_an_unknown_gpu_has_no_occupancy() -> None:
    assert occupancy(61, 256, 32) is None
    with pytest.raises(ValueError, match="at least one thread"):
        occupancy(80, 0, 32)


def test_headers_of_the_toolkit_are_found_first(real: Toolchain) -> None:
    assert (real.headers[0] / "include" / "cuda_runtime.h").is_file()
    assert toolchain.find() == real
