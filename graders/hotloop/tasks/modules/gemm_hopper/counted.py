"""Checks of this module on counts of the simulator: which bytes copies move, and which overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, ruling_about
from hotloop.judge.cuda_kernel import CudaLaunch, Simulated, simulator
from hotloop.judge.judge_fault import ours
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading

MakeCase = Callable[[np.random.Generator], Case]
TIMEOUT_S = 60.0

MOST_OF_A_WARP = 512
"""Bytes of the largest request of a warp; a request for more is a bulk copy."""

WIDEST_OF_A_THREAD = 16
"""Bytes of the widest access of a thread; wgmma reads 8 rows of as many at a time."""

DID = {"read": "loads", "write": "stores"}


@check(after=("correct",))
def by_copies(
    session: Session,
    launch: CudaLaunch,
    case: MakeCase,
    did: Sequence[str] = ("read",),
    least: float = 1.0,
) -> str:
    """Require at least this share of the bytes of global memory to be moved by bulk copies."""
    ran = _run(session, launch, case)
    shares: dict[str, float] = {}
    for one in did:
        with reading():
            sites = [s for s in ran.sites if s["space"] == "global" and s["did"] == one]
            moved = [(int(s["bytes"]), int(s["requests"])) for s in sites]
        copied = sum(size for size, requests in moved if size > MOST_OF_A_WARP * requests)
        shares[one] = copied / max(1, sum(size for size, _ in moved))
    session.note(copied_shares={one: round(share, 4) for one, share in shares.items()})
    for one, share in shares.items():
        if share < least:
            sentence = (
                f"It {DID[one]} {share:.0%} of the bytes by copies of more than {MOST_OF_A_WARP} "
                f"bytes, {least:.0%} are possible: start one copy for a tile, by one thread."
            )
            raise Ruling(Verdict.TOO_SLOW, sentence)
    told = " and ".join(f"{DID[one]} {share:.0%}" for one, share in shares.items())
    return f"By bulk copies, it {told} of the bytes."


@check(after=("clean",))
def by_wgmma(session: Session, launch: CudaLaunch, case: MakeCase, least: float = 0.5) -> str:
    """Require at least this share of the bytes that are read from shared memory to be operands.

    The rest is for operands that come from registers, and for what an epilogue reads.
    """
    ran = _run(session, launch, case)
    with reading():
        reads = [s for s in ran.sites if s["space"] == "shared" and s["did"] == "read"]
        sizes = [(int(s["bytes"]), int(s["width"])) for s in reads]
    read = sum(size for size, _ in sizes)
    share = sum(size for size, width in sizes if width > WIDEST_OF_A_THREAD) / max(1, read)
    session.note(operand_share=round(share, 4))
    if share < least:
        sentence = (
            f"wgmma reads {share:.0%} of the bytes that are read from shared memory: let it "
            "multiply all tiles, and not your threads."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"wgmma reads {share:.0%} of the bytes that are read from shared memory."


@check(after=("clean",))
def overlaps(session: Session, launch: CudaLaunch, case: MakeCase, least: float) -> str:
    """Require this share of the loaded bytes to be on their way while the block computes."""
    ran = _run(session, launch, case)
    with reading():
        loads = [s for s in ran.sites if s["space"] == "global" and s["did"] == "read"]
        loaded, overlapped = (sum(int(s[key]) for s in loads) for key in ("bytes", "overlapped"))
    share = overlapped / max(1, loaded)
    session.note(overlapped_share=round(share, 4), least_share=least)
    if share < least:
        sentence = (
            f"{share:.0%} of the bytes are on their way while the block computes, {least:.0%} are "
            "possible: start the copies of the next steps before this step's numbers are used."
        )
        raise Ruling(Verdict.TOO_SLOW, sentence)
    return f"{share:.0%} of the bytes are on their way while the block computes."


def _run(session: Session, launch: CudaLaunch, make: MakeCase) -> Simulated:
    with ours("making the case"):
        case = make(session.rng())
    with ruling_about(case):
        return simulator(launch, session).run(case, session.timeout(TIMEOUT_S))
