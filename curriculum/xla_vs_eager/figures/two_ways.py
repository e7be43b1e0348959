"""Draws the steps of the recorded runs healthy and d, one after the other.

cd curriculum/xla_vs_eager/figures && python two_ways.py > two_ways.svg
"""

from __future__ import annotations

import gzip
import json

from hotloop.core import paths

LEFT, WIDTH, ROW = 110, 560, 70
RUNS = {"compiled": "healthy", "op by op": "d"}


def steps(letter: str) -> list[float]:
    """Seconds of each step, until its result was there."""
    path = paths.exercises() / "xla_vs_eager" / f"run_{letter}.json.gz"
    recording = json.loads(gzip.decompress(path.read_bytes()))
    return [step["ready_s"] for step in recording["steps"]]


def text(x: float, y: float, words: str) -> str:
    """Words in the page's own colour."""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="12" fill="currentColor">{words}</text>'


def main() -> None:
    """Print the picture: all forty steps above, without the first one below."""
    found = {name: steps(letter) for name, letter in RUNS.items()}
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {4 * ROW + 10}" role="img" '
        'font-family="sans-serif"><title>Forty steps, compiled and op by op</title>'
    )
    for panel, (label, first) in enumerate((("forty steps", 0), ("without the first", 1))):
        longest = max(sum(each[first:]) for each in found.values())
        for row, (name, each) in enumerate(found.items()):
            y, x = (2 * panel + row) * ROW + 24, float(LEFT)
            print(text(4, y + 18, name))
            print(text(LEFT, y - 6, f"{label}: {sum(each[first:]):.2f} s"))
            for number, seconds in enumerate(each[first:], start=first):
                width = WIDTH * seconds / longest
                fill = "#d55e00" if number == 0 else ("#0072b2", "#56b4e9")[number % 2]
                print(
                    f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.3):.1f}" height="28" '
                    f'fill="{fill}"/>'
                )
                x += width
    print("</svg>")


if __name__ == "__main__":
    main()
