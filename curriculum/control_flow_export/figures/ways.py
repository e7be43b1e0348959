"""Draws the twelve ways through the encoder, and the one that a trace keeps.

cd curriculum/control_flow_export/figures && python ways.py > ways.svg
"""

from __future__ import annotations

from hotloop.core import svg

KINDS = ("both ways", "causal", "prefix")
SIZES = ("short", "long")
EXITS = ("one layer", "all layers")
TRACED = ("causal", "short", "all layers")

WIDTH, HEIGHT = 640, 250
COLUMNS = (70, 230, 390, 550)
KEPT = {"stroke": svg.ORANGE, "stroke_width": 3}
OTHER = {"stroke": "#9aa5b1"}


def line(start: tuple[float, float], end: tuple[float, float], kept: bool) -> str:
    """From one decision to the next."""
    return svg.line(*start, *end, **(KEPT if kept else OTHER))


def label(x: float, y: float, said: str, kept: bool = False) -> str:
    """Beside a point."""
    weight = "bold" if kept else ""
    return svg.text(x, y, said, text_anchor="middle", font_weight=weight)


def heights(count: int) -> list[float]:
    """Evenly from top to bottom."""
    return [40 + (HEIGHT - 60) * (place + 0.5) / count for place in range(count)]


def main() -> None:
    """A tree from left to right."""
    titles = zip(COLUMNS, ("message", "kind", "length", "exit"), strict=True)
    parts = [label(x, 20, title, kept=True) for x, title in titles]
    root = (COLUMNS[0], heights(1)[0])
    seconds, thirds = heights(6), heights(12)
    for number, kind in enumerate(KINDS):
        first = (COLUMNS[1], heights(3)[number])
        on_first = kind == TRACED[0]
        parts.append(line(root, first, on_first))
        parts.append(label(first[0], first[1] - 8, kind, on_first))
        for place, size in enumerate(SIZES):
            second = (COLUMNS[2], seconds[2 * number + place])
            on_second = on_first and size == TRACED[1]
            parts.append(line(first, second, on_second))
            parts.append(label(second[0], second[1] - 6, size, on_second))
            for last, way in enumerate(EXITS):
                third = (COLUMNS[3], thirds[4 * number + 2 * place + last])
                on_third = on_second and way == TRACED[2]
                parts.append(line(second, third, on_third))
                parts.append(label(third[0] + 44, third[1] + 4, way, on_third))
    print(svg.picture(WIDTH, HEIGHT, parts, "Twelve ways through the encoder"))


if __name__ == "__main__":
    main()
