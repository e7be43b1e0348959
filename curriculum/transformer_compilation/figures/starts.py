"""Draws the total time after n calls, eager, compiled and packaged.

The data: the recorded output of the proof what_a_start_costs.

cd curriculum/transformer_compilation/figures && python starts.py > starts.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import COOL, HOT, LEAF, Axis, Series, curves, recorded

COLORS = {"eager": HOT, "compiled": COOL, "package": LEAF}
CALLS = (0, 250, 500, 750, 1000, 1250, 1500)


def main() -> None:
    """Print the picture."""
    series: list[Series] = []
    for line in recorded("transformer_compilation", "what_a_start_costs"):
        if found := re.match(r"measured: (\w+): ([\d.]+) s, then ([\d.]+) ms per call", line):
            start, call = float(found[2]), float(found[3])
            points = [(n, start + n * call / 1000) for n in CALLS]
            series.append(
                Series(
                    f"{found[1]}: {start:g} s, then {call:g} ms a call", points, COLORS[found[1]]
                )
            )
    told = (
        "Eager starts first and falls behind after 702 calls of the package, 846 of the "
        "compiled one."
    )
    across, up = (
        Axis("calls of one process", CALLS[::2]),
        Axis("seconds until then", (0, 10, 20, 30)),
    )
    print("\n".join(curves("A cold start, measured on one CPU", across, up, series, told)))


if __name__ == "__main__":
    main()
