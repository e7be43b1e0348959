"""The least time of a timed GPU task on six cards: a roofline that needs no card.

Bytes and operations are those that its check counts (`fewest_bytes`, `fewest_flops`) for the calls
that it times. What a card can do is published by its maker, so that no kernel reaches the bound;
where a run is recorded, the reference's time and the share of that card's measured limit stand
beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.judge.calls import CallSpec
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.dtypes import BF16, FP16, DType
from hotloop.judge.seeds import Seeds
from hotloop.judge.task import find
from hotloop.site.markdown import table
from hotloop.tasks import curriculum
from hotloop.tasks.figures import three_digits

CALLS = 16
"""Calls over which bytes and operations are averaged, as some tasks time several shapes."""


AMPERE = 8
"""The first compute capability whose tensor cores take bfloat16."""


@dataclass(frozen=True)
class Card:
    """NVIDIA's data sheet: memory bandwidth, and dense matrix products on tensor cores.

    capability: the major compute capability. half: of float16, and of bfloat16 from Ampere on.
    single: of float32 inputs, as TF32, or float32 without it. Where a data sheet has a product's
    figure with sparsity only, it is half of that.
    """

    name: str
    capability: int
    gb_per_s: float
    half_tflop_per_s: float
    single_tflop_per_s: float


CARDS = (
    Card("T4", 7, 320, 65, 8.1),
    Card("A100 80 GB SXM", 8, 2039, 312, 156),
    Card("L4", 8, 300, 121, 60),
    Card("H100 SXM", 9, 3350, 989, 495),
    Card("H200", 9, 4800, 989, 495),
    Card("B200", 10, 8000, 2250, 1125),
)


@dataclass(frozen=True)
class Bound:
    """Bytes and operations of an average call.

    half: its products may use 16-bit tensor cores. bfloat: in bfloat16. capability: the major
    compute capability whose instructions the kernel needs; None if it runs on any card.
    """

    task: str
    check: str
    moved: float
    flops: float
    half: bool
    bfloat: bool = False
    capability: int | None = None

    def runs_on(self, card: Card) -> bool:
        """Return whether the card has the kernel's instructions."""
        return self.capability in (None, card.capability)

    def milliseconds(self, card: Card) -> float:
        """Return the least time of a call on a card."""
        tensor_cores = self.half and not (self.bfloat and card.capability < AMPERE)
        rate = card.half_tflop_per_s if tensor_cores else card.single_tflop_per_s
        return 1e3 * max(self.moved / (card.gb_per_s * 1e9), self.flops / (rate * 1e12))


def bounds(module: curriculum.Module) -> list[Bound]:
    """Return the bound of each check that times a function in a file on a GPU."""
    found: list[Bound] = []
    for task in module.tasks:
        if not any(check.needs_gpu for check in task.checks):
            continue
        for name, check in find(module.id, task.id).checks.items():
            if isinstance(check, GpuFast):
                found.append(_bound(task.id, name, check))
    return found


def _bound(task: str, name: str, check: GpuFast) -> Bound:
    # The same shapes in each build, so that two builds of one commit show the same figures.
    seeds = Seeds(b"bounds")
    specs = [check.workload.spec(seeds.shapes(), index) for index in range(CALLS)]
    flops = check.fewest_flops
    return Bound(
        task=task,
        check=name,
        moved=sum(check.fewest_bytes(spec) for spec in specs) / CALLS,
        flops=0.0 if flops is None else sum(flops(spec) for spec in specs) / CALLS,
        half=any(_has(spec, FP16, BF16) for spec in specs),
        bfloat=any(_has(spec, BF16) for spec in specs),
        capability=check.capability,
    )


def _has(spec: CallSpec, *dtypes: DType) -> bool:
    return any(tensor.dtype in dtypes for tensor in spec.tensors)


def section(module: curriculum.Module, runs: Sequence[curriculum.RecordedRun]) -> list[str]:
    """Return the table of the module's bounds; nothing if it times nothing on a GPU."""
    found = bounds(module)
    if not found:
        return []
    cards = [card for card in CARDS if any(bound.runs_on(card) for bound in found)]
    rows = [
        (
            f"{bound.task}, {bound.check}",
            f"{bound.moved / 1e6:,.0f} MB"
            + (f", {bound.flops / 1e9:,.0f} GFLOP" if bound.flops else ""),
            *(
                three_digits(bound.milliseconds(card)) if bound.runs_on(card) else "–"
                for card in cards
            ),
            _reached(bound, runs),
        )
        for bound in found
    ]
    heads = ("timed", "a call at least", *(card.name for card in cards), "the reference")
    return [
        "## The least time, card by card { data-search-exclude }",
        "",
        (
            "Milliseconds a call that no kernel goes below: the bytes and operations that the "
            "check counts, by the bandwidth and the dense tensor-core rate of NVIDIA's data "
            "sheets. Cards whose compute capability lacks a kernel's instructions are left out. In "
            "the last column is what was measured, as a share of what that card was measured to "
            "reach."
        ),
        "",
        *table(heads, rows),
        "",
    ]


def _reached(bound: Bound, runs: Sequence[curriculum.RecordedRun]) -> str:
    found = [
        f"{run.device}: {three_digits(m.p50_ms)} ms, {m.fraction_of_limit:.0%}"
        for run in runs
        if run.kind == "gpu"
        for m in run.measurements
        if (m.candidate, m.task, m.check) == ("reference", bound.task, bound.check)
        and m.p50_ms is not None
        and m.fraction_of_limit is not None
    ]
    return "; ".join(found) or "not measured"
