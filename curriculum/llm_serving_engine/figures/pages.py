"""Draws the block tables of two samples of one prompt, as the reference's block manager made them.

cd curriculum/llm_serving_engine/figures && python pages.py > pages.svg
"""

from __future__ import annotations

import runpy
from typing import Any

from hotloop.core import paths, svg
from hotloop.site.drawing import COLORS, arrow, drawing, rectangle, text

SIZE, BLOCKS = 4, 8
LEFT, WIDTH, STEP = 14, 36, 42


def main() -> None:
    """Print the picture."""
    given = paths.solutions() / "llm_serving_engine" / "blocks.py"
    manager: Any = runpy.run_path(str(given))["BlockManager"](BLOCKS, SIZE)
    manager.add(0, list(range(10)))
    manager.fork(0, 1)
    copies = [manager.append(s, 100 * (s + 1) + i) for i in range(3) for s in (0, 1)]
    tables = [manager.table(sequence) for sequence in (0, 1)]
    (old, new), *_ = [copy for one in copies for copy in one]
    parts = list[str]()
    for block in range(BLOCKS):
        owners = sum(block in table for table in tables)
        fill = COLORS[2] if owners == 2 else COLORS[1] if owners else ""
        parts.append(rectangle(LEFT + STEP * block, 110, WIDTH, 30, "box", fill))
        css = "on" if fill else ""
        middle = LEFT + STEP * block + WIDTH / 2
        parts.append(text(middle, 129, str(block), anchor="middle", css=css))
    for sequence, table in enumerate(tables):
        y = 30 if sequence == 0 else 180
        parts.append(
            text(
                LEFT,
                y - 8 if sequence == 0 else y + 42,
                f"block table of sample {sequence + 1}",
                size=10,
            )
        )
        for place, block in enumerate(table):
            x = LEFT + STEP * place
            parts.append(rectangle(x, y, WIDTH, 24))
            parts.append(text(x + WIDTH / 2, y + 16, str(block), anchor="middle"))
            ends = (LEFT + STEP * block + WIDTH / 2, 110 if sequence == 0 else 140)
            ours = (x + WIDTH / 2, y + 24 if sequence == 0 else y)
            up = svg.path(svg.curve(*ours, *ends), class_="edge")
            parts.append(arrow(*ours, *ends) if sequence == 0 else up)
    parts.append(
        text(
            LEFT,
            250,
            f"Green blocks are shared, blue ones not. Block {old} was copied to {new}.",
            size=10,
        )
    )
    told = (
        f"Sample 1 has the blocks {tables[0]}, sample 2 {tables[1]}. Full blocks of the prompt are "
        f"shared; the partly filled block {old} was copied to {new} before the first write."
    )
    print("\n".join(drawing(260, parts, "Two block tables", told)))


if __name__ == "__main__":
    main()
