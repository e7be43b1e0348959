"""What a person reads of a run: a profile as text, a picture, and a page to look around in.

`facts` is what viewer.mjs shows, both in a file of its own and in a page of the site.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from hotloop.engines.accelerator.machine import UNITS, Machine
from hotloop.engines.accelerator.program import Program, disassemble
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
VIEWER = Path(__file__).with_name("viewer.mjs")


@dataclass(frozen=True)
class Issue:
    """One bundle in one cycle. lost: cycles until the next bundle may issue, by a branch."""

    bundle: int
    start: int
    waited: int
    reason: str
    lost: int = 0

    @property
    def cycles(self) -> int:
        """The cycles that it took: waiting, its own, and those that its branch lost."""
        return self.waited + 1 + self.lost


def issues(run: Run) -> list[Issue]:
    """Return the bundles of a recorded run in order. Their cycles add up to its last issue."""
    found: list[Issue] = []
    for event in run.events:
        if event.unit == "transfer" or (found and found[-1].start == event.start):
            continue
        if found:
            before = found[-1]
            lost = event.start - event.waited - before.start - 1
            found[-1] = Issue(before.bundle, before.start, before.waited, before.reason, lost)
        found.append(Issue(event.bundle, event.start, event.waited, event.reason))
    return found


def lines(text: str) -> list[int]:
    """Return the line, counted from 1, of each bundle in a program's text."""
    codes = (line.partition("#")[0].strip() for line in text.splitlines())
    return [number for number, code in enumerate(codes, 1) if code and not code.endswith(":")]


def facts(
    run: Run, machine: Machine, program: Program, text: str = "", bound: int | None = None
) -> dict[str, Any]:
    """Return a recorded run as plain data for the viewer.

    text: the program as it was written; without it, its disassembly. bound: a lower bound.
    """
    text = text or disassemble(program)
    issued = issues(run)
    reasons = ["", *sorted({each.reason for each in issued} - {""})]
    behind = run.cycles - sum(each.cycles for each in issued)
    return {
        "cycles": run.cycles,
        "bound": bound,
        "instructions": run.instructions,
        "width": machine.width,
        "slots": machine.slots,
        "used": run.used,
        "waits": {reason: cycles for reason, cycles in run.waits.items() if cycles},
        "conflicts": run.conflicts,
        "splits": run.splits,
        "behind": behind,
        "colors": COLORS,
        "text": text,
        "lines": lines(text),
        "bundles": [
            [(each.unit, str(each), machine.latency.get(each.latency, 1)) for each in bundle]
            for bundle in program.bundles
        ],
        "profile": _profile(issued, len(program.bundles)),
        "reasons": reasons,
        "issues": {
            "bundle": [each.bundle for each in issued],
            "start": [each.start for each in issued],
            "waited": [each.waited for each in issued],
            "reason": [reasons.index(each.reason) for each in issued],
        },
        "transfers": [
            (event.bundle, event.start, event.end, event.text)
            for event in run.events
            if event.unit == "transfer"
        ],
    }


def _profile(issued: Iterable[Issue], bundles: int) -> list[dict[str, Any]]:
    """Return for each bundle how often it issued, and its cycles by what they were lost for."""
    rows = [Counter[str]() for _ in range(bundles)]
    times = Counter[int]()
    for each in issued:
        times[each.bundle] += 1
        rows[each.bundle][each.reason] += each.waited
        rows[each.bundle]["a branch"] += each.lost
    return [
        {
            "times": times[number],
            "cycles": times[number] + row.total(),
            "waits": {reason: cycles for reason, cycles in row.items() if cycles},
        }
        for number, row in enumerate(rows)
    ]


def profile(run: Run, machine: Machine, program: Program) -> str:
    """Return where the cycles went: by reason, by unit, and the bundles that waited longest."""
    rate = f"{run.instructions / run.cycles:.2f} a cycle"
    said = [
        f"{run.cycles} cycles, {run.bundles} bundles, {run.instructions} instructions: {rate}",
        "",
        "cycles without a bundle, while it waited for",
    ]
    for reason, cycles in sorted(run.waits.items(), key=lambda each: -each[1]):
        said.append(f"  {reason:16} {cycles:7}  {cycles / run.cycles:6.1%}")
    said += ["", "slots used"]
    for unit in UNITS:
        share = run.used[unit] / (machine.slots[unit] * run.cycles)
        said.append(f"  {unit:16} {run.used[unit]:7}  {share:6.1%}")
    said += ["", f"bank conflicts: {run.conflicts} cycles; splits: {run.splits}"]
    waits = [row["cycles"] - row["times"] for row in _profile(issues(run), len(program.bundles))]
    said += ["", "bundles that waited longest"]
    for number in sorted(range(len(waits)), key=lambda number: -waits[number])[:8]:
        text = " | ".join(map(str, program.bundles[number]))
        said.append(f"  {waits[number]:7}  bundle {number}: {text[:90]}")
    return "\n".join(said) + "\n"


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


def page(run: Run, machine: Machine, program: Program, title: str, bound: int | None = None) -> str:
    """Return an HTML page with profile, timeline and program; it needs no other file."""
    # "<" in a script would end it at a text such as </script>.
    data = json.dumps(facts(run, machine, program, bound=bound)).replace("<", "\\u003c")
    viewer = VIEWER.read_text(encoding="utf-8").replace("export function show", "function show")
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 80rem }}
main {{ padding: 0 1rem }}
</style>
<main><h1>{escape(title)}</h1><div id="run"></div></main>
<script type="application/json" id="facts">{data}</script>
<script type="module">
{viewer}
show(document.getElementById("run"), JSON.parse(document.getElementById("facts").textContent));
</script>
</html>
"""
