"""Rung: the kernels compile, and for sm_90 they feed the tensor cores as that card can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.rung import rung
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.session import Session

FIGURE = "wgmma_f16"
"""Instructions in the PTX that multiply 16-bit tiles by a group of four warps."""


@rung(after=("correct",))
def feeds_tensor_cores(session: Session, calls: KernelCalls) -> str:
    """A kernel of the recorded calls compiles to two wgmma instructions or more for sm_90."""
    said = Compiles(calls)(session)
    found = most_wgmma(session.figures)
    if found >= 2:
        return f"{said} {found} wgmma instructions in the PTX for sm_90."
    raise Ruling(
        Verdict.TOO_SLOW,
        "It compiles, but for sm_90 its two products are no wgmma instructions on 16-bit "
        "tiles: give tl.dot float16 operands, and 64 rows or more to a program of four warps.",
    )


def most_wgmma(evidence: Mapping[str, Any]) -> int:
    """Of the kernel that has most."""
    kernels = cast(list[dict[str, Any]], evidence["kernels"])
    return max(int(k.get(FIGURE, 0)) for k in kernels if k["target"] == "sm_90")
