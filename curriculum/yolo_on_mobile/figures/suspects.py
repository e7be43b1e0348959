"""Draws what an answer says about a graph with two ways: what it clears, and what stays suspect.

cd curriculum/yolo_on_mobile/figures && python suspects.py > suspects.svg
"""

from __future__ import annotations

import sys

from hotloop.core import paths, svg

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
CLEARED, SUSPECT, OUT = svg.GREEN, svg.ORANGE, svg.GRAY

Panel = tuple[str, dict[str, str]]


def panels() -> list[Panel]:
    """“way a” agrees; “joined” departs; and both."""
    before = with_all_before(TENSORS)
    agrees = {name: CLEARED if name in before["way a"] else SUSPECT for name in TENSORS}
    departs = {name: SUSPECT if name in before["joined"] else OUT for name in TENSORS}
    both = {n: CLEARED if agrees[n] == CLEARED else departs[n] for n in TENSORS}
    return [("“way a” agrees", agrees), ("“joined” departs", departs), ("both", both)]


def drawn(panel: Panel, left: int) -> list[str]:
    """One graph with its colors."""
    title, colors = panel
    parts = [svg.text(left, 14, title, font_weight="bold")]
    at = {name: (left + x * ACROSS, 30 + y * DOWN) for name, (x, y) in PLACES.items()}
    for name, inputs in TENSORS.items():
        for each in inputs:
            (x, y), (u, v) = at[each], at[name]
            parts.append(svg.line(x + WIDE, y + TALL / 2, u, v + TALL / 2))
    for name, (x, y) in at.items():
        outline = {"rx": 4, "fill": "none", "stroke": colors[name], "stroke_width": 3}
        parts.append(svg.rect(x, y, WIDE, TALL, **outline))
        parts.append(svg.text(x + WIDE / 2, y + 16, name, text_anchor="middle"))
    return parts


def main() -> None:
    """Three panels and a legend."""
    found = panels()
    width = PANEL * len(found)
    parts: list[str] = []
    for number, panel in enumerate(found):
        parts += drawn(panel, 4 + number * PANEL)
    for number, (color, said) in enumerate(
        ((CLEARED, "cleared"), (SUSPECT, "suspect"), (OUT, "not asked: something before departs"))
    ):
        parts.append(svg.key(4 + 110 * number, 168, said, color))
    told = "What an answer about one tensor clears, and what stays suspect"
    print(svg.picture(width, 190, parts, told))


if __name__ == "__main__":
    main()
