"""Draws goodput by load for four ways to place prompts, from the recorded output of a proof.

cd curriculum/llm_serving_frontier/figures && python goodput_prefill.py > goodput_prefill.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

chart: Any = runpy.run_path(str(Path(__file__).with_name("goodput_cache.py")))["chart"]

if __name__ == "__main__":
    print("\n".join(chart("documents", "Goodput of documents by placement")))
