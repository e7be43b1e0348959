"""Draws which thread of a warp group has which sums of wgmma.m64nNk16.

cd curriculum/gemm_hopper/figures && python fragment.py > fragment.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

CELL, WARP, LANE = 17, 1, 9
COLUMNS = 16


def main() -> None:
    """Print the picture."""
    parts = [text(8, 14, "64 × n"), text(84, 14, "rows 16 to 31, columns 0 to 15")]
    for warp in range(4):
        y = 22 + warp * 68
        fill = COLORS[1] if warp == WARP else ""
        css = "on" if fill else ""
        parts.append(rectangle(8, y, 60, 66, fill=fill))
        parts.append(text(38, y + 37, f"warp {warp}", size=10, anchor="middle", css=css))
    for row in range(16):
        for column in range(0, COLUMNS, 2):
            lane = row % 8 * 4 + column % 8 // 2
            x, y = 84 + column * CELL, 22 + row * CELL
            register = column // 8 * 4 + row // 8 * 2
            on = lane == LANE
            parts.append(
                rectangle(
                    x, y, 2 * CELL - 2, CELL - 2, fill=COLORS[register // 2 % 4] if on else ""
                )
            )
            words = f"d{register},{register + 1}" if on else str(lane)
            parts.append(
                text(x + CELL - 1, y + 12, words, size=10, anchor="middle", css="on" if on else "")
            )
    foot = 22 + 16 * CELL + 14
    parts.append(
        text(8, foot, "A box is two sums of a lane and has the lane's number. Lane 9 is", size=10)
    )
    parts.append(
        text(
            8,
            foot + 14,
            "colored and has its registers. 8 more columns are 4 more registers.",
            size=10,
        )
    )
    told = (
        "Warp w has the rows 16 w to 16 w + 15. Lane 9 of warp 1 has in d0 and d1 row 18, columns "
        "2 and 3, in d2 and d3 row 26, in d4 to d7 the same rows of columns 10 and 11."
    )
    print("\n".join(drawing(foot + 24, parts, "Sums of wgmma", told)))


if __name__ == "__main__":
    main()
