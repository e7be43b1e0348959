"""Build a candidate's C++ so that it counts its accesses to the tensors, and run it.

Call `load` first, then `run`, then `counted`.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

TENSORS = ("q", "k", "v", "counts", "columns", "out")
COMMON = ("g++", "-std=c++17", "-O1", "-march=native", "-fPIC")
COUNTER = Path(__file__).with_name("counting.cpp")
WRAPPED = "-Wl,--wrap=memcpy,--wrap=memmove"
LOADED: list[ctypes.CDLL] = []


def load(path: str) -> None:
    """Build the file as a library whose memory accesses are counted, and load it.

    Raises RuntimeError with the compiler's message if the build fails.
    """
    folder = Path(tempfile.mkdtemp())
    objects = [str(folder / "counted.o"), str(folder / "counter.o")]
    _run(*COMMON, "-fsanitize=thread", "-c", path, "-o", objects[0])
    _run(*COMMON, "-c", str(COUNTER), "-o", objects[1])
    library = str(folder / "counted.so")
    _run("g++", "-shared", WRAPPED, *objects, "-o", library)
    loaded = ctypes.CDLL(library)
    for name in ("counted_loads", "counted_stores"):
        getattr(loaded, name).restype = ctypes.c_int64
    LOADED[:] = [loaded]


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
    """Fill `out` and restart the counts."""
    (library,) = LOADED
    batch, heads, length, depth = q.shape
    tensors = [*(x.contiguous() for x in (q, k, v, counts, columns)), out]
    library.count_nothing()
    for tensor in tensors:
        bytes_ = tensor.numel() * tensor.element_size()
        library.count_in(ctypes.c_void_p(tensor.data_ptr()), ctypes.c_int64(bytes_))
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in tensors]
    sizes = [ctypes.c_int64(n) for n in (batch * heads, length, depth, block)]
    library.attend(*pointers, *sizes, ctypes.c_int32(causal))


def counted() -> dict[str, list[int]]:
    """Return for each tensor the bytes loaded from it and stored to it."""
    (library,) = LOADED
    return {
        name: [library.counted_loads(which), library.counted_stores(which)]
        for which, name in enumerate(TENSORS)
    }


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:2000])
