"""Draws the time of a ring and of a tree for vectors of several sizes, by the proof's model.

cd curriculum/portable_trainer/figures && python ring_and_tree.py > ring_and_tree.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import COOL, HOT, Axis, Series, curves

PROOF: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "ring_and_tree.py"))
RANKS = 16
SIZES = [10.0**power for power in range(3, 10)]
NAMES = {1e3: "1 KB", 1e4: "", 1e5: "100 KB", 1e6: "", 1e7: "10 MB", 1e8: "", 1e9: "1 GB"}


def main() -> None:
    """Print the picture."""
    times = {
        name: [(size, PROOF["seconds"](name, RANKS, size) * 1000) for size in SIZES]
        for name in ("ring", "tree")
    }
    across = Axis("bytes of the vector", SIZES, log=True, shown=lambda size: NAMES[size])
    up = Axis("milliseconds, 16 ranks", [0.01, 0.1, 1, 10, 100, 1000], log=True)
    told = (
        f"For small vectors the tree is faster, since it has fewer steps; the ring is faster from "
        f"{PROOF['crossing'](RANKS) / 1e6:.1f} MB on, since fewer bytes follow each other."
    )
    series = [Series("ring", times["ring"], COOL), Series("binomial tree", times["tree"], HOT)]
    print("\n".join(curves("An all-reduce, by latency and bandwidth", across, up, series, told)))


if __name__ == "__main__":
    main()
