"""Draws two streams of a layer with one chunk and with two, in the model of the task `overlap`.

cd curriculum/mixture_of_experts/figures && python streams.py > streams.svg
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hotloop.site.charts import Span, lanes
from hotloop.site.drawing import COLORS

CHUNKS: Any = runpy.run_path(str(Path(__file__).parents[1] / "proofs" / "chunks.py"))
TIMELINE: Any = CHUNKS["TIMELINE"]
COSTS = {**TIMELINE["PRACTICE"], "layers": 2}


def main() -> None:
    """Print the picture."""
    rows: dict[str, list[Span]] = {}
    ends: list[float] = []
    for count, name in ((1, "one chunk"), (2, "two chunks")):
        done = TIMELINE["events"](COSTS, **CHUNKS["pattern"](COSTS, count))
        ends.append(max(end for _, end in done.values()))
        for stream, kinds in TIMELINE["STREAMS"].items():
            rows[f"{name}, {stream}"] = [
                Span(round(begin, 3), round(end, 3), COLORS[chunk], kind)
                for (kind, _, chunk), (begin, end) in sorted(done.items(), key=lambda e: e[1])
                if kind in kinds
            ]
    told = (
        f"Two layers take {ends[0]:.1f} ms with one chunk, where one stream waits for the other, "
        f"and {ends[1]:.1f} ms with two chunks."
    )
    print("\n".join(lanes("Dispatch behind computation", rows, told)))


if __name__ == "__main__":
    main()
