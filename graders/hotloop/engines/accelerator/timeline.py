"""What a person reads of a run: a profile as text, and a timeline of the units for a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from hotloop.engines.accelerator.machine import UNITS, Machine
from hotloop.engines.accelerator.program import Program
from hotloop.engines.accelerator.run import Event, Run

COLORS = {
    "scalar": "#4878a8",
    "vector": "#c8553d",
    "load": "#5b8c5a",
    "store": "#8f6bb3",
    "flow": "#7f7f7f",
    "dma": "#c9a227",
    "transfer": "#e3cf8a",
}
ROW, LABEL, TEXT = 18, 76, 11
MOST_CYCLES = 4000
"""Cycles that a timeline shows: a browser draws an element for each instruction."""


def profile(run: Run, machine: Machine, program: Program) -> str:
    """Return where the cycles went: by reason, by unit, and the bundles that waited longest."""
    rate = f"{run.instructions / run.cycles:.2f} a cycle"
    lines = [
        f"{run.cycles} cycles, {run.bundles} bundles, {run.instructions} instructions: {rate}",
        "",
        "cycles without a bundle, while it waited for",
    ]
    for reason, cycles in sorted(run.waits.items(), key=lambda each: -each[1]):
        lines.append(f"  {reason:16} {cycles:7}  {cycles / run.cycles:6.1%}")
    lines += ["", "slots used"]
    for unit in UNITS:
        share = run.used[unit] / (machine.slots[unit] * run.cycles)
        lines.append(f"  {unit:16} {run.used[unit]:7}  {share:6.1%}")
    lines += ["", f"bank conflicts: {run.conflicts} cycles; splits: {run.splits}"]
    slow = Counter[int]()
    for event in {(e.bundle, e.start): e for e in run.events if e.waited}.values():
        slow[event.bundle] += event.waited
    if slow:
        lines += ["", "bundles that waited longest"]
    for bundle, cycles in slow.most_common(8):
        text = " | ".join(map(str, program.bundles[bundle]))
        lines.append(f"  {cycles:7}  bundle {bundle}: {text[:90]}")
    return "\n".join(lines) + "\n"


def svg(events: Sequence[Event], first: int, last: int, scale: float = 8.0) -> str:
    """Return the units' instructions in cycles `first` to `last`, `scale` pixels a cycle.

    A bar begins where the instruction issues, and ends where its result is ready.
    """
    shown = [e for e in events if e.end > first and e.start < last]
    lanes: dict[str, list[int]] = {}
    bars: list[tuple[Event, int]] = []
    for event in sorted(shown, key=lambda e: (e.start, e.end)):
        ends = lanes.setdefault(event.unit, [])
        free = next((at for at, end in enumerate(ends) if end <= event.start), len(ends))
        if free == len(ends):
            ends.append(0)
        ends[free] = event.end
        bars.append((event, free))
    tops: dict[str, int] = {}
    height = 4
    for unit in (*UNITS, "transfer"):
        if unit in lanes:
            tops[unit] = height
            height += ROW * len(lanes[unit]) + 4
    width, tall = LABEL + round((last - first) * scale), height + ROW
    size = f'width="{width}" height="{tall}" viewBox="0 0 {width} {tall}"'
    font = f'font-family="sans-serif" font-size="{TEXT}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>']
    for unit, top in tops.items():
        parts.append(f'<text x="2" y="{top + ROW - 5}" fill="currentColor">{unit}</text>')
    for event, lane in bars:
        x = LABEL + max(0.0, event.start - first) * scale
        wide = (min(event.end, last) - max(event.start, first)) * scale
        y = tops[event.unit] + ROW * lane
        why = f", after {event.waited} cycles for {event.reason}" if event.waited else ""
        title = f"{event.text}: cycles {event.start} to {event.end}, bundle {event.bundle}{why}"
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{max(1.0, wide - 1):.1f}" height="{ROW - 3}" '
            f'fill="{COLORS[event.unit]}"><title>{escape(title)}</title></rect>'
        )
    step = max(1, round(60 / scale))
    for cycle in range(first, last, step):
        x = LABEL + (cycle - first) * scale
        parts.append(f'<text x="{x:.1f}" y="{height + ROW - 5}" fill="currentColor">{cycle}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def page(run: Run, machine: Machine, program: Program, title: str) -> str:
    """Return an HTML page with profile and timeline; it needs no other file."""
    picture = svg(run.events, 0, min(run.cycles, MOST_CYCLES))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        "<style>body{font:14px sans-serif;margin:1em}div{overflow-x:auto;border:1px solid #ccc}"
        "</style>"
        f"<h1>{escape(title)}</h1><p>Point at a bar for its instruction; scroll to the right for "
        f"later cycles. The first {MOST_CYCLES} cycles are shown.</p>"
        f"<div>{picture}</div><pre>{escape(profile(run, machine, program))}</pre></html>\n"
    )
