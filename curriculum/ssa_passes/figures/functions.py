"""Draws the function of proofs/phis_counted.py in blocks and in SSA form, beside this file.

python curriculum/ssa_passes/figures/functions.py
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "solutions" / "ssa_passes"))

import ir_drawing
from lowering import lower
from to_ssa import to_ssa

HERE = Path(__file__).parent


def main() -> None:
    """Write both."""
    source = runpy.run_path(str(HERE.parent / "proofs" / "phis_counted.py"))["SOURCE"]
    blocks = lower(source)
    for name, text in (("blocks", blocks), ("single", to_ssa(blocks))):
        (HERE / f"{name}.svg").write_text(ir_drawing.graph(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
