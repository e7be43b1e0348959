"""Rung: the kernels compile, and for sm_90 they feed the tensor cores as that card can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.session import Session
from hotloop.judge.verdict import Ruling, Verdict

FIGURE = "wgmma_f16"
"""Instructions in the PTX that multiply 16-bit tiles by a group of four warps."""


@dataclass(frozen=True)
class FeedsTensorCores:
    """compiles: says whether they compile at all; sm_90 must be among its targets."""

    compiles: Compiles

    @property
    def after(self) -> tuple[str, ...]:
        """As compiling."""
        return self.compiles.after

    def __call__(self, session: Session) -> str:
        """Compile, and look for the instruction."""
        said = self.compiles(session)
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
