"""Bytes that the kernels load and store, compared with the minimum for the task.

The bytes are counted in the replays of `TritonKernelCalls`, so they earn points only if the
kernels' answers were correct and all accesses stayed inside their tensors. How many earn what:
`limits` in module.yaml.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import Kind
from hotloop.judge.checks.correct import Case
from hotloop.judge.checks.triton_kernel_calls import LAUNCHED, TensorTraffic, TritonKernelCalls
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.levels import within
from hotloop.judge.session import Session

COUNTING_SLACK = 0.98
"""Below this share of `fewest_bytes`, and of each tensor once, a count is not believed."""

REPEATED = 1.02
"""A tensor counts as read or written repeatedly above this number of times."""


ONCE = "Load every element once, keep it in registers, and store each result once."
"""The usual advice for who moves too much."""


def bytes_once(case: Case) -> int:
    """Return the bytes of a case if each input is read and the output is written once."""
    return case.spec.bytes


@dataclass(frozen=True)
class TritonTraffic(Check):
    """Bytes loaded and stored by a call; the minimum reads and writes each row of a block once.

    calls: the recorded calls; the worst of the counted ones decides. Their rows should fit in a
        block.
    fewest_bytes: what earns all points for a case; by default `case.spec.bytes`, for each element
        read once and each result written once; `case.spec.bytes_by_row` if an operand is broadcast
        over rows, such as the weight of a norm: a program that computes one row must read all of
        it, and bytes are counted for each program. A kernel that moves less earns all points too.
    advice: one sentence for learners whose kernel moves too much.
    """

    fits: ClassVar[frozenset[Kind]] = LAUNCHED
    scored_by: str = field(default="limits", kw_only=True)
    calls: TritonKernelCalls
    fewest_bytes: Callable[[Case], int] = bytes_once
    advice: str = ONCE
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)

    def __call__(self, session: Session) -> str:
        """Judge the counted calls."""
        judged = self.calls.judged(session)
        counted = [
            (moved, fewest(case, self.fewest_bytes), case.spec.bytes)
            for case, moved in judged.counted
        ]
        return self._rule(session, counted)

    def _rule(
        self, session: Session, counted: Sequence[tuple[Sequence[TensorTraffic], int, int]]
    ) -> str:
        """Rule on tensors' traffic, `fewest_bytes`, and the bytes of each tensor once, by case."""
        moved = [sum(t.loaded + t.stored for t in tensors) for tensors, _, _ in counted]
        factors = [all_ / fewest for all_, (_, fewest, _) in zip(moved, counted, strict=True)]
        factor = max(factors)
        tensors, fewest, once = counted[factors.index(factor)]
        session.note(
            loaded_bytes=sum(t.loaded for t in tensors),
            stored_bytes=sum(t.stored for t in tensors),
            fewest_bytes=fewest,
            factor=round(factor, 4),
            factors=[round(f, 4) for f in factors],
            tensors=[_evidence(t) for t in tensors],
        )
        if (by_row := sum(t.by_row for t in tensors)) > fewest:
            session.note(bytes_by_row=by_row)
        if any(
            too_few(all_, fewest, once)
            for all_, (_, fewest, once) in zip(moved, counted, strict=True)
        ):
            sentence = (
                f"It moves {min(factors):.2f}× of what this task was thought to need at least: "
                "show it to your instructor."
            )
            raise Ruling(Verdict.IMPLAUSIBLE, sentence)
        earned = within(session.limits, factor)
        if earned >= 1:
            return enough(factor)
        wasted = excess(tensors, by_row=fewest > once)
        sentence = f"Your kernel moves {factor:.2f}× the fewest bytes: {wasted}. {self.advice}"
        raise Partly(earned, sentence)


def fewest(case: Case, fewest_bytes: Callable[[Case], int]) -> int:
    """Return the minimum traffic of a case in bytes. Raises JudgeFault if it is not positive."""
    least = fewest_bytes(case)
    if least <= 0:
        raise JudgeFault(f"`fewest_bytes` returned {least} for {case.label!r}")
    return least


def enough(factor: float) -> str:
    """Return the sentence of a check that counts `factor` × `fewest_bytes`, and passes."""
    of = "the fewest bytes possible" if factor >= COUNTING_SLACK else "what was thought to be least"
    return f"Moves {factor:.2f}× {of}."


def too_few(moved: int, fewest: int, once: int) -> bool:
    """Return whether an answer cannot have moved so little; `once`: bytes of each tensor once.

    Less than `fewest` is possible where that counts an operand for each row, and no fault.
    """
    return moved < COUNTING_SLACK * min(fewest, once)


def _evidence(tensor: TensorTraffic) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "bytes": tensor.size,
        "loaded_bytes": tensor.loaded,
        "stored_bytes": tensor.stored,
    }


def excess(tensors: Sequence[TensorTraffic], *, by_row: bool) -> str:
    """Describe in one clause what is moved more than once.

    by_row: the fewest bytes allow each row to read for itself what is broadcast to it.
    """
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
            allowed = tensor.by_row / tensor.size if by_row and what == "reads" else 1
            if times > REPEATED * allowed:
                clauses.append(f"it {what} `{tensor.name}` {times:.1f} times")
            elif what == "reads" and moved and tensor.stored:
                clauses.append(f"it reads `{tensor.name}` back after writing it")
    return ", ".join(clauses) or "it moves more than it needs"
