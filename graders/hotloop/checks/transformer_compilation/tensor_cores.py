"""Rung: the kernels compile, and for sm_90 they feed the tensor cores as that card can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.verdict import Verdict

FIGURE = "wgmma_f16"
"""Instructions in the PTX that multiply 16-bit tiles by a group of four warps."""


@dataclass(frozen=True)
class FeedsTensorCores:
    """compiles: says whether they compile at all; sm_90 must be among its targets."""

    compiles: Compiles

    @property
    def needs(self) -> tuple[str, ...]:
        """As compiling."""
        return self.compiles.needs

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Compile, and look for the instruction."""
        record = self.compiles.judge(name, candidate, bench)
        if record.verdict is not Verdict.PASSED:
            return record
        found = most_wgmma(record.evidence)
        if found >= 2:
            said = f"{record.sentence} {found} wgmma instructions in the PTX for sm_90."
            return RungRecord(name, Verdict.PASSED, said, 1.0, evidence=record.evidence)
        said = (
            "It compiles, but for sm_90 its two products are no wgmma instructions on 16-bit "
            "tiles: give tl.dot float16 operands, and 64 rows or more to a program of four warps."
        )
        return RungRecord(name, Verdict.TOO_SLOW, said, evidence=record.evidence)


def most_wgmma(evidence: Mapping[str, Any]) -> int:
    """Of the kernel that has most."""
    kernels = cast(list[dict[str, Any]], evidence["kernels"])
    return max(int(k.get(FIGURE, 0)) for k in kernels if k["target"] == "sm_90")
