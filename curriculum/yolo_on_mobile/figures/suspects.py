"""Draws what an answer says about a graph with two ways: what it clears, and what stays suspect.

cd curriculum/yolo_on_mobile/figures && python suspects.py > suspects.svg
"""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("yolo_on_mobile")

from departure import with_all_before

TENSORS = {
    "stem": [],
    "way a": ["stem"],
    "way b": ["stem"],
    "joined": ["way a", "way b"],
    "small": ["joined"],
    "large": ["joined"],
}
PLACES = {
    "stem": (0, 1),
    "way a": (1, 0),
    "way b": (1, 2),
    "joined": (2, 1),
    "small": (3, 0),
    "large": (3, 2),
}
ACROSS, DOWN, WIDE, TALL, PANEL = 92, 42, 66, 24, 372
CLEARED, SUSPECT, OUT = "#009e73", "#d55e00", "#999999"

Panel = tuple[str, dict[str, str]]


def panels() -> list[Panel]:
    """“way a” agrees; “joined” departs; and both."""
    before = with_all_before(TENSORS)
    agrees = {name: CLEARED if name in before["way a"] else SUSPECT for name in TENSORS}
    departs = {name: SUSPECT if name in before["joined"] else OUT for name in TENSORS}
    both = {n: CLEARED if agrees[n] == CLEARED else departs[n] for n in TENSORS}
    return [("“way a” agrees", agrees), ("“joined” departs", departs), ("both", both)]


def drawn(panel: Panel, left: int) -> list[str]:
    """One graph with its colours."""
    title, colours = panel
    parts = [f'<text x="{left}" y="14" font-weight="bold">{title}</text>']
    at = {name: (left + x * ACROSS, 30 + y * DOWN) for name, (x, y) in PLACES.items()}
    for name, inputs in TENSORS.items():
        for each in inputs:
            (x, y), (u, v) = at[each], at[name]
            parts.append(
                f'<line x1="{x + WIDE}" y1="{y + TALL // 2}" x2="{u}" y2="{v + TALL // 2}" '
                'stroke="currentColor"/>'
            )
    for name, (x, y) in at.items():
        parts.append(
            f'<rect x="{x}" y="{y}" width="{WIDE}" height="{TALL}" rx="4" fill="none" '
            f'stroke="{colours[name]}" stroke-width="3"/>'
            f'<text x="{x + WIDE // 2}" y="{y + 16}" text-anchor="middle">{name}</text>'
        )
    return parts


def main() -> None:
    """Three panels and a legend."""
    found = panels()
    width = PANEL * len(found)
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 190" role="img" '
        'font-family="sans-serif" font-size="12" fill="currentColor">'
    )
    print("<title>What an answer about one tensor clears, and what stays suspect</title>")
    for number, panel in enumerate(found):
        print("\n".join(drawn(panel, 4 + number * PANEL)))
    for number, (colour, said) in enumerate(
        ((CLEARED, "cleared"), (SUSPECT, "suspect"), (OUT, "not asked: something before departs"))
    ):
        print(f'<rect x="{4 + 110 * number}" y="168" width="12" height="12" fill="{colour}"/>')
        print(f'<text x="{22 + 110 * number}" y="178">{said}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
