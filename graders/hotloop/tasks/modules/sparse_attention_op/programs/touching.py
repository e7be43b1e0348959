"""Run a candidate's C++ function alone, and see which memory of its keys and values it touched.

They lie in files in memory, with holes where no row of a head lists a block. The system fills a
page of a hole when somebody reads it. The function runs in a process of its own, which can neither
write the files nor read or change this one; this one looks afterwards which pages are there.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

COMMAND = ("g++", "-std=c++17", "-O3", "-march=native", "-fPIC", "-shared")
PAGE = mmap.PAGESIZE
PR_SET_DUMPABLE = 4
LIBRARIES: list[str] = []
TOUCHED: list[int] = []


class Sparse:
    """An array in a file without a name, of which whole pages may be missing.

    address: where this process and those forked from it can read it.
    """

    def __init__(self, array: np.ndarray, used: np.ndarray) -> None:
        """used: bool, for each row of the array; rows that are not are left out where they can."""
        data, row = array.tobytes(), array[0].nbytes
        with _file() as file:
            # One page more, which this process reads through its mapping, to see that it counts.
            file.truncate(-(-len(data) // PAGE) * PAGE + PAGE)
            for begin in range(0, len(data), PAGE):
                if used[begin // row : -(-min(begin + PAGE, len(data)) // row)].any():
                    file.seek(begin)
                    file.write(data[begin : begin + PAGE])
            file.flush()
            self._file = os.dup(file.fileno())
            read_only = os.open(f"/proc/self/fd/{self._file}", os.O_RDONLY)
        size = os.fstat(read_only).st_size
        self._memory = mmap.mmap(read_only, size, mmap.MAP_SHARED, mmap.PROT_READ)
        os.close(read_only)
        self.address = np.frombuffer(self._memory, np.uint8).ctypes.data
        self._missing = self._holes()
        self._extra = size - PAGE

    def touched(self) -> int:
        """Return how many pages were missing and are there now; -1 if this system does not show."""
        _ = self._memory[self._extra]
        filled = self._missing - self._holes()
        return len(filled) - 1 if self._extra in filled else -1

    def close(self) -> None:
        """Give the memory back."""
        os.close(self._file)

    def _holes(self) -> set[int]:
        holes, end = set[int](), os.fstat(self._file).st_size
        for page in range(0, end, PAGE):
            try:
                is_hole = os.lseek(self._file, page, os.SEEK_DATA) != page
            except OSError:  # no data from here on
                is_hole = True
            if is_hole:
                holes.add(page)
        return holes


def _file() -> IO[bytes]:
    """Return a file in memory: the sandbox's own files are, and where there is none, memfd is."""
    try:
        return os.fdopen(os.memfd_create("sparse"), "wb")
    except OSError:
        return tempfile.TemporaryFile()


def load(path: str) -> None:
    """Build the file as a library. Raises RuntimeError with the compiler's message."""
    library = str(Path(tempfile.mkdtemp()) / "alone.so")
    done = subprocess.run(
        (*COMMAND, path, "-o", library), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:2000])
    LIBRARIES[:] = [library]
    # Other processes of this user, and so the function's, cannot read this one.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def run(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    counts: torch.Tensor,
    columns: torch.Tensor,
    block: int,
    causal: bool,
    out: torch.Tensor,
) -> None:
    """Fill `out`. Raises RuntimeError if the function's process does not end as it should."""
    batch, heads, length, depth = q.shape
    used = listed(counts.numpy(), columns.numpy(), block, length)
    sparse = [Sparse(x.numpy().reshape(-1, depth), used) for x in (k, v)]
    result = mmap.mmap(-1, out.numel() * out.element_size())
    filled = np.frombuffer(result, np.float32)
    others = [x.contiguous() for x in (q, counts, columns)]
    pointers = [others[0].data_ptr(), *(each.address for each in sparse)]
    pointers += [others[1].data_ptr(), others[2].data_ptr(), filled.ctypes.data]
    sizes = [batch * heads, length, depth, block]
    child = os.fork()
    if child == 0:
        _attend(pointers, sizes, causal)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise RuntimeError(f"attend ended with {signal.Signals(os.WTERMSIG(status)).name}")
    if status != 0:
        raise RuntimeError("the library has no function attend that returns")
    TOUCHED[:] = [each.touched() for each in sparse]
    for each in sparse:
        each.close()
    out.copy_(out.new_tensor(filled).view(out.shape))


def touched() -> list[int]:
    """Return the pages that the last call read of keys, and of values, that no row lists.

    -1 where this system does not show it.
    """
    return TOUCHED


def listed(counts: np.ndarray, columns: np.ndarray, block: int, length: int) -> np.ndarray:
    """Return which keys of all heads are in a block that a row of their head lists: bool."""
    blocks = counts.shape[-1]
    used = np.zeros((counts[..., 0].size, blocks), np.bool_)
    rows = zip(counts.reshape(-1), columns.reshape(-1, blocks), strict=True)
    for number, (count, places) in enumerate(rows):
        used[number // blocks, places[:count]] = True
    return np.repeat(used, block, 1)[:, :length].reshape(-1)


def _attend(pointers: list[int], sizes: list[int], causal: bool) -> None:
    """Call the function, and end this process: none of the judge's files is open in it."""
    code = 1
    with suppress(BaseException):
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        arguments = [*map(ctypes.c_void_p, pointers), *map(ctypes.c_int64, sizes)]
        ctypes.CDLL(LIBRARIES[0]).attend(*arguments, ctypes.c_int32(causal))
        code = 0
    os._exit(code)
