"""Draws the phases of the two mbarriers of one slot, and which wait ends with which phase.

cd curriculum/gemm_hopper/figures && python phases.py > phases.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

LEFT, COPY, USE, HEIGHT = 62.0, 48.0, 48.0, 20.0
ROUNDS = 3


def main() -> None:
    """Print the picture."""
    parts = [text(8, 36, "slot 0"), text(8, 68, "full[0]"), text(8, 100, "empty[0]")]
    x = LEFT
    full = empty = LEFT
    for r in range(ROUNDS):
        parts += _box(x, 22, COPY, f"copy {2 * r}", 3)
        x += COPY
        parts += _box(full, 54, x - full, _phase(r), r % 2)
        parts += _tick(x, 54 + HEIGHT)
        full = x
        parts += _box(x, 22, USE, f"read {2 * r}", 2)
        x += USE
        parts += _box(empty, 86, x - empty, _phase(r), r % 2)
        parts += _tick(x, 86 + HEIGHT)
        empty = x
    parts += [
        text(8, 136, "Consumers, round r: wait full[0] for parity r & 1.", size=10),
        text(8, 150, "Producer, round r: wait empty[0] for parity (r & 1) ^ 1: the phase", size=10),
        text(8, 164, "before. In round 0 that is parity 1, which counts as complete.", size=10),
        text(8, 178, "Parity 0 is orange, 1 is blue; ▲ ends a phase.", size=10),
    ]
    told = (
        "Slot 0 is filled by copies 0, 2 and 4 and read after each. A phase of full[0] ends when a "
        "copy has arrived, a phase of empty[0] when it has been read; phases have parities 0, 1, 0."
    )
    print("\n".join(drawing(186, parts, "Phases of the mbarriers of a slot", told)))


def _phase(number: int) -> str:
    return f"phase {number}"


def _box(x: float, y: float, width: float, words: str, color: int) -> list[str]:
    return [
        rectangle(x, y, width - 2, HEIGHT, fill=COLORS[color]),
        text(x + width / 2 - 1, y + 14, words, size=10, anchor="middle", css="on"),
    ]


def _tick(x: float, y: float) -> list[str]:
    return [text(x - 1, y + 9, "▲", size=10, anchor="middle")]


if __name__ == "__main__":
    main()
