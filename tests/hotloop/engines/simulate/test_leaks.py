"""A process that runs many programs does not leak."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.launch import Array, launch

PROGRAM = """
__global__ void k(float* y) { y[0] = 1; }
int main() { float* y; cudaMalloc(&y, 4); k<<<1, 1>>>(y); return cudaDeviceSynchronize(); }
"""


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def address_space() -> int:
    """Return the size of the address space in pages."""
    return int(Path("/proc/self/statm").read_text().split()[0])


@pytest.mark.slow
def test_nothing_is_kept(source: Callable[..., Path]) -> None:
    path = source(PROGRAM)
    program, kernels = build.program([path], checked=True), build.kernels([path], checked=True)

    def all_of_it() -> None:
        assert host.run(program).status == 0
        array = Array("y", memoryview(bytearray(4)), is_output=True)
        assert launch(kernels, "k", (1, 1, 1), (1, 1, 1), [array]).error == 0

    all_of_it()
    files, pages = open_files(), address_space()
    for _ in range(10):
        all_of_it()
    assert open_files() - files <= 2
    assert address_space() - pages < (4 << 30) // 4096, "less than one more memory of 4 GiB"
