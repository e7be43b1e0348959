"""Checks of a grouped product beside its bytes: its launches, and the order of its programs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import check
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.session import Session
from hotloop.tasks.modules.mixture_of_experts import cases

SMALL = 32
"""Side of the smallest square tile whose programs are all allowed."""


@check(after=("correct",))
def launches(session: Session, calls: TritonKernelCalls, most: int) -> str:
    """Require at most `most` launches, and grids that do not depend on the offsets.

    The counted cases have equal shapes and other offsets. A launch for each expert fails, and so
    does a grid that gives each expert tiles for all rows.
    """
    judged = calls.judged(session)
    case, _ = judged.counted[0]
    w = case.arguments[1]
    assert isinstance(w, InputTensor)
    (experts, _, n), rows = w.values.shape, case.out.shape[0]
    grids = [[launch.grid for launch in one.plan.launches] for one in judged.compiled]
    programs, count = max(map(_programs, grids)), max(map(len, grids))
    allowed = (rows // SMALL + experts) * -(-n // SMALL)
    session.note(launches=count, programs=programs, most_programs=allowed)
    if count > most:
        sentence = (
            f"It launches {count} kernels for {experts} experts, {most} are allowed: let each "
            "program find the expert whose tile it computes."
        )
    elif any(grid != grids[0] for grid in grids):
        sentence = (
            "Its grid depends on the offsets: to know them, the host would have to wait for the "
            "GPU. Launch as many programs as there can be tiles, and let the rest return."
        )
    elif programs > allowed:
        sentence = (
            f"{programs} programs are launched for {rows} rows, {allowed} are allowed: an expert "
            "needs no tiles for rows that it does not have."
        )
    else:
        return f"{programs} programs in {count} launch{'es' * (count > 1)}, whatever the offsets."
    raise Ruling(Verdict.TOO_SLOW, sentence)


@check(after=("correct",))
def shares_tiles(session: Session, calls: TritonKernelCalls, most: float) -> str:
    """Require consecutive programs to share tiles: at most `most` times the bytes of squares.

    A cache that keeps what `calls.resident` consecutive programs load stands for the L2 cache.
    """
    judged = calls.judged(session)
    squares = [cases.bytes_of_squares(case) for case, _ in judged.counted]
    factor = max(w / b for w, b in zip(judged.waves, squares, strict=True))
    session.note(loads_past_the_cache=round(factor, 3), resident=calls.resident)
    ratio = f"{factor:.2f}× the bytes of squares of 4 × 4 tiles"
    if factor > most:
        raise Ruling(
            Verdict.TOO_SLOW,
            f"{calls.resident} programs in a row load {ratio} if a cache keeps what they share, "
            f"{most:g}× are allowed: give neighboring numbers to a square of an expert's tiles.",
        )
    return f"{calls.resident} programs in a row share a cache: they load {ratio}."


def _programs(grids: Sequence[tuple[int, int, int]]) -> int:
    return sum(math.prod(grid) for grid in grids)
