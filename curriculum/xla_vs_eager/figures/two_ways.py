"""Draws the steps of the recorded runs healthy and d, one after the other.

cd curriculum/xla_vs_eager/figures && python two_ways.py > two_ways.svg
"""

from __future__ import annotations

import gzip
import json

from hotloop.core import paths, svg

LEFT, WIDTH, ROW = 110, 560, 70
RUNS = {"compiled": "healthy", "op by op": "d"}


def steps(letter: str) -> list[float]:
    """Seconds of each step, until its result was there."""
    path = paths.exercises() / "xla_vs_eager" / f"run_{letter}.json.gz"
    recording = json.loads(gzip.decompress(path.read_bytes()))
    return [step["ready_s"] for step in recording["steps"]]


def main() -> None:
    """Print the picture: all forty steps above, without the first one below."""
    found = {name: steps(letter) for name, letter in RUNS.items()}
    parts: list[str] = []
    for panel, (label, first) in enumerate((("forty steps", 0), ("without the first", 1))):
        longest = max(sum(each[first:]) for each in found.values())
        for row, (name, each) in enumerate(found.items()):
            y, x = (2 * panel + row) * ROW + 24, float(LEFT)
            parts.append(svg.text(4, y + 18, name))
            parts.append(svg.text(LEFT, y - 6, f"{label}: {sum(each[first:]):.2f} s"))
            for number, seconds in enumerate(each[first:], start=first):
                width = WIDTH * seconds / longest
                fill = svg.ORANGE if number == 0 else (svg.BLUE, svg.SKY)[number % 2]
                parts.append(svg.rect(x, y, max(width, 0.3), 28, fill=fill))
                x += width
    print(svg.picture(720, 4 * ROW + 10, parts, "Forty steps, compiled and op by op"))


if __name__ == "__main__":
    main()
