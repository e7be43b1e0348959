"""Draws the recorded step of a sharded model: products, gathers and sums of gradients.

cd curriculum/portable_trainer/figures && python sharded_step.py > sharded_step.svg
"""

from __future__ import annotations

import json

from hotloop.core import paths
from hotloop.site.charts import COOL, HOT, LEAF, Span, lanes

TRACE = paths.exercises() / "portable_trainer" / "fsdp_trace.json"
ROWS = {
    "products": (("aten::addmm", "aten::mm"), COOL),
    "gathers of parameters (gloo:all_gather)": (("gloo:all_gather",), HOT),
    "sums of gradients (gloo:all_reduce)": (("gloo:all_reduce",), LEAF),
}


def main() -> None:
    """Print the picture."""
    events = json.loads(TRACE.read_text(encoding="utf-8"))["traceEvents"]
    names = [name for kinds, _ in ROWS.values() for name in kinds]
    first = min(e["ts"] for e in events if e["name"] in names)
    rows = {
        row: [
            Span(
                round((e["ts"] - first) / 1000, 3),
                round((e["ts"] + e["dur"] - first) / 1000, 3),
                color,
                "",
            )
            for e in sorted(events, key=lambda e: e["ts"])
            if e["name"] in kinds
        ]
        for row, (kinds, color) in ROWS.items()
    }
    products, gathers = (list(spans) for spans in list(rows.values())[:2])
    beside = sum(
        any(p.start < gather.end and gather.start < p.end for p in products) for gather in gathers
    )
    told = (
        f"{beside} of {len(gathers)} gathers run beside a product; in the forward pass each layer "
        "waits for its own."
    )
    print("\n".join(lanes("A step of four sharded layers on a CPU", rows, told)))


if __name__ == "__main__":
    main()
