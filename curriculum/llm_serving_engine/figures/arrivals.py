"""Draws recorded times to first token by load, with one row and with sixteen.

cd curriculum/llm_serving_engine/figures && python arrivals.py > arrivals.svg
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

from hotloop.site.drawing import drawing

HERE = Path(__file__).parent
Axes: Any = runpy.run_path(str(HERE / "axes.py"))["Axes"]


def main() -> None:
    """Print the picture."""
    path = HERE.parent / "recordings" / "serving.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    axes = Axes((0, 44), (10, 100_000), log=True)
    rates = [each["rate"] for each in rows["1"]]
    parts = axes.drawn(rates, (10, 100, 1000, 10_000), "requests/s; upwards: TTFT in ms")
    told = list[str]()
    curves = (("1", "p50"), ("16", "p50"), ("1", "p99"), ("16", "p99"))
    for number, (count, percentile) in enumerate(curves):
        points = [(each["rate"], each["ttft"][percentile]) for each in rows[count]]
        name = f"{percentile}, {count} row{'s' * (count != '1')}"
        parts += axes.curve(points, number, name)
        told.append(f"{name}: {', '.join(f'{y:g}' for _, y in points)} ms")
    at = ", ".join(f"{rate:g}" for rate in rates)
    said = f"At {at} requests/s. {'; '.join(told)}."
    print("\n".join(drawing(236, parts, "Time to first token by load", said)))


if __name__ == "__main__":
    main()
