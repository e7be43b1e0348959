"""Draws recorded times to first token by load, with one row and with sixteen.

cd curriculum/llm_serving_engine/figures && python arrivals.py > arrivals.svg
"""

import json
from pathlib import Path

from hotloop.site.charts import Axis, Series, curves
from hotloop.site.drawing import COLORS

RECORDED = Path(__file__).parents[1] / "recordings" / "serving.json"
CURVES = (("1", "p50"), ("16", "p50"), ("1", "p99"), ("16", "p99"))


def main() -> None:
    """Print the picture."""
    rows = json.loads(RECORDED.read_text(encoding="utf-8"))["rows"]
    series = [
        Series(
            f"{percentile}, {count} row{'s' * (count != '1')}",
            [(each["rate"], each["ttft"][percentile]) for each in rows[count]],
            color,
        )
        for (count, percentile), color in zip(CURVES, COLORS, strict=True)
    ]
    across = Axis("requests/s", [0, *(each["rate"] for each in rows["1"])])
    up = Axis("time to first token, ms", (10, 100, 1000, 10_000, 100_000), log=True)
    told = "; ".join(f"{s.name}: {', '.join(f'{y:g}' for _, y in s.points)} ms" for s in series)
    print("\n".join(curves("Time to first token by load", across, up, series, f"{told}.")))


if __name__ == "__main__":
    main()
