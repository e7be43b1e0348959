"""Compiles TritonGPU IR for a Hopper GPU that need not be there, and returns the PTX.

It gets the IR that a candidate's compiler wrote, and none of the candidate's code.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget


def compiled(path: str) -> dict[str, Any]:
    """Return the path of the PTX and the bytes of shared memory, or an `error`."""
    os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
    try:
        kernel = triton.compile(path, GPUTarget("cuda", 90, 32))
    except Exception as error:  # noqa: BLE001 - whatever a compiler raises is reported
        return {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    folder = tempfile.mkdtemp()
    target = f"{folder}/kernel.ptx"
    Path(target).write_text(kernel.asm["ptx"], encoding="utf-8")
    return {"error": None, "ptx": target, "shared": int(kernel.metadata.shared)}
