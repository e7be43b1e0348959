"""The four sicknesses: how each is recorded, what counts as evidence, and which figure it moves."""

from __future__ import annotations

from dataclasses import dataclass

from allocator_thrash import AllocatorThrash
from figures import Figure, value
from launch_bound import LaunchBound
from loader_bound import LoaderBound
from sync_bound import SyncBound
from training_loop import Loop

from hotloop.engines.trace import Trace

NEXT_BATCH = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
ALL_REDUCE = "gloo:all_reduce"
LARGE_BLOCK = 1 << 20
"""Nothing that the healthy loop allocates is as large."""


@dataclass(frozen=True)
class Sickness:
    """`share` takes most of the steps' time in this trace and little in all others."""

    loop: type[Loop]
    share: Figure
    evidence: tuple[str, ...]
    """Names of events in which the lost time lies. Which operators fill memory depends on PyTorch's
    version: those that are not in the trace do not count."""
    more: tuple[Figure, ...] = ()
    """Figures beside the shares that show it."""


SICKNESSES = {
    "loader": Sickness(LoaderBound, Figure("share", (NEXT_BATCH,)), (NEXT_BATCH, "load")),
    "sync": Sickness(SyncBound, Figure("share", (ALL_REDUCE,)), (ALL_REDUCE, "average")),
    "launch": Sickness(
        LaunchBound,
        Figure("share", ("update",)),
        ("update", "aten::add_"),
        (Figure("calls", ("aten::add_", "aten::mul_")),),
    ),
    "allocator": Sickness(
        AllocatorThrash,
        Figure("share", ("aten::fill_",)),
        ("forward", "aten::zeros", "aten::zero_", "aten::fill_"),
        (Figure("bytes", from_bytes=LARGE_BLOCK),),
    ),
}
HEALTHY = Figure("share", ("forward", "backward"))

DOMINATES, MINOR = 0.55, 0.15
UNEVEN = 2.0


def unclear(cause: str | None, trace: Trace) -> list[str]:
    """Why a trace does not show its sickness (none: its health) as clearly as it should."""
    shares = {name: value(trace, sickness.share) for name, sickness in SICKNESSES.items()}
    found = [
        f"{name} takes {share:.0%}"
        for name, share in shares.items()
        if (share < DOMINATES if name == cause else share > MINOR)
    ]
    if cause is None and (work := value(trace, HEALTHY)) < DOMINATES:
        found.append(f"forward and backward take {work:.0%}")
    durations = sorted(step.duration_us for step in trace.steps)
    if durations[-1] > UNEVEN * durations[len(durations) // 2]:
        found.append(f"its longest step takes {durations[-1] / 1000:.0f} ms, others far less")
    return found
