"""Draws tiles whose next transfer runs beside the work on this one, from the proof.

cd curriculum/unknown_machine/figures && python fetched_beside.py > fetched_beside.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.engines.accelerator.timeline import svg

PROOF: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "transfers.py"))

if __name__ == "__main__":
    print(svg(PROOF["tiles"](True).events, 0, 400, 1.7), end="")
