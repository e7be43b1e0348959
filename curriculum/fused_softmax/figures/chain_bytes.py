"""Draws what each of the five operations of a softmax reads and writes, and what one kernel does.

cd curriculum/fused_softmax/figures && python chain_bytes.py > chain_bytes.svg
"""

from __future__ import annotations

from hotloop.site.charts import COOL, HOT, GridCell, grid

OPERATIONS = (
    ("m = x.amax(-1)", 1, 0),
    ("d = x - m", 1, 1),
    ("e = d.exp()", 1, 1),
    ("s = e.sum(-1)", 1, 0),
    ("y = e / s", 1, 1),
)
"""Passes over the matrix: reads and writes. Row statistics are a thousandth of that."""


def main() -> None:
    """Print the picture."""
    rows = [(name, _passes(reads, writes)) for name, reads, writes in OPERATIONS]
    rows.append(("one fused kernel", _passes(1, 1)))
    total = sum(reads + writes for _, reads, writes in OPERATIONS)
    note = f"R: the matrix is read; W: it is written. Together {total} passes against 2."
    told = f"Five operations make {total} passes over the matrix, one kernel makes two."
    print("\n".join(grid("Passes over the matrix", rows, told, notes=[note])))


def _passes(reads: int, writes: int) -> list[GridCell]:
    return [GridCell("R", COOL)] * reads + [GridCell("W", HOT)] * writes


if __name__ == "__main__":
    main()
