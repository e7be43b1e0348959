"""Draws the time of three plans of an exchange over the lower bound, from the proof's record.

cd curriculum/mixture_of_experts/figures && python exchange.py > exchange.svg
"""

from __future__ import annotations

import re

from hotloop.site.charts import Bar, bars, recorded
from hotloop.site.drawing import COLORS

SHOWN = ("equal ranks", "a popular node", "one rank has all tokens")
LINE = re.compile(r"(.+?)\s{2,}(.+?)\s+([\d.]+) times the crossings, ([\d.]+) the time")


def main() -> None:
    """Print the picture."""
    rows: list[Bar] = []
    plans: list[str] = []
    for line in recorded("mixture_of_experts", "exchange"):
        match = LINE.match(line.replace("balanced, forwarded ", "balanced, forwarded  "))
        assert match is not None
        plan, label, _, time = match.groups()
        if plan not in plans:
            plans.append(plan)
        if label.strip() in SHOWN:
            color = COLORS[plans.index(plan)]
            rows.append(Bar(f"{label.strip()}: {plan}", float(time), f"{time}×", color))
    rows.sort(key=lambda row: [row.label.startswith(label) for label in SHOWN].index(True))
    told = "; ".join(f"{row.label} {row.shown}" for row in rows)
    title = "Time of an exchange, over the lower bound"
    print("\n".join(bars(title, rows, f"{told}.")))


if __name__ == "__main__":
    main()
