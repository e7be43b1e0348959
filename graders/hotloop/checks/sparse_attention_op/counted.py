"""Bytes that the C++ kernel loads, counted at three densities, and its results on its own.

The kernel's source is built with a call before each memory access and runs in a process that holds
nothing else of the learner's. It is still native code in the counter's process and could tamper
with the counter, so the check is marked `instrumented`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.checks.sparse_attention_op import truth
from hotloop.checks.sparse_attention_op.cpu_kernels import attention, tolerance
from hotloop.checks.sparse_attention_op.files import program
from hotloop.checks.sparse_attention_op.patterns import Rng, listed, lists, sampled
from hotloop.checks.sparse_attention_op.references import odd_length
from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.levels import within
from hotloop.judge.program import CLAIMS, Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.rung import rung
from hotloop.judge.rungs.correct import (
    Case,
    Correct,
    Tensor,
    agreement,
    ruling_about,
)
from hotloop.judge.rungs.traffic import COUNTING_SLACK
from hotloop.judge.session import Session

COUNTER = program("counting.py", "counting.cpp", believed=CLAIMS)
SHARES = (0.05, 0.2, 0.5)
BLOCK, DEPTH = 16, 32
FOLLOWS = ("k", "v", "counts", "columns")
"""Tensors whose loads grow with the density. Queries may be kept in registers or reloaded per
key."""


@dataclass(frozen=True)
class Share:
    """Bytes at one density.

    loaded: bytes of keys, values and lists that the kernel loaded.
    fewest: bytes if each query loads each of its keys and values once.
    least: bytes if each listed key and value is loaded once for all queries; no kernel loads fewer.
    """

    density: float
    loaded: int
    fewest: int
    least: int

    @property
    def factor(self) -> float:
        """Loaded bytes divided by `fewest`."""
        return self.loaded / self.fewest


@rung(after=("untouched",), instrumented=True, scored_by="limits")
def counted_loads(session: Session, alone: Sequence[Correct]) -> str:
    """Score the bytes loaded at each density, relative to one load per query.

    alone: checks whose cases, sampled anew, the kernel must also pass here, where none of the
    learner's Python can compute the result instead.
    """
    source, *_ = session.edited
    process = COUNTER.given(session, "counts")
    process.ask("load", GivenFile(source, session.files.content(source)))
    for correct in alone:
        for case in correct.cases(session.rng()):
            _require_right_alone(case, correct, process, source)
    return ruled([_counted(case, process) for case in _cases(session.rng())], session)


def ruled(shares: Sequence[Share], session: Session) -> str:
    """Score by the density with the largest factor.

    Raises Partly for a score below 1, and Ruling if fewer bytes were counted than the answer needs.
    """
    session.note(
        densities=[round(s.density, 4) for s in shares],
        loaded_bytes=[s.loaded for s in shares],
        fewest_bytes=[s.fewest for s in shares],
        factors=[round(s.factor, 4) for s in shares],
    )
    if any(s.loaded < COUNTING_SLACK * s.least for s in shares):
        sentence = "Fewer bytes were counted than the answer needs: show it to your instructor."
        raise Ruling(Verdict.IMPLAUSIBLE, sentence)
    worst = max(s.factor for s in shares)
    earned = within(session.limits, worst)
    factors = ", ".join(f"{s.factor:.2f}× at {s.density:.0%}" for s in shares)
    said = f"It loads, of keys, values and lists, {factors} of the fewest for each query"
    if earned >= 1:
        return f"{said}."
    raise Partly(earned, f"{said}: walk along the list, and take each listed key and value once.")


def _cases(rng: Rng) -> Iterator[Case]:
    for share in SHARES:
        length = odd_length(rng, BLOCK, int(rng.integers(18, 24)))
        sample = sampled(rng, (1, 2, length, DEPTH), BLOCK)
        blocks = -(-length // BLOCK)
        kept = rng.random((1, 2, blocks, blocks)) < share
        kept[:, :, 1] = False
        yield listed(f"About {share:.0%} of the blocks", sample, *lists(kept, rng))


def _require_right_alone(case: Case, correct: Correct, process: Process, source: str) -> None:
    with ruling_about(case):
        require = correct.require(case)
        answer = process.answer("run", case)
        try:
            require(answer)
        except Ruling as ruling:
            sentence = f"{source} alone, without your Python, gives another answer"
            raise Ruling(ruling.verdict, f"{sentence}. {ruling.sentence}") from None


def _counted(case: Case, process: Process) -> Share:
    with ruling_about(case):
        require = agreement(case, attention, tolerance)
        answer = process.answer("run", case)
        require(answer)
        loads = _loads(process.ask("counted"))
    return share_of(case, sum(loads[name] for name in FOLLOWS))


def share_of(case: Case, loaded: int) -> Share:
    """Return a case's Share: its minimum bytes and the loaded ones."""
    _, _, _, counts, columns, block, _ = case.arguments
    assert isinstance(counts, Tensor)
    assert isinstance(columns, Tensor)
    assert isinstance(block, int)
    length, depth = case.out.shape[-2:]
    places = truth.listed(counts.values, columns.values)
    keys = np.where(places, np.minimum(block, length - columns.values * block), 0)
    blocks = columns.values.shape[-1]
    place: NDArray[np.int64] = np.arange(blocks, dtype=np.int64)
    queries = np.minimum(block, length - place * block)
    row = 2 * depth * case.out.dtype.bytes
    list_bytes = 4 * (counts.values + 1)
    each = int(((keys.sum(-1) * row + list_bytes) * queries).sum())
    used = np.zeros((*columns.values.shape[:2], blocks), np.bool_)
    for plane in np.ndindex(used.shape[:2]):
        used[plane][columns.values[plane][places[plane]]] = True
    least = int((used * queries).sum()) * row
    density = float(counts.values.sum()) / columns.values.size
    return Share(density, loaded, each, least)


def _loads(answer: object) -> dict[str, int]:
    message = as_message(answer) or {}
    loads = {name: as_list(message.get(name))[:1] for name in FOLLOWS}
    if all(len(first) == 1 and isinstance(first[0], int) for first in loads.values()):
        return {name: int(str(first[0])) for name, first in loads.items()}
    raise Ruling(Verdict.TAMPERED, "The counter's answer does not keep to the protocol.")
