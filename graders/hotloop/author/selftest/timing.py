"""Steps 9 to 11: the protocol's cost, a known duration, and a window of each task."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hotloop.author.selftest import gpu_session
from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.author.selftest.workers import copies
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import ask_number, measure
from hotloop.judge.gpu.length import fitting, lengthen, limits
from hotloop.judge.gpu.memory import Layout
from hotloop.judge.gpu.workers import trusted_worker
from hotloop.judge.task import find

KNOWN = gpu_session.PROGRAMS / "known.py"
WINDOWS = 8
NEAR = 0.02
"""Largest relative difference between a window's time and that of CUDA events."""


def protocol() -> StepResult:
    """Measure a leg without calls by gigabytes lent, and the GPU's roofline limits."""
    card = gpu_session.card()
    figures: dict[str, Any] = {}
    with gpu_session.session() as session, trusted_worker(session, LIMITS.parent, card) as link:
        ceiling = measure(link, matmul=True)
    figures["copy_gb_per_s"] = ceiling.bytes_per_s / 1e9
    figures["matmul_tflop_per_s"] = (ceiling.flops_per_s or 0.0) / 1e12
    with gpu_session.side(card, gpu_session.PROGRAMS / "copies.py", "torch_copy", copies()) as side:
        one = fitting(side, 0)
        _, most = limits(side, one)
        for calls in sorted({1, min(4, most), min(16, most), most}):
            layout = Layout.of([one] * calls)
            cost, uncertain = side.protocol_cost(layout)
            size = (layout.input_bytes + layout.output_bytes) / 1e9
            figures[f"{size:.2f}_gb"] = {"ms": cost * 1e3, "uncertain_ms": uncertain * 1e3}
    return StepResult("Measured; it is subtracted from each leg.", figures)


def known_length() -> StepResult:
    """Compare the judge's windows with CUDA events on kernels of known duration."""
    card = gpu_session.card()
    with (
        gpu_session.session() as session,
        trusted_worker(session, gpu_session.PROGRAMS, card) as link,
    ):
        events_s = ask_number(link, "known_seconds", KNOWN.name)
    with gpu_session.side(card, KNOWN, "known", copies((1024, 1024))) as side:
        lengthen(side)
        side.leg_cost_s, _ = side.protocol_cost(side.layout)
        count = len(side.calls)
        measured = [side.window([False] * count) for _ in range(WINDOWS)]
    counted = [window.seconds / count for window in measured if window.counts]
    figures = {"events_ms": 1e3 * events_s, "windows_that_count": f"{len(counted)} of {WINDOWS}"}
    if not counted:
        raise StepFailed(
            f"No window counts: {measured[0]}", "stop other programs on GPU and CPU", **figures
        )
    off = statistics.median(counted) / events_s - 1
    figures |= {"window_ms": 1e3 * statistics.median(counted), "off": off}
    if abs(off) > NEAR:
        raise StepFailed(
            f"A window's time is {off:+.1%} off that of events on the device.",
            "do not judge speed on this machine; report it with this file",
            **figures,
        )
    return StepResult(f"A window's time is within {abs(off):.1%} of that of events.", figures)


def windows() -> StepResult:
    """Check for each task that its baseline's windows fit into the time budget."""
    card = gpu_session.card()
    figures: dict[str, Any] = {}
    late: list[str] = []
    for name, check in timed_checks():
        try:
            figures[name] = _of_trial(card, check)
        except Exception as error:  # noqa: BLE001 - the others are asked all the same
            figures[name] = {"failed": str(error)}
            late.append(name)
            continue
        if figures[name]["trial_s"] > check.seconds:
            late.append(name)
    if late:
        raise StepFailed(
            f"Not enough time to decide {', '.join(late)} on this GPU.",
            "give the check fewer looks (`pace`) or smaller calls, in the module's tasks.py",
            **figures,
        )
    return StepResult(f"There is time to decide all {len(figures)}.", figures)


def timed_checks() -> Iterator[tuple[str, GpuFast]]:
    """Yield each check that compares speeds in windows of lent memory, with its full name."""
    from hotloop.tasks import curriculum  # needs libraries that a GPU machine may lack

    for module in curriculum.modules():
        for task in module.tasks:
            if task.kind != "code":
                continue
            for name, check in find(module.id, task.id).checks.items():
                if isinstance(check, GpuFast):
                    yield f"{module.id}.{task.id}.{name}", check


def _of_trial(card: Card, check: GpuFast) -> dict[str, Any]:
    workload, baseline = check.of_baseline(), check.baseline
    with gpu_session.side(card, Path(baseline.path), baseline.name, workload) as side:
        lengthen(side)
        started = time.monotonic()
        window = side.window([True] * len(side.calls))
        took_s = time.monotonic() - started
    return {
        "calls": len(side.calls),
        "legs": side.legs,
        "window_ms": 1e3 * window.seconds,
        "with_the_judges_work_ms": 1e3 * took_s,
        "windows": check.pace.windows,
        "trial_s": check.pace.windows * took_s,
        "budget_s": check.seconds,
    }
