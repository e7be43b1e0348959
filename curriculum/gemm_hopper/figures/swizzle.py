"""Draws where TMA puts the 16-byte chunks of a tile with each of its three swizzles.

cd curriculum/gemm_hopper/figures && python swizzle.py > swizzle.svg
"""

from __future__ import annotations

from hotloop.site.drawing import COLORS, drawing, rectangle, text

CELL, CHUNK = 20, 1
LINES = 8
"""Lines of 128 bytes, all banks once."""


def main() -> None:
    """Print the picture."""
    parts: list[str] = []
    top = 0.0
    for row_bytes in (128, 64, 32):
        chunks = row_bytes // 16
        parts.append(text(8, top + 14, f"{row_bytes} bytes: rows of {chunks} chunks"))
        parts += _tile(8, top + 22, chunks, swizzled=False)
        parts += _tile(188, top + 22, chunks, swizzled=True)
        top += 22 + LINES // (8 // chunks) * CELL + 10
    notes = (
        "The left has no swizzle, the right has one. A line is 128 bytes, all",
        "32 banks. A box is a chunk of 16 bytes with its number in the row.",
        "wgmma reads the colored chunks 1 of eight rows together.",
    )
    for number, words in enumerate(notes):
        parts.append(text(8, top + 12 + 14 * number, words, size=10))
    told = (
        "Without a swizzle chunk 1 of eight rows of 128 bytes lies in the same banks, of 64 bytes "
        "in two places, of 32 bytes in four. With the swizzle of its width it lies in all 32 banks."
    )
    print("\n".join(drawing(top + 50, parts, "TMA's swizzles", told)))


def _tile(left: float, top: float, chunks: int, *, swizzled: bool) -> list[str]:
    """Draw eight rows."""
    parts: list[str] = []
    for row in range(8):
        for place in range(chunks):
            byte = row * chunks * 16 + place * 16
            chunk = place ^ (byte >> 7 & (chunks - 1)) if swizzled else place
            x, y = left + byte % 128 / 16 * CELL, top + byte // 128 * CELL
            fill = COLORS[0] if chunk == CHUNK else ""
            parts.append(rectangle(x, y, CELL - 2, CELL - 2, fill=fill))
            css = "on" if fill else ""
            parts.append(text(x + 9, y + 13, str(chunk), size=10, anchor="middle", css=css))
    return parts


if __name__ == "__main__":
    main()
