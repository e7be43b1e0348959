"""Draws when tiles are copied and when they are multiplied, without and with two stages.

cd curriculum/gemm_tensor_cores/figures && python pipeline.py > pipeline.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

COPY, MULTIPLY, HEIGHT = 40, 44, 18


def main() -> None:
    """Print the picture."""
    parts = [text(8, 14, "copy, wait, multiply")]
    x = 8.0
    for step in range(4):
        parts += _box(x, 22, COPY, f"copy {step}", 0) + _box(
            x + COPY, 44, MULTIPLY, f"mma {step}", 1
        )
        x += COPY + MULTIPLY
    parts.append(text(8, 86, "two stages"))
    parts += _box(8, 94, COPY, "copy 0", 0)
    x = 8.0 + COPY
    for step in range(4):
        if step < 3:
            parts += _box(x, 94, COPY, f"copy {step + 1}", 0)
        parts += _box(x, 116, MULTIPLY, f"mma {step}", 1)
        parts.append(text(x, 148, "▲", size=9, anchor="middle"))
        x += MULTIPLY
    parts.append(text(8, 166, "At ▲ a thread waits for its copies, then for one barrier.", size=10))
    told = (
        "Without a pipeline each step copies and then multiplies. With two stages the copies of "
        "the next step run while this one is multiplied, and only the first copy is waited for at "
        "once."
    )
    print("\n".join(drawing(176, parts, "A pipeline of asynchronous copies", told)))


def _box(x: float, y: float, width: float, words: str, color: int) -> list[str]:
    return [
        rectangle(x, y, width - 1, HEIGHT, fill=COLORS[color]),
        text(x + width / 2, y + 13, words, size=9, anchor="middle", css="on"),
    ]


if __name__ == "__main__":
    main()
