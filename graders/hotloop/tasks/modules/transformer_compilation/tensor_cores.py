"""Check that kernels compile, and that for sm_90 they use wgmma instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import check
from hotloop.judge.checks.triton_compiles import TritonCompiles
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.session import Session

FIGURE = "wgmma_f16"
"""Count of PTX instructions that multiply 16-bit tiles with a warp group (four warps)."""


@check(after=("correct",))
def feeds_tensor_cores(session: Session, calls: TritonKernelCalls) -> str:
    """Require two or more wgmma instructions for sm_90 in a kernel of the recorded calls."""
    sentence = TritonCompiles(calls)(session)
    count = most_wgmma(session.figures)
    if count >= 2:
        return f"{sentence} {count} wgmma instructions in the PTX for sm_90."
    raise Ruling(
        Verdict.TOO_SLOW,
        "It compiles, but for sm_90 its two products are no wgmma instructions on 16-bit "
        "tiles: give tl.dot float16 operands, and 64 rows or more to a program of four warps.",
    )


def most_wgmma(evidence: Mapping[str, Any]) -> int:
    """Return the largest count over all kernels for sm_90."""
    kernels = cast(list[dict[str, Any]], evidence["kernels"])
    return max(int(k.get(FIGURE, 0)) for k in kernels if k["target"] == "sm_90")
