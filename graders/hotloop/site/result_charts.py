"""Which results of benchmarks are drawn on the page of figures, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hotloop.site import charts, drawing
from hotloop.site.markdown import plain


@dataclass(frozen=True)
class Chart:
    """A bar for each row. label, value: the row's keys. only: what the drawn rows have.

    of: what a label that is a number counts. log_from: where a logarithmic axis begins.
    """

    title: str
    label: str
    value: str
    only: Mapping[str, object] = field(default_factory=dict[str, object])
    of: str = ""
    log_from: float | None = None


CHARTS: Mapping[str, Chart] = {
    "loop_causes": Chart("Milliseconds a step, after each change", "change", "ms_per_step"),
    "takehome_report": Chart("Seconds from submission to report", "module", "seconds"),
    "class_simulation": Chart(
        "Minutes that 95 % wait at most; a grading keeps its GPU to itself",
        "gpus",
        "waited_p95_min",
        {"scenario": "deadline", "lease": "device"},
        of="GPUs",
        log_from=0.1,
    ),
}
"""By the result's file name, without suffix."""


def figure(name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The drawing of a result; nothing where there is none for it, or no row fits."""
    chart = CHARTS.get(name)
    if chart is None:
        return []
    fitting = [row for row in rows if all(row[key] == is_ for key, is_ in chart.only.items())]
    if not fitting:
        return []
    bars = [
        charts.Bar(f"{row[chart.label]} {chart.of}".strip(), value, _shown(value))
        for row in fitting
        for value in [float(row[chart.value])]
    ]
    told = "; ".join(f"{bar.label}: {bar.shown}" for bar in bars)
    drawn = charts.bars("", bars, f"{chart.title}. {told}", log_from=chart.log_from)
    return drawing.figure(drawn, plain(chart.title + "."))


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
