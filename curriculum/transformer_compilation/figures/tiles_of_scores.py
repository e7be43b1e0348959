"""Draws which blocks of scores a causal tiled kernel computes, from the accounts of the proof.

cd curriculum/transformer_compilation/figures && python tiles_of_scores.py > tiles_of_scores.svg
"""

from __future__ import annotations

from hotloop.core import svg

QUERIES, KEYS, BLOCK_Q, BLOCK_K, CELL = 12, 16, 4, 4, 18
"""A sequence that goes on: the last query sees the last key."""


def kind(query: int, key: int) -> str:
    """What becomes of a score."""
    if key <= query + KEYS - QUERIES:
        return "seen"
    end = (query // BLOCK_Q + 1) * BLOCK_Q
    visible = end + KEYS - QUERIES
    return "masked" if key // BLOCK_K * BLOCK_K < visible else "never"


COLORS = {"seen": svg.BLUE, "masked": svg.YELLOW, "never": "none"}


def main() -> None:
    """Print the picture."""
    width, height = 2 * KEYS * CELL + 120, QUERIES * CELL + 80
    parts: list[str] = []
    for panel, name in enumerate(("standard: all scores, to memory and back", "tiled, causal")):
        left = 10 + panel * (KEYS * CELL + 60)
        parts.append(svg.text(left, 18, name, font_size=13))
        for query in range(QUERIES):
            for key in range(KEYS):
                found = kind(query, key) if panel else "seen"
                if not panel and key > query + KEYS - QUERIES:
                    found = "masked"
                x, y = left + key * CELL, 30 + query * CELL
                style = {"fill": COLORS[found], "fill_opacity": 0.75, "stroke_opacity": 0.25}
                parts.append(svg.rect(x, y, CELL - 1, CELL - 1, stroke=svg.PAGE, **style))
        if panel:
            for row in range(0, QUERIES, BLOCK_Q):
                for column in range(0, KEYS, BLOCK_K):
                    x, y = left + column * CELL, 30 + row * CELL
                    size = (BLOCK_K * CELL - 1, BLOCK_Q * CELL - 1)
                    parts.append(svg.rect(x, y, *size, fill="none", stroke=svg.PAGE))
    y = QUERIES * CELL + 52
    parts.append(svg.key(10, y, "needed", COLORS["seen"]))
    parts.append(svg.key(110, y, "computed and masked", COLORS["masked"]))
    print(svg.picture(width, height, parts, "Scores of standard and of tiled attention"))


if __name__ == "__main__":
    main()
