"""Draws the sizes of proofs/buckets.py, and the padded rows of two ways of padding.

cd curriculum/xla_vs_eager/figures && python buckets.py > buckets.svg
"""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from typing import Any

from hotloop.core import svg

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
    title = f"{name}: {len(used)} programs, {rows:.2f} rows for a real one"
    drawn = [svg.text(LEFT, top - 8, title)]
    style = {"fill": svg.PAGE, "fill_opacity": 0.1, "stroke": svg.PAGE}
    for begin, end in zip([0, *used], used, strict=False):
        drawn.append(svg.rect(LEFT + begin * step, top, (end - begin) * step, HEIGHT, **style))
        drawn.append(svg.text(LEFT + end * step - 4, top + HEIGHT + 14, str(end)))
    for size, batches in sorted(count.items()):
        tall = HEIGHT * batches / highest
        x, y = LEFT + (size - 1) * step, top + HEIGHT - tall
        drawn.append(svg.rect(x, y, step * 0.8, tall, fill=svg.BLUE))
    return drawn


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
    print(svg.picture(720, height, drawn, "Sizes of batches and where buckets end"))


if __name__ == "__main__":
    main()
