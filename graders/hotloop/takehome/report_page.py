"""The report as one file of HTML that needs nothing else: no script, no picture, no host.

Whatever a candidate or a judge's sentence says is escaped; what is marked as safe is drawn here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from hotloop import curriculum
from hotloop.bank.export import markup
from hotloop.course import render_record
from hotloop.html_templates import environment
from hotloop.judged_again import seeds
from hotloop.takehome import interval_bar, intervals, quality_words
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.intervals import Interval
from hotloop.takehome.report import CONFINED, Report, TaskReport
from hotloop.takehome.scorecard import OVERALL_RUBRIC

_TEMPLATES = Path(__file__).parent / "templates" / "report"


def page(report: Report) -> str:
    """The whole document."""
    templates = environment(
        _TEMPLATES,
        prose=_prose,
        inline=_inline,
        paragraphs=_paragraphs,
        number=render_record.number,
        words=_words,
        hue=render_record.colour,
        moment="{:%Y-%m-%d %H:%M} UTC".format,
    )
    return templates.get_template("report.html.j2").render(
        report=report,
        is_part=_is_part(report),
        confined=report.environment.isolation == CONFINED,
        overall=OVERALL_RUBRIC,
        bar=_bar,
        said=interval_bar.said_points,
        span=intervals.said,
        figures=_figures,
        quality=quality_words.sentences,
        circumstances=_circumstances,
        signals=_grouped(report.signals),
    )


def _is_part(report: Report) -> bool:
    """Whether the role asks for some of the module's tasks only."""
    try:
        module = curriculum.load_module(report.module)
    except KeyError:
        return True
    return len(report.tasks) < len(module.tasks)


def _grouped(signals: Sequence[Signal]) -> list[list[Signal]]:
    """Together where one explanation holds for several, as for tasks that are all like one work."""
    return [list(alike) for _, alike in groupby(signals, lambda s: (s.innocent, s.known_rate))]


def _prose(sentence: str) -> Markup:
    return Markup(render_record.prose(sentence))


def _inline(text: str) -> Markup:
    return Markup(markup.inline(text))


def _paragraphs(text: str) -> Markup:
    return Markup(markup.paragraphs(text))


def _words(text: str) -> str:
    return str(text).replace("_", " ")


def _bar(points: Interval, possible: float, what: str) -> Markup:
    return Markup(interval_bar.svg(points, possible, what))


def _figures(task: TaskReport) -> list[Markup]:
    if task.record is None:
        return []
    # The drawing is made for learners, who read their own.
    drawn = render_record.figures(task.record)
    return [Markup(figure.replace(">yours</text>", ">candidate</text>")) for figure in drawn]


def _circumstances(task: TaskReport) -> dict[str, Any]:
    """What it takes to repeat one task's judging."""
    if task.record is None:
        return {}
    found = task.record.circumstances
    return {
        "judged": f"{found.started}, {found.seconds:.1f} s",
        "seed": seeds(task.record),
        "files": found.submission_digest[:16],
    }
