"""Builds sparse_attention.cpp and calls it on tensors. Given."""

import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("sparse_attention.cpp")
FLAGS = ("-std=c++17", "-O3", "-march=native", "-fPIC", "-shared", "-Wall")


@cache
def library():
    """The compiled file; a compiler's complaint is an error."""
    target = Path(tempfile.mkdtemp()) / "sparse_attention.so"
    command = ["g++", *FLAGS, str(SOURCE), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:2000])
    return ctypes.CDLL(str(target))


def attend(q, k, v, counts, columns, block, causal, out):
    """As sparse_triton.attend, for float32 in contiguous memory on a CPU."""
    batch, heads, length, depth = q.shape
    tensors = [x.contiguous() for x in (q, k, v, counts, columns)]
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (*tensors, out)]
    sizes = [ctypes.c_int64(n) for n in (batch * heads, length, depth, block)]
    library().attend(*pointers, *sizes, ctypes.c_int32(causal))
