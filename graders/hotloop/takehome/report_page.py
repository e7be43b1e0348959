"""Renders the report as one standalone HTML file, without scripts or external resources.

Text of candidates and of the judge is escaped; only markup drawn here is marked as safe.
"""

from collections.abc import Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from hotloop.core import intervals, svg
from hotloop.core.html_templates import environment
from hotloop.core.intervals import Interval
from hotloop.learn.bank.export import kit
from hotloop.takehome import assistants, code_shown, quality, versions
from hotloop.takehome.report import (
    CONFINED,
    Position,
    TakehomeReport,
    TaskReport,
    VersionReport,
)
from hotloop.takehome.scorecard import OVERALL_RUBRIC
from hotloop.tasks import curriculum
from hotloop.tasks.judged_again import seeds
from hotloop.verdicts import open_scale, releases, render_record

_TEMPLATES = Path(__file__).parent / "templates" / "report"


def page(report: TakehomeReport) -> str:
    """Return the HTML document."""
    templates = environment(
        _TEMPLATES,
        prose=render_record.prose,
        inline=kit.inline,
        paragraphs=kit.paragraphs,
        number=render_record.number,
        hue=render_record.color,
        moment="{:%Y-%m-%d %H:%M} UTC".format,
    )
    return templates.get_template("report.html.j2").render(
        report=report,
        lines_style=render_record.LINES_STYLE,
        release=releases.release_of(report.module, report.reproduce.grader_digest),
        is_part=_is_part(report),
        confined=report.environment.isolation == CONFINED,
        overall=OVERALL_RUBRIC,
        steering=assistants.RUBRIC,
        positions=_POSITIONS,
        bar=bar,
        said=said_points,
        span=intervals.said,
        short=_short,
        figures=partial(_figures, report),
        curve=partial(_curve, report),
        gains=gains,
        rows=code_shown.rows,
        quality=quality.sentences,
        circumstances=_circumstances,
        # Consecutive signals with the same explanation, such as tasks similar to one work.
        signals=[
            list(alike)
            for _, alike in groupby(report.signals, lambda s: (s.innocent, s.known_rate))
        ],
    )


_POSITIONS: Mapping[Position, str] = {
    "above": "above all attempts of an assistant alone",
    "within": "within what an assistant alone reached",
    "overlaps": "not to be told from an assistant alone, as far as is known",
    "below": "below all attempts of an assistant alone",
}


_SHORT = 90
"""Characters of a sentence on the first page, which has room for all of them so."""


def _short(sentence: str) -> str:
    """Return the sentence, cut between words where it is long; it stands whole at its task."""
    return sentence if len(sentence) <= _SHORT else f"{sentence[:_SHORT].rsplit(' ', 1)[0]} …"


def _is_part(report: TakehomeReport) -> bool:
    """True if the role asks for only some of the module's tasks."""
    try:
        module = curriculum.load_module(report.module)
    except KeyError:
        return True
    return len(report.tasks) < len(module.tasks)


def _figures(report: TakehomeReport, task: TaskReport) -> list[Markup]:
    if task.record is None:
        return []
    models = {one.model: one.scales.get(task.task, []) for one in report.baselines}
    # The chart is drawn for learners, where it says "yours".
    drawn = render_record.figures(task.record, models)
    return [Markup(figure.replace(">yours</text>", ">candidate</text>")) for figure in drawn]


def _curve(report: TakehomeReport, task: TaskReport) -> Markup:
    """Draw the versions of the work log over time, with references and models."""
    marks = open_scale.marks_of(open_scale.evidence_of(task.record)) if task.record else {}
    models = {one.model: one.scales.get(task.task, []) for one in report.baselines}
    return Markup(versions.chart(task.versions, marks, models))


def gains(task: TaskReport) -> list[tuple[VersionReport, str]]:
    """Return each version with what it gained over the best one before it."""
    best: VersionReport | None = None
    rows: list[tuple[VersionReport, str]] = []
    for version in task.versions:
        if version.score is None or version.value is None:
            rows.append((version, "no result"))
            continue
        said = ""
        if best is not None and best.score is not None and best.value is not None:
            said = f"{version.score - best.score:+.3f}, {best.value / version.value:.2f}×"
        rows.append((version, said))
        if best is None or best.score is None or version.score > best.score:
            best = version
    return rows


def _circumstances(task: TaskReport) -> dict[str, Any]:
    """Return what is needed to repeat the judging of a task."""
    if task.record is None:
        return {}
    circumstances = task.record.circumstances
    return {
        "judged": f"{circumstances.started}, {circumstances.seconds:.1f} s",
        "seed": seeds(task.record),
        "files": circumstances.submission_digest[:16],
    }


_WIDTH, _HEIGHT = 200, 12
_CERTAIN = "#2f81f7"


def bar(points: Interval, possible: float, what: str) -> Markup:
    """Draw an interval of points: certain points solid, open points hatched.

    The SVG uses the text's color, so that it works on light and dark pages and on paper. Returns an
    empty string if no points are possible.
    """
    if possible <= 0:
        return Markup("")
    low, high = (_WIDTH * min(1.0, bound / possible) for bound in (points.low, points.high))
    label = f"{what}: {said_points(points, possible)}"
    # Stripes every 6 units over the open points.
    stripes = range(int((high - low) // 6) + 1) if high - low > 1 else ()
    frame = {"rx": 2, "fill": "none", "stroke": svg.PAGE, "opacity": 0.4}
    parts = [
        svg.rect(0.5, 0.5, _WIDTH - 1, _HEIGHT - 1, **frame),
        svg.rect(1, 1, max(0.0, low - 1), _HEIGHT - 2, fill=_CERTAIN),
        *(
            svg.line(low + 6 * n, _HEIGHT - 1, min(low + 6 * n + 6, high), 1, opacity=0.6)
            for n in stripes
        ),
    ]
    return Markup(svg.picture(_WIDTH, _HEIGHT, parts, label, class_="bar"))


def said_points(points: Interval, possible: float) -> str:
    """Format points: `7 of 10`, or `7 to 9 of 10` if points are open."""
    return f"{intervals.said(points)} of {render_record.number(possible)}"
