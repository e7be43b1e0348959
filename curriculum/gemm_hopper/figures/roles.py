"""Draws what the warps of a specialized block and the two engines beside them do over time.

cd curriculum/gemm_hopper/figures && python roles.py > roles.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

LEFT, HEIGHT = 92.0, 20.0
STEP, COPY = 44.0, 62.0
STEPS = 5


def main() -> None:
    """Print the picture."""
    names = ("producer warp", "TMA", "", "", "consumer groups", "tensor cores")
    parts = [text(8, 36 + 28 * row, name, size=10) for row, name in enumerate(names) if name]
    starts = [LEFT, LEFT + 6, LEFT + 12, *(LEFT + COPY + 8 + STEP * (i + 1) for i in range(2))]
    for i, x in enumerate(starts):
        parts += _box(x, 22, 5, "", 3)
        parts += _box(x + 5, 50 + 28 * (i % 3), COPY - 5, f"slot {i % 3}", 0)
    x = LEFT + COPY + 12
    for i in range(STEPS - 1):
        parts += _box(x + STEP * i - 6, 134, 5, "", 3)
        parts += _box(x + STEP * i, 162, STEP, f"slot {i % 3}", 2)
    parts += [
        text(
            8, 204, "A thin bar is a thread that starts work and waits. A slot goes back", size=10
        ),
        text(8, 218, "when its products are complete, and the producer fills it again.", size=10),
    ]
    told = (
        "One thread of the producer warp starts copies into three slots. Consumer warp groups "
        "start products when a slot is full. The copy engine refills a slot while the tensor cores "
        "work on the others."
    )
    print("\n".join(drawing(226, parts, "Roles in a specialized block", told)))


def _box(x: float, y: float, width: float, words: str, color: int) -> list[str]:
    parts = [rectangle(x, y, width - 1, HEIGHT, fill=COLORS[color])]
    if words:
        parts.append(text(x + width / 2, y + 14, words, size=10, anchor="middle", css="on"))
    return parts


if __name__ == "__main__":
    main()
