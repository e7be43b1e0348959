"""Draws tiles whose next transfer starts after the work on this one, from the proof.

cd curriculum/unknown_machine/figures && python fetched_after.py > fetched_after.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.engines.accelerator.timeline import svg

PROOF: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "transfers.py"))

if __name__ == "__main__":
    print(svg(PROOF["tiles"](False).events, 0, 400, 1.7), end="")
