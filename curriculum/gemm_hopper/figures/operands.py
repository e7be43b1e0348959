"""Draws cycles of a wgmma against those of reading its operands, from the recorded arithmetic.

cd curriculum/gemm_hopper/figures && python operands.py > operands.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, recorded

ROW = re.compile(r"n = +(\d+) +(\d+) cycles +(\d+) cycles +(\d+) cycles")


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    for line in recorded("gemm_hopper", "arithmetic"):
        if match := ROW.match(line):
            n, product, both, one = map(int, match.groups())
            rows += [
                Bar(f"m64n{n}k16: tensor core", product, f"{product} cycles", HOT),
                Bar("reading a and b from shared memory", both, f"{both} cycles", COOL),
                Bar("reading b only, a in registers", one, f"{one} cycles", LEAF),
            ]
    told = (
        "With n = 64 a wgmma reads its operands for as long as it multiplies, 32 cycles. With "
        "n = 256 it multiplies for 128 cycles and reads for 80, or 64 with a in registers."
    )
    print("\n".join(bars("Products against operands, calculated", rows, told)))


if __name__ == "__main__":
    main()
