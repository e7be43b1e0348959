"""Draws the sectors that a warp's load moves, with neighboring and with distant elements.

cd curriculum/first_kernels/figures && python coalescing.py > coalescing.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, line, rectangle, text

LANES, PER_SECTOR, WIDE = 8, 8, 40


def main() -> None:
    """Print the picture."""
    parts = [text(8, 16, "neighboring elements: one sector for eight lanes")]
    parts += _warp(26, [lane / PER_SECTOR for lane in range(LANES)])
    parts.append(text(8, 146, "a stretch for each lane: eight sectors, 4 of 32 bytes used"))
    parts += _warp(156, [float(lane) for lane in range(LANES)])
    told = (
        "Eight lanes point into one sector of 32 bytes where their elements are neighbors, and "
        "into eight sectors where they are apart."
    )
    print("\n".join(drawing(252, parts, "What a load of a warp moves", told)))


def _warp(y: float, places: list[float]) -> list[str]:
    """places: in sectors, one a lane."""
    parts: list[str] = []
    touched = {int(place) for place in places}
    for sector in range(8):
        fill = COLORS[1] if sector in touched else ""
        parts.append(rectangle(12 + sector * 42, y + 54, WIDE, 22, fill=fill))
    for lane, place in enumerate(places):
        x = 30 + lane * 42
        end = 12 + int(place) * 42 + (place - int(place)) * WIDE + 2.5
        parts += [
            rectangle(x - 9, y, 18, 18, fill=COLORS[0]),
            line(x, y + 18, end, y + 54, "edge"),
        ]
        parts.append(text(x, y + 13, str(lane), size=10, anchor="middle", css="on"))
    parts.append(text(8, y + 90, "memory, in sectors of 32 bytes", size=10))
    return parts


if __name__ == "__main__":
    main()
