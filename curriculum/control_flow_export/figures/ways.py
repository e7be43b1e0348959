"""Draws the twelve ways through the encoder, and the one that a trace keeps.

cd curriculum/control_flow_export/figures && python ways.py > ways.svg
"""

from __future__ import annotations

KINDS = ("both ways", "causal", "prefix")
SIZES = ("short", "long")
EXITS = ("one layer", "all layers")
TRACED = ("causal", "short", "all layers")

WIDTH, HEIGHT = 640, 250
COLUMNS = (70, 230, 390, 550)
KEPT, OTHER = "#d55e00", "#9aa5b1"


def line(start: tuple[float, float], end: tuple[float, float], kept: bool) -> str:
    """From one decision to the next."""
    width = 3 if kept else 1
    return (
        f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" '
        f'stroke="{KEPT if kept else OTHER}" stroke-width="{width}"/>'
    )


def label(x: float, y: float, said: str, kept: bool = False) -> str:
    """Beside a point."""
    weight = ' font-weight="bold"' if kept else ""
    return f'<text x="{x}" y="{y}" font-size="12" text-anchor="middle"{weight}>{said}</text>'


def heights(count: int) -> list[float]:
    """Evenly from top to bottom."""
    return [40 + (HEIGHT - 60) * (place + 0.5) / count for place in range(count)]


def main() -> None:
    """A tree from left to right."""
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif"><title>Twelve ways through the encoder</title>'
    )
    for x, title in zip(COLUMNS, ("message", "kind", "length", "exit"), strict=True):
        print(label(x, 20, title, kept=True))
    root = (COLUMNS[0], heights(1)[0])
    seconds, thirds = heights(6), heights(12)
    for number, kind in enumerate(KINDS):
        first = (COLUMNS[1], heights(3)[number])
        on_first = kind == TRACED[0]
        print(line(root, first, on_first), label(first[0], first[1] - 8, kind, on_first))
        for place, size in enumerate(SIZES):
            second = (COLUMNS[2], seconds[2 * number + place])
            on_second = on_first and size == TRACED[1]
            print(line(first, second, on_second), label(second[0], second[1] - 6, size, on_second))
            for last, way in enumerate(EXITS):
                third = (COLUMNS[3], thirds[4 * number + 2 * place + last])
                on_third = on_second and way == TRACED[2]
                print(line(second, third, on_third))
                print(label(third[0] + 44, third[1] + 4, way, on_third))
    print("</svg>")


if __name__ == "__main__":
    main()
