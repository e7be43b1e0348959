"""Draws the rows of eight tokens before and after the permutation, and the tiles of their product.

cd curriculum/mixture_of_experts/figures && python rows.py > rows.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import GridCell, grid
from hotloop.site.drawing import COLORS

DISPATCH: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "dispatch.py"))
TOKENS, EXPERTS, K, HEIGHT = 6, 4, 2, 4


def main() -> None:
    """Print the picture."""
    ids = DISPATCH["choices"](0.5, TOKENS, EXPERTS, K).tolist()
    pairs = [(expert, token) for token, row in enumerate(ids) for expert in row]
    order = sorted(pairs)
    sizes = [sum(expert == e for expert, _ in pairs) for e in range(EXPERTS)]
    offsets = [sum(sizes[:e]) for e in range(EXPERTS + 1)]
    tiles = [
        GridCell(str(e), COLORS[e] if row < sizes[e] else "")
        for e in range(EXPERTS)
        for row in range(-(-sizes[e] // HEIGHT) * HEIGHT)
    ]
    rows = [
        ("chosen experts, token by token", [GridCell(str(e), COLORS[e]) for e, _ in pairs]),
        (
            "rows by expert; the number is the token",
            [GridCell(str(t), COLORS[e]) for e, t in order],
        ),
    ]
    wide = [tiles[at : at + 12] for at in range(0, len(tiles), 12)]
    rows += [("tiles of four rows, by expert" if n == 0 else "", row) for n, row in enumerate(wide)]
    told = (
        f"{TOKENS} tokens choose {K} of {EXPERTS} experts: {ids}. By expert and token the rows are "
        f"{[t for _, t in order]}, with offsets {offsets}. Tiles of {HEIGHT} rows compute "
        f"{len(tiles)} rows for {len(pairs)}."
    )
    note = f"offsets: {offsets}. Empty squares are rows that a tile computes for nothing."
    print("\n".join(grid("From tokens to tiles", rows, told, notes=[note])))


if __name__ == "__main__":
    main()
