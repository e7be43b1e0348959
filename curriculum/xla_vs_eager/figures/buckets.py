"""Draws the sizes of proofs/buckets.py, and the padded rows of two ways of padding.

cd curriculum/xla_vs_eager/figures && python buckets.py > buckets.svg
"""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from typing import Any

PROOF: dict[str, Any] = runpy.run_path(
    str(Path(__file__).parents[1] / "proofs" / "buckets.py"), run_name="proof"
)

WIDTH, HEIGHT, LEFT, MOST = 640, 120, 40, 128


def panel(name: str, seen: list[int], buckets: list[int], top: int) -> list[str]:
    """A bar for each size, as high as its batches; behind it, what it is padded to."""
    count, step = Counter(seen), WIDTH / MOST
    highest = max(count.values())
    rows = PROOF["rows"](seen, buckets) / sum(seen)
    used = sorted({min(b for b in buckets if b >= size) for size in seen})
    drawn = [text(LEFT, top - 8, f"{name}: {len(used)} programs, {rows:.2f} rows for a real one")]
    for begin, end in zip([0, *used], used, strict=False):
        style = 'fill="currentColor" fill-opacity="0.1" stroke="currentColor"'
        drawn.append(
            f'<rect x="{LEFT + begin * step:.1f}" y="{top}" width="{(end - begin) * step:.1f}" '
            f'height="{HEIGHT}" {style}/>'
        )
        drawn.append(text(LEFT + end * step - 4, top + HEIGHT + 14, str(end)))
    for size, batches in sorted(count.items()):
        tall = HEIGHT * batches / highest
        drawn.append(
            f'<rect x="{LEFT + (size - 1) * step:.1f}" y="{top + HEIGHT - tall:.1f}" '
            f'width="{step * 0.8:.1f}" height="{tall:.1f}" fill="#0072b2"/>'
        )
    return drawn


def text(x: float, y: float, words: str) -> str:
    """Words in the page's own colour."""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="12" fill="currentColor">{words}</text>'


def main() -> None:
    """Print the picture."""
    seen = PROOF["sizes"]()
    ways = {
        "powers of two": [1 << n for n in range(8)],
        "the best five": PROOF["best"](seen, PROOF["PROGRAMS"]),
    }
    drawn: list[str] = []
    for number, (name, buckets) in enumerate(ways.items()):
        drawn += panel(name, seen, buckets, 28 + number * (HEIGHT + 52))
    height = len(ways) * (HEIGHT + 52) + 12
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img" '
        'font-family="sans-serif"><title>Sizes of batches and where buckets end</title>'
    )
    print("\n".join(drawn))
    print("</svg>")


if __name__ == "__main__":
    main()
