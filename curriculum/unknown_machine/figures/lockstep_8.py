"""Draws chains of multiplications of 8 vectors an iteration, from the proof.

cd curriculum/unknown_machine/figures && python lockstep_8.py > lockstep_8.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.engines.accelerator.timeline import svg

PROOF: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "lockstep.py"))

if __name__ == "__main__":
    print(svg(PROOF["measured"](8).events, 0, 70, 9), end="")
