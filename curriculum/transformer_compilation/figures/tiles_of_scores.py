"""Draws which blocks of scores a causal tiled kernel computes, from the accounts of the proof.

cd curriculum/transformer_compilation/figures && python tiles_of_scores.py > tiles_of_scores.svg
"""

from __future__ import annotations

QUERIES, KEYS, BLOCK_Q, BLOCK_K, CELL = 12, 16, 4, 4, 18
"""A sequence that goes on: the last query sees the last key."""


def kind(query: int, key: int) -> str:
    """What becomes of a score."""
    if key <= query + KEYS - QUERIES:
        return "seen"
    end = (query // BLOCK_Q + 1) * BLOCK_Q
    visible = end + KEYS - QUERIES
    return "masked" if key // BLOCK_K * BLOCK_K < visible else "never"


COLOURS = {"seen": "#0072b2", "masked": "#e69f00", "never": "none"}


def main() -> None:
    """Print the picture."""
    width, height = 2 * KEYS * CELL + 120, QUERIES * CELL + 80
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="sans-serif"><title>Scores of standard and of tiled attention</title>'
    )
    for panel, name in enumerate(("standard: all scores, to memory and back", "tiled, causal")):
        left = 10 + panel * (KEYS * CELL + 60)
        print(f'<text x="{left}" y="18" font-size="13" fill="currentColor">{name}</text>')
        for query in range(QUERIES):
            for key in range(KEYS):
                found = kind(query, key) if panel else "seen"
                if not panel and key > query + KEYS - QUERIES:
                    found = "masked"
                x, y = left + key * CELL, 30 + query * CELL
                print(
                    f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" '
                    f'fill="{COLOURS[found]}" fill-opacity="0.75" stroke="currentColor" '
                    'stroke-opacity="0.25"/>'
                )
        if panel:
            for row in range(0, QUERIES, BLOCK_Q):
                for column in range(0, KEYS, BLOCK_K):
                    x, y = left + column * CELL, 30 + row * CELL
                    print(
                        f'<rect x="{x}" y="{y}" width="{BLOCK_K * CELL - 1}" '
                        f'height="{BLOCK_Q * CELL - 1}" fill="none" stroke="currentColor"/>'
                    )
    y = QUERIES * CELL + 52
    for x, found, words in ((10, "seen", "needed"), (110, "masked", "computed and masked")):
        print(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{COLOURS[found]}"/>')
        print(f'<text x="{x + 18}" y="{y + 11}" font-size="12" fill="currentColor">{words}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
