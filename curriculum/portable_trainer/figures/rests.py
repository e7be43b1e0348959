"""Draws which backend is in use when one is slow again whenever it is taken up, by the policy.

cd curriculum/portable_trainer/figures && python rests.py > rests.svg
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.core import svg

SOLUTIONS = Path(__file__).parents[3] / "solutions" / "portable_trainer"
DECIDE: Callable[..., Any] = runpy.run_path(str(SOLUTIONS / "policy.py"))["decide"]

BACKENDS = [
    {"name": "compile", "memory_gib": 24.0, "compiled": True, "step_s": 0.10},
    {"name": "eager", "memory_gib": 24.0, "compiled": False, "step_s": 0.18},
]
STEPS, GOOD_STEPS = 200, 8
LEFT, SCALE, TOP, ROW, BAR = 70, 3.1, 20, 34, 20
WIDTH, HEIGHT = 720, 110
COLORS = {"compile": svg.BLUE, "eager": svg.GREEN}


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
    parts = [svg.text(4, y + 15, name) for name, y in rows.items()]
    for name, first, end in runs(used()):
        x, y, wide = LEFT + SCALE * first, rows[name], SCALE * (end - first)
        title = f"{name}: steps {first} to {end - 1}"
        parts.append(svg.rect(x, y, wide, BAR, fill=COLORS[name], title=title))
        if name == "eager" and wide > 30:
            words = f"{end - first} steps"
            parts.append(svg.text(x + wide / 2, y + 15, words, text_anchor="middle", fill="#fff"))
    parts += [
        svg.text(LEFT + SCALE * step, HEIGHT - 6, str(step), text_anchor="middle")
        for step in range(0, STEPS + 1, 40)
    ]
    print(svg.picture(WIDTH, HEIGHT, parts, "The backend in use, by step"))


if __name__ == "__main__":
    main()
