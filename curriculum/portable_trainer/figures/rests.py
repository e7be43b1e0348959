"""Draws which backend is in use when one is slow again whenever it is taken up, by the policy.

cd curriculum/portable_trainer/figures && python rests.py > rests.svg
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOLUTIONS = Path(__file__).parents[3] / "solutions" / "portable_trainer"
DECIDE: Callable[..., Any] = runpy.run_path(str(SOLUTIONS / "policy.py"))["decide"]

BACKENDS = [
    {"name": "compile", "memory_gib": 24.0, "compiled": True, "step_s": 0.10},
    {"name": "eager", "memory_gib": 24.0, "compiled": False, "step_s": 0.18},
]
STEPS, GOOD_STEPS = 200, 8
LEFT, SCALE, TOP, ROW, BAR = 70, 3.1, 20, 34, 20
WIDTH, HEIGHT = 720, 110
COLOURS = {"compile": "#0072b2", "eager": "#009e73"}


def used() -> list[str]:
    """The backend of each step: `compile` takes three times as long after eight good steps."""
    name, since, memory, found = "compile", 0, None, []
    for step in range(STEPS):
        slow = name == "compile" and since > GOOD_STEPS
        seconds = {"compile": 0.3 if slow else 0.1, "eager": 0.18}[name]
        event = {"kind": "step", "backend": name, "step": step, "loss": 2.0}
        event |= {"seconds": seconds, "compilations": 1}
        found.append(name)
        memory, decision = DECIDE(BACKENDS, memory, event)
        since = since + 1 if decision["backend"] == name else 0
        name = decision["backend"]
    return found


def runs(names: list[str]) -> list[tuple[str, int, int]]:
    """Name, first step and the step after the last one of each stretch."""
    found: list[tuple[str, int, int]] = []
    for step, name in enumerate(names):
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1], step + 1)
        else:
            found.append((name, step, step + 1))
    return found


def main() -> None:
    """Print the picture."""
    rows = {str(backend["name"]): TOP + ROW * place for place, backend in enumerate(BACKENDS)}
    parts = [
        f'<text x="4" y="{y + 15}" fill="currentColor">{name}</text>' for name, y in rows.items()
    ]
    for name, first, end in runs(used()):
        x, y, wide = LEFT + SCALE * first, rows[name], SCALE * (end - first)
        title = f"<title>{name}: steps {first} to {end - 1}</title>"
        bar = f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{BAR}"'
        parts.append(f'{bar} fill="{COLOURS[name]}">{title}</rect>')
        if name == "eager" and wide > 30:
            label = f'<text x="{x + wide / 2:.1f}" y="{y + 15}" text-anchor="middle"'
            parts.append(f'{label} fill="#fff">{end - first} steps</text>')
    for step in range(0, STEPS + 1, 40):
        label = f'<text x="{LEFT + SCALE * step:.1f}" y="{HEIGHT - 6}" text-anchor="middle"'
        parts.append(f'{label} fill="currentColor">{step}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    inside = "\n".join(parts)
    print(f'{head} font-family="sans-serif" font-size="12">\n{inside}\n</svg>')


if __name__ == "__main__":
    main()
