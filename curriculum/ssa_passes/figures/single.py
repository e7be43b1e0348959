"""Draws the function of proofs/phis_counted.py in SSA form, as SVG on standard output."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir_drawing
from lowering import lower
from to_ssa import to_ssa

PROOFS = Path(__file__).parents[1] / "proofs"

if __name__ == "__main__":
    source = runpy.run_path(str(PROOFS / "phis_counted.py"))["SOURCE"]
    print(ir_drawing.graph(to_ssa(lower(source))))
