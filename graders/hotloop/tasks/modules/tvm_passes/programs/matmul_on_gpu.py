"""Run a candidate's schedule on the GPU, compiled once, from scheduled.json beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matmul_runs

matmul_runs.load_cuda(str(Path(__file__).parent / "scheduled.json"))


def run(a: Any, b: Any, out: Any) -> None:
    """Compute out[m, n] = a[m, k] @ b[k, n], all float32 and on the GPU."""
    matmul_runs.run(a, b, out)
