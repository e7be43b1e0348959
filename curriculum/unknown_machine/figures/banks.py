"""Draws which bank each lane of a gather meets, for rows 32 and 33 words apart, as a text grid.

cd curriculum/unknown_machine/figures && python banks.py > banks.svg
"""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

PROOF: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "banks.py"))
CELL, LEFT = 28, 150


def main() -> None:
    """Print the picture: a row for each layout, a column for each bank, the lanes in the boxes."""
    machine = replace(PROOF["MACHINE"], bank_map="linear", bank_shift=0)
    rows: list[tuple[str, list[list[int]]]] = []
    for pitch in (32, 33):
        served: list[list[int]] = [[] for _ in range(machine.banks)]
        for lane in range(machine.lanes):
            served[machine.bank(lane * pitch)].append(lane)
        rows.append((f"rows {pitch} words apart", served))
    width, height = LEFT + CELL * machine.banks + 4, 30
    parts: list[str] = []
    for name, served in rows:
        tall = max(map(len, served))
        parts.append(f'<text x="2" y="{height + 18}" fill="currentColor">{name}</text>')
        for bank, lanes in enumerate(served):
            for at, lane in enumerate(lanes):
                x, y = LEFT + CELL * bank, height + CELL * at
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" fill="#c8553d"/>'
                    f'<text x="{x + 9}" y="{y + 18}" fill="#ffffff">{lane}</text>'
                )
        height += CELL * tall + 16
    for bank in range(machine.banks):
        x = LEFT + CELL * bank + 9
        parts.append(f'<text x="{x}" y="20" fill="currentColor">{bank}</text>')
    parts.append('<text x="2" y="20" fill="currentColor">bank</text>')
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    )
    print("\n".join([*parts, "</svg>"]))


if __name__ == "__main__":
    main()
