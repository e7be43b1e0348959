"""Checks of this module on counts of the simulator and the replay, other than bytes.

They check shared-memory reads per multiply-add, bank conflicts without padding, copies that overlap
with work, tiles that a cache keeps for neighboring programs, and the number of programs in a
launch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, ruling_about
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.cuda_kernel import CudaLaunch, Simulated, simulator
from hotloop.judge.judge_fault import ours
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading

MakeCase = Callable[[np.random.Generator], Case]
TIMEOUT_S = 30.0


@check(after=("correct",))
def reuse(session: Session, launch: CudaLaunch, case: MakeCase, most: float) -> str:
    """Require at most `most` bytes read from shared (or global) memory per multiply-add."""
    counted, ran = _run(session, launch, case)
    with reading():
        read = sum(int(s["bytes"]) for s in _of(ran, "shared", "read"))
        loaded = sum(int(s["bytes"]) for s in _of(ran, "global", "read"))
    products = math.prod(counted.out.shape) * _k(counted)
    share = max(read, loaded) / products
    session.note(shared_bytes_per_product=round(read / products, 4))
    if share > most * 1.01:
        where = "shared memory" if read >= loaded else "global memory"
        sentence = (
            f"It reads {share:.3g} bytes of {where} for each multiply-add, {most:g} are possible: "
            "keep what is read in registers, and use it for more elements of c."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"{share:.3g} bytes of shared memory for each multiply-add."


@check(after=("correct",))
def no_conflicts(session: Session, launch: CudaLaunch, case: MakeCase, most_bytes: int) -> str:
    """Require no bank conflicts, with no more shared memory than the tiles need (`most_bytes`)."""
    _, ran = _run(session, launch, case)
    with reading():
        shared = [s for s in ran.sites if s["space"] == "shared"]
        passes, fewest = (sum(int(s[key]) for s in shared) for key in ("moved", "fewest"))
        worst = max(shared, key=lambda s: int(s["moved"]) - int(s["fewest"]), default=None)
    session.note(bank_passes=passes, fewest_passes=fewest, shared_bytes=ran.shared_bytes)
    if ran.shared_bytes > most_bytes:
        sentence = (
            f"It has {ran.shared_bytes:,} bytes of shared memory, {most_bytes:,} hold the tiles: "
            "change the order of the chunks in a row instead of padding it."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    if not fewest:
        raise Ruling(Verdict.WRONG_ANSWER, "It uses no shared memory: put the tiles there.")
    if passes > fewest:
        assert worst is not None
        sentence = (
            f"Bank conflicts: {passes} passes over the banks where {fewest} would do, most of "
            f"them in line {_line(worst)}."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"No bank conflict in {passes} passes, in {ran.shared_bytes:,} bytes of shared memory."


@check(after=("clean",))
def overlaps(session: Session, launch: CudaLaunch, case: MakeCase, depth: int) -> str:
    """Require all copies but those of the first step to be asynchronous and overlap with products.

    depth: the longest allowed step along k.
    """
    counted, ran = _run(session, launch, case)
    with reading():
        loads = _of(ran, "global", "read")
        loaded, overlapped = (sum(int(s[key]) for s in loads) for key in ("bytes", "overlapped"))
    share, least = overlapped / max(1, loaded), 1 - depth / _k(counted)
    session.note(overlapped_share=round(share, 4), least_share=round(least, 4))
    if share < least * 0.99:
        sentence = (
            f"{share:.0%} of the bytes are on their way while the warp multiplies, {least:.0%} are "
            "possible: start the copies of the next tiles before the products of these, and wait "
            "for them after."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"{share:.0%} of the bytes are on their way while the warp multiplies."


@check(after=("correct",))
def shares_tiles(session: Session, calls: TritonKernelCalls, most: float) -> str:
    """Require neighboring programs to load the same tiles: at most `most` times the inputs' bytes.

    A cache that keeps what `calls.resident` consecutive programs load stands for the L2 cache.
    """
    judged = calls.judged(session)
    inputs = [sum(t.bytes for t in case.spec.tensors[:-1]) for case, _ in judged.counted]
    factor = max(w / b for w, b in zip(judged.waves, inputs, strict=True))
    session.note(loads_past_the_cache=round(factor, 3), resident=calls.resident)
    ratio = f"{factor:.2f}× the bytes of a and b"
    if factor > most:
        sentence = (
            f"{calls.resident} programs in a row load {ratio} if a cache keeps what they share, "
            f"{most:g}× are allowed: give neighboring numbers to a square of tiles of c, not to a "
            "row of them."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"{calls.resident} programs in a row share a cache: they load {ratio}."


@check(after=("correct",))
def many_programs(session: Session, calls: TritonKernelCalls, least: int) -> str:
    """Require at least `least` programs in the first launch of each counted case."""
    judged = calls.judged(session)
    grids = [[math.prod(lc.grid) for lc in one.plan.launches] for one in judged.compiled]
    first = min(grid[0] for grid in grids)
    session.note(programs=first)
    if first < least:
        sentence = (
            f"The first launch has {first} programs, and a GPU with {least} SMs or more is mostly "
            "idle: split the long sum among more programs."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"{first} programs in the first launch."


def _run(session: Session, launch: CudaLaunch, make: MakeCase) -> tuple[Case, Simulated]:
    with ours("making the case"):
        case = make(session.rng())
    with ruling_about(case):
        return case, simulator(launch, session).run(case, session.timeout(TIMEOUT_S))


def _of(ran: Simulated, space: str, did: str) -> Sequence[Mapping[str, Any]]:
    return [s for s in ran.sites if s["space"] == space and s["did"] == did]


def _line(site: Mapping[str, Any]) -> str:
    line = site.get("line")
    return str(int(line["line"])) if isinstance(line, dict) else "?"  # pyright: ignore[reportUnknownArgumentType]


def _k(case: Case) -> int:
    k = case.arguments[2]
    assert isinstance(k, int)
    return k
