"""Time the candidate's schedule on a GPU against cuBLAS. Not measured on any GPU yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from hotloop.judge.candidate import Candidate
from hotloop.judge.check import check
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.compare import Tolerance
from hotloop.judge.gpu.recipes import Normal
from hotloop.judge.gpu.workers import card_for
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.session import Session
from hotloop.tasks.modules.tvm_passes.given_files import PROGRAMS
from hotloop.tasks.modules.tvm_passes.products import (
    FILES,
    MODULE,
    ROUNDING,
    Size,
    flops,
    moved_bytes,
    reschedule,
    workload,
)

SIZE = (2048, 2048, 1024)
"""m, n, k. m and k differ, so b, whose first axis is k, reaches `_product` whole: only inputs
whose first axis is m are cut to the sampled rows.
"""

RUNNER = "matmul_on_gpu.py"
CUBLAS = Baseline(PROGRAMS / "cublas.py", "product")


def _workload(size: Size) -> DeviceWorkload:
    k = size[2]
    # A sum of k products of normal numbers: 0.64 is the mean magnitude of one.
    absolute = 4 * ROUNDING * (np.sqrt(k) + 4) * 0.64 * k
    return DeviceWorkload(
        spec=workload(size).spec,
        draws=lambda _rng, _spec, _hostile: (Normal(1.0), Normal(1.0)),
        truth=_product,
        tolerance=lambda _spec: Tolerance(0.0, float(absolute)),
    )


def _product(a: Any, b: Any) -> Any:
    return a @ b


FAST = GpuFast(_workload(SIZE), CUBLAS, moved_bytes, fewest_flops=flops)
"""Compares the outputs of the calls that it times."""


@check(after=("compiles",), scored_by="levels")
def fast(session: Session) -> str:
    """Time the schedule for SIZE against cuBLAS, and compare the outputs of the timed calls.

    Returns the message for the learner; raises Ruling.
    """
    card_for(session)
    data = reschedule(SIZE, session, "on_gpu")
    files = {name: path.read_bytes() for name, path in FILES.items()}
    files |= {RUNNER: (PROGRAMS / RUNNER).read_bytes(), MODULE: data}
    return FAST(session.with_files(files).about(Candidate("run", RUNNER, "destination")))
