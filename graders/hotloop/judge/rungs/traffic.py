"""Rung: how many bytes the kernels load and store, against the fewest that the task needs.

Counted in the replays of `KernelCalls`: points follow the counted bytes only when the kernels'
answers there are right and stayed inside their tensors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.rungs.correct import Case
from hotloop.judge.rungs.kernel_calls import KernelCalls, TensorTraffic
from hotloop.judge.session import Session

COUNTING_SLACK = 0.98
"""Below this share of the fewest bytes the check's own figure is not believed any more."""

REPEATED = 1.02
"""A tensor is called read or written too often above this many times."""


@dataclass(frozen=True)
class ByteLevel:
    """At most `factor` times the fewest bytes earns this share of the rung's points."""

    factor: float
    earned: float


@dataclass(frozen=True)
class Traffic:
    """Bytes loaded and stored by a call, each row of a block read and written once at best.

    calls: of which several are counted, and the worst one rules. Their rows should fit in a block.
    fewest_bytes: of a case, every needed element read once and every result written once.
    advice: one sentence, for who moves too much.
    """

    calls: KernelCalls
    fewest_bytes: Callable[[Case], int]
    levels: Sequence[ByteLevel] = (ByteLevel(1.05, 1.0), ByteLevel(1.5, 0.5))
    advice: str = "Load every element once, keep it in registers, and store each result once."
    after: tuple[str, ...] = ("correct",)

    def __call__(self, session: Session) -> str:
        """Of the counted calls."""
        judged = self.calls.judged(session)
        counted = [(moved, self.fewest_bytes(case)) for case, moved in judged.counted]
        return self._rule(session, counted)

    def _rule(
        self, session: Session, counted: Sequence[tuple[Sequence[TensorTraffic], int]]
    ) -> str:
        factors = [_total(tensors) / fewest for tensors, fewest in counted]
        factor = max(factors)
        tensors, fewest = counted[factors.index(factor)]
        session.note(
            loaded_bytes=sum(t.loaded for t in tensors),
            stored_bytes=sum(t.stored for t in tensors),
            fewest_bytes=fewest,
            factor=round(factor, 4),
            factors=[round(f, 4) for f in factors],
            tensors=[_evidence(t) for t in tensors],
        )
        if min(factors) < COUNTING_SLACK:
            sentence = (
                f"It moves {min(factors):.2f}× of what this task was thought to need at least: "
                "show it to your instructor."
            )
            raise Ruling(Verdict.IMPLAUSIBLE, sentence)
        earned = max((lv.earned for lv in self.levels if factor <= lv.factor), default=0.0)
        if earned >= 1:
            return f"Moves {factor:.2f}× the fewest bytes possible."
        sentence = f"Your kernel moves {factor:.2f}× the fewest bytes: {_excess(tensors)}. "
        raise Partly(earned, sentence + self.advice)


def _total(tensors: Sequence[TensorTraffic]) -> int:
    return sum(t.loaded + t.stored for t in tensors)


def _evidence(tensor: TensorTraffic) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "bytes": tensor.size,
        "loaded_bytes": tensor.loaded,
        "stored_bytes": tensor.stored,
    }


def _excess(tensors: Sequence[TensorTraffic]) -> str:
    """What is moved more often than once, in one clause."""
    clauses: list[str] = []
    for tensor in tensors:
        if not tensor.size:
            moved = tensor.loaded + tensor.stored
            clauses += (
                [f"it moves {moved} bytes through temporary `{tensor.name}`"] if moved else []
            )
            continue
        for what, moved in (("reads", tensor.loaded), ("writes", tensor.stored)):
            times = moved / tensor.size
            if times > REPEATED:
                clauses.append(f"it {what} `{tensor.name}` {times:.1f} times")
            elif what == "reads" and moved and tensor.stored:
                clauses.append(f"it reads `{tensor.name}` back after writing it")
    return ", ".join(clauses) or "it moves more than it needs"
