"""Draws which elements each program of a map has, and the mask of the last one.

cd curriculum/first_kernels/figures && python map.py > map.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

COUNT, BLOCK, CELL = 14, 4, 21


def main() -> None:
    """Print the picture."""
    parts: list[str] = []
    for element in range(16):
        x, program = 8 + element * CELL, element // BLOCK
        inside = element < COUNT
        parts.append(rectangle(x, 34, CELL - 3, 22, fill=COLORS[program] if inside else ""))
        parts.append(text(x + 9, 72, str(element), size=10, anchor="middle"))
        if not inside:
            parts.append(text(x + 9, 50, "×", anchor="middle"))
    for program in range(4):
        x = 8 + program * BLOCK * CELL
        parts.append(text(x, 24, f"program {program}", size=10))
    parts.append(text(8, 94, "× is masked: it is neither loaded nor stored."))
    told = "Sixteen cells in four blocks of four; the last two lie behind the fourteen elements."
    print("\n".join(drawing(104, parts, "A grid of programs over a vector", told)))


if __name__ == "__main__":
    main()
