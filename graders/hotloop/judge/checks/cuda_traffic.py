"""Memory traffic of a CUDA kernel as the simulator counts it, without a GPU.

Global memory is counted in sectors of 32 bytes, so uncoalesced accesses cost what they cost on a
GPU. Shared memory is counted in passes, so bank conflicts count.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import CUDA, Kind
from hotloop.judge.checks.correct import Case, Truth, ruling_about
from hotloop.judge.checks.triton_traffic import ONCE, bytes_once, enough, fewest, too_few
from hotloop.judge.cuda_kernel import CudaLaunch, simulator
from hotloop.judge.levels import within
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable, reading

CONFLICTS = 1.05
"""Allowed ratio of shared memory passes to the minimum number of passes."""

WIDE = 0.5
"""Minimum share of the loaded bytes that must come from loads of the required width."""


@dataclass(frozen=True)
class CudaTraffic(Check):
    """Bytes between a kernel and global memory, compared with the minimum.

    truth: what is right, as in `Correct`; its cases are not used.
    counted: generates the case whose bytes are counted.
    fewest_bytes, advice: as in `TritonTraffic`.
    width: required bytes per load, 16 for vector loads, except for a tail; 0 for any width.
    """

    fits: ClassVar[frozenset[Kind]] = CUDA
    scored_by: str = field(default="limits", kw_only=True)
    launch: CudaLaunch
    truth: Truth
    counted: Callable[[np.random.Generator], Case]
    fewest_bytes: Callable[[Case], int] = bytes_once
    width: int = 0
    advice: str = ONCE
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Run one case and count its memory traffic."""
        case = self.counted(session.rng())
        require = self.truth.require(case)
        least = fewest(case, self.fewest_bytes)
        simulated = simulator(self.launch, session)
        with ruling_about(case):
            ran = simulated.run(case, session.timeout(self.timeout_s))
            require(ran.answer)
        with reading():
            return self._rule(session, ran.sites, least, case.spec.bytes)

    def _rule(
        self, session: Session, sites: Sequence[Mapping[str, Any]], fewest: int, once: int
    ) -> str:
        global_ = [s for s in sites if s["space"] == "global"]
        local = sum(int(s["moved"]) for s in sites if s["space"] == "local")
        moved = sum(int(s["moved"]) for s in global_) + local
        loads = [s for s in global_ if s["did"] == "read"]
        widest = max((int(s["width"]) for s in loads), default=0)
        factor, conflicts = moved / fewest, _conflicts(sites)
        session.note(
            moved_bytes=moved,
            local_bytes=local,
            fewest_bytes=fewest,
            factor=round(factor, 4),
            widest_load_bytes=widest,
            bank_passes_over_fewest=round(conflicts, 4),
            lines=[_line(site) for site in sites],
        )
        if too_few(moved, fewest, once):
            reported = f"It moves {factor:.2f}× of what this task was thought to need at least."
            raise Ruling(Verdict.IMPLAUSIBLE, reported)
        earned = within(session.limits, factor)
        # Narrow loads and bank conflicts cost what missing the first limit costs.
        second = max((at.earned for at in session.limits if at.earned < 1), default=0.0)
        faults: list[str] = []
        if earned < 1:
            faults.append(f"it moves {factor:.2f}× the fewest bytes{_worst(global_)}")
        if earned < 1 and local:
            share = f"{local / moved:.0%} of that is local memory"
            faults.append(f"{share}: a thread has 255 registers, and keeps more than they hold")
        if widest < self.width:
            faults.append(f"its widest load has {widest} bytes, and {self.width} are possible")
            earned = min(earned, second)
        elif (wide := _wide_share(loads, self.width)) < WIDE:
            faults.append(f"loads of {self.width} bytes bring only {wide:.0%} of what it loads")
            earned = min(earned, second)
        if conflicts > CONFLICTS:
            faults.append(f"shared memory is passed {conflicts:.1f} times as often as it need be")
            earned = min(earned, second)
        if not faults:
            return enough(factor)
        raise Partly(earned, f"Right, but {', and '.join(faults)}. {self.advice}")


def _wide_share(loads: Sequence[Mapping[str, Any]], width: int) -> float:
    loaded = sum(int(s["bytes"]) for s in loads)
    return sum(int(s["bytes"]) for s in loads if int(s["width"]) >= width) / max(1, loaded)


def _conflicts(sites: Sequence[Mapping[str, Any]]) -> float:
    shared = [s for s in sites if s["space"] == "shared"]
    fewest = sum(int(s["fewest"]) for s in shared)
    return sum(int(s["moved"]) for s in shared) / fewest if fewest else 1.0


def _worst(sites: Sequence[Mapping[str, Any]]) -> str:
    """Name the line with the most excess bytes if it is uncoalesced; empty otherwise."""
    worst = max(sites, key=lambda s: int(s["moved"]) - int(s["bytes"]), default=None)
    if worst is None or int(worst["moved"]) <= 1.1 * int(worst["bytes"]):
        return ""
    times = int(worst["moved"]) / int(worst["bytes"])
    return f" ({_place(worst)}: {times:.1f} bytes move for each that is asked for)"


def _line(site: Mapping[str, Any]) -> dict[str, Any]:
    counts = ("bytes", "width", "requests", "moved", "fewest")
    names = {key: readable(site[key], 120) for key in ("kernel", "space", "did")}
    return {"line": _place(site), **names, **{key: int(site[key]) for key in counts}}


def _place(site: Mapping[str, Any]) -> str:
    line = site.get("line")
    if not isinstance(line, dict):
        return "?"
    place = cast(Mapping[str, Any], line)
    return f"{readable(place.get('file'), 60)}:{readable(place.get('line'), 10)}"
