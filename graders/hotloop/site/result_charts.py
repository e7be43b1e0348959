"""Which benchmark results are drawn on the page of figures, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hotloop.site import charts, drawing
from hotloop.site.markdown import plain
from hotloop.tasks.figures import three_digits


@dataclass(frozen=True)
class Chart:
    """A bar for each row. label, value: keys of a row. only: draw only rows with these values.

    log_from: where a logarithmic axis begins.
    """

    title: str
    caption: str
    label: str
    value: str
    only: Mapping[str, object] = field(default_factory=dict[str, object])
    log_from: float | None = None


CHARTS: Mapping[str, Chart] = {
    "loop_causes": Chart(
        "Milliseconds a step", "Each change on top of those before it.", "change", "ms_per_step"
    ),
    "takehome_report": Chart(
        "Seconds from submission to report",
        "All tasks of a module, with the reference as the candidate's work.",
        "module",
        "seconds",
    ),
    "class_simulation": Chart(
        "Minutes waited, 95th percentile, by number of GPUs",
        "Before a deadline, where a grading keeps its GPU to itself.",
        "gpus",
        "waited_p95_min",
        {"scenario": "deadline", "lease": "device"},
        log_from=0.1,
    ),
}
"""Charts by the result's file name, without suffix."""


def figure(name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the drawing of a result; empty if it has no chart, or no row fits."""
    chart = CHARTS.get(name)
    if chart is None:
        return []
    fitting = [row for row in rows if all(row[key] == is_ for key, is_ in chart.only.items())]
    if not fitting:
        return []
    values = [(str(row[chart.label]), float(row[chart.value])) for row in fitting]
    bars = [charts.Bar(label, value, three_digits(value)) for label, value in values]
    description = "; ".join(f"{bar.label}: {bar.shown}" for bar in bars)
    drawn = charts.bars(chart.title, bars, description, log_from=chart.log_from)
    return drawing.figure(drawn, plain(chart.caption))
