"""The row lengths at which PyTorch's own softmax takes another kernel, from torch's own header."""

from __future__ import annotations

import re
from pathlib import Path

import torch

HEADER = Path(torch.__file__).parent / "include/ATen/native/cuda/PersistentSoftmax.cuh"
WARP = 32
REGISTERS_A_THREAD = 255
SHARED = 48 * 1024  # of a block that has not asked for more
THREADS = 1024


def longest(direction: str) -> int:
    """The longest row for which the header has a kernel that keeps it in one warp's registers."""
    powers = re.findall(rf"LAUNCH_SOFTMAX_WARP_{direction}\((\d+)\)", HEADER.read_text())
    return 2 ** max(int(power) for power in powers)


def path(columns: int, size: int) -> tuple[str, int]:
    """The forward kernel by SoftMax.cu of PyTorch 2.10, and how often it reads the row.

    size: bytes of an element. Rows are aligned to 16 bytes.
    """
    if columns <= longest("FORWARD"):
        return "one warp, registers", 1
    if -(-columns // THREADS) < 10:
        return "one block, registers", 1
    for_reduction = THREADS // WARP * 4
    if columns < (SHARED - for_reduction) // size and columns % (16 // size) == 0:
        return "one block, shared memory", 1
    return "one block, three walks", 3


def main() -> None:
    """Print the limits, and what they are limits of."""
    forward, backward = longest("FORWARD"), longest("BACKWARD")
    print(f"torch's header: one warp a row up to {forward} forward, {backward} backward")
    assert forward == 2 * backward, "backward keeps two rows: the gradient and the output"
    for columns, rows_kept in ((backward, 2), (forward, 1), (2 * forward, 1), (4 * forward, 1)):
        needed = columns * rows_kept // WARP
        print(f"{columns} columns, {rows_kept} rows kept: {needed} registers a lane for the data")
    assert forward // WARP == backward * 2 // WARP == 64
    assert 4 * forward // WARP > REGISTERS_A_THREAD

    for columns in (1024, 2048, 2052, 9216, 9220, 9221, 12252, 12256, 262144):
        name, reads = path(columns, 4)
        print(f"float32, {columns:6d} columns: {name}, {reads + 1} s bytes an element")
    assert path(2048, 4)[0] != path(2052, 4)[0]
    assert path(9216, 4)[0] == "one block, registers"
    assert path(9220, 4)[0] == "one block, shared memory"
    assert path(9221, 4)[1] == 3, "not a multiple of 4"
    assert path(12252, 4)[1] == 1
    assert path(12256, 4)[1] == 3, "48 KB hold 12288, less what the reduction needs"
    assert path(12256, 2)[1] == 1, "half the size, twice the columns"


if __name__ == "__main__":
    main()
