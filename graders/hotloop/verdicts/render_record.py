"""Renders a record for people: in the learner's notebook, in formgrader and in feedback.

The result is one block of HTML with its own style. Everything from the record is escaped, because
sentences may quote output of a learner's code.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from hotloop.core.record import CheckRecord, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.judged_again import seeds
from hotloop.tasks.problem import Score, settle
from hotloop.verdicts import open_scale, picture
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.profile import Profile
from hotloop.verdicts.reference import with_reference
from hotloop.verdicts.releases import grader

_GOOD, _OPEN, _BAD, _GREY = "#1a7f37", "#8a5a00", "#b42318", "#57606a"

LINES_STYLE = (
    ".hl-lines{display:block!important;white-space:pre!important;overflow-x:auto;"
    "overflow-wrap:normal;margin:.3em 0;text-align:left;"
    "font:12px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}"
)
"""Of the lines that `prose` leaves as they are."""

_STYLE = """
.hotloop{border:1px solid #8b949e80;border-left:5px solid var(--hl);border-radius:6px;
padding:.6em .9em;margin:.4em 0;font:14px/1.45 system-ui,sans-serif;max-width:52em}
.hotloop p{margin:.3em 0;overflow-wrap:anywhere;white-space:pre-line}
.hotloop .hl-badge{background:var(--hl);color:#fff;border-radius:4px;padding:.1em .5em;
font-weight:600}.hotloop table{border-collapse:collapse;font:inherit;
margin:.4em 0;width:100%;table-layout:auto}
.hotloop :is(tr,td,th){text-align:left!important}
.hotloop :is(td,th){vertical-align:top;padding:.2em .6em .2em 0;
border-top:1px solid #8b949e40;background:none;white-space:normal}
.hotloop .hl-checks td:last-child{overflow-wrap:anywhere;white-space:pre-line}
.hotloop .hl-checks td:last-child:not(:empty){width:60%}
.hotloop .hl-num{white-space:nowrap}.hotloop .hl-profile{overflow-x:auto}
.hotloop .hl-profile td:first-child{min-width:12em;overflow-wrap:anywhere}
.hotloop figure{margin:.6em 0}.hotloop figcaption,.hotloop details{font-size:12px;opacity:.85}
.hotloop summary{cursor:pointer;display:list-item}
.hotloop ul{margin:.3em 0;padding-left:1.4em}.hotloop{container-type:inline-size}
@container (max-width:520px){
.hotloop .hl-checks tr{display:block;padding:.3em 0;border-top:1px solid #8b949e40}
.hotloop .hl-checks tr:first-child{display:none}
.hotloop .hl-checks td{display:inline;border:0!important}
.hotloop .hl-checks td:first-child{font-weight:600}
.hotloop .hl-checks td:last-child:not(:empty){display:block;width:auto}}
"""


_MEASURE_AGAIN = "In this notebook nothing is judged again by itself: run this cell once more."

Worth = Mapping[str, float]
"""Maximum points, by check."""


class DisplayedRecord:
    """A record that a notebook displays, with points if the curriculum is available."""

    def __init__(
        self,
        record: Record,
        score: Score | None = None,
        advice: str = "",
        following: Sequence[str] = (),
    ) -> None:
        self.record = record
        self.following = following
        # A machine's missing capabilities do not change; judging again may decide the others.
        unsettled = {Verdict.UNDECIDED, Verdict.JUDGE_ERROR}
        repeats = any(check.verdict in unsettled for check in record.checks)
        self.advice = _MEASURE_AGAIN if repeats else advice
        known, self.worth = _points_of(record)
        self.score = score or known

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return HTML, and the points as a number, which nbgrader's Validate uses as the score."""
        plain = number(self.score.points) if self.score else repr(self)
        return {
            "text/html": html(self.record, self.score, self.worth, self.advice, self.following),
            "text/plain": plain,
        }

    def __repr__(self) -> str:
        whole = (text(self.record, self.score), self.advice, *self.following)
        return "\n".join(filter(None, whole))


def html(
    record: Record,
    score: Score | None = None,
    worth: Worth | None = None,
    advice: str = "",
    following: Sequence[str] = (),
) -> str:
    """Return one block of HTML with verdict, sentence, points, checks and speed.

    advice: what to do about this task, in addition to the record's sentence. following: what is
    next after it.
    """
    points = f'<span class="hl-num">{escape(points_text(score))}</span>' if score else ""
    head = (
        f'<p><span class="hl-badge">{verdict_words.of_task(record)}</span> '
        f"<strong>{escape(record.module)}.{escape(record.task)}</strong> {points}</p>"
    )
    worth = worth or {}
    rows = "".join(_check(check, record, worth.get(check.check)) for check in record.checks)
    columns = "<tr><th>check</th><th>verdict</th><th>points</th><th></th></tr>"
    parts = [
        f'<div class="hotloop" style="--hl:{color_of(record)}">',
        f"<style>{_STYLE}{LINES_STYLE}</style>",
        head,
        f"<p>{prose(record.sentence)}</p>",
        f"<p>{prose(advice)}</p>" if advice else "",
        f"<table class='hl-checks'>{columns}{rows}</table>",
        *figures(record),
        *profiles(record),
        _following(following),
        _circumstances(record),
        "</div>",
    ]
    return "".join(parts)


def text(record: Record, score: Score | None = None) -> str:
    """Return the same as a few lines of text."""
    points = f" ({points_text(score)})" if score else ""
    verdict = verdict_words.of_task(record)
    lines = [f"{record.module}.{record.task}: {verdict}{points}", record.sentence]
    for check in record.checks:
        words = filter(None, verdict_words.of_check(check, record))
        lines.append(f"  {check.check}: {' – '.join(words)}")
    return "\n".join(lines)


def points_text(score: Score, unit: str = " points") -> str:
    """Format points: `7 of 10 points`, with the number of open ones, which are never shown as 0."""
    if score.pending and score.pending >= score.possible:
        return f"{number(score.pending)}{unit} pending"
    earned = f"{number(score.points)} of {number(score.possible)}{unit}"
    return f"{earned}, {number(score.pending)} pending" if score.pending else earned


def number(value: float) -> str:
    """Format points without unnecessary decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _points_of(record: Record) -> tuple[Score | None, Worth | None]:
    """Return score and worth; None for an unknown module, whose verdict is shown anyway."""
    try:
        module = load_module(record.module)
        worth = {check.id: float(check.points) for check in module.task(record.task).checks}
        return settle(module, record.task, record), worth
    except (LookupError, OSError, ValueError):
        return None, None


def _check(check: CheckRecord, record: Record, worth: float | None) -> str:
    verdict, sentence = verdict_words.of_check(check, record)
    points = ""
    if worth is not None:
        earned = f"{number(check.earned * worth)} of {number(worth)}"
        points = f"{number(worth)} pending" if check.verdict.pending else earned
    return (
        f"<tr><td>{escape(check.check)}</td><td>{verdict}</td>"
        f"<td class='hl-num'>{points}</td><td>{prose(sentence)}</td></tr>"
    )


def _figure(record: Record, check: CheckRecord, models: Mapping[str, Sequence[float]]) -> str:
    evidence = with_reference(record, check)
    drawing = picture.speed_svg(evidence)
    if drawing is not None:
        caption = f"{check.check}: {picture.describe(evidence)} {_how(evidence)}"
    else:
        drawing = open_scale.scale_svg(evidence, models)
        if drawing is None:
            return ""
        caption = f"{check.check}: {open_scale.describe(evidence)}"
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _how(evidence: Mapping[str, Any]) -> str:
    windows, calls = evidence.get("windows"), evidence.get("calls_per_window")
    threads = evidence.get("threads")
    if not (isinstance(windows, int) and isinstance(calls, int)):
        return ""
    sentence = f"Medians of {windows} windows, {_of_a_window(evidence, calls)}"
    if not isinstance(threads, int):
        return f"{sentence}."
    return f"{sentence}, {threads} thread{'' if threads == 1 else 's'}."


def _of_a_window(evidence: Mapping[str, Any], calls: int) -> str:
    """Describe what was timed in a window: calls, or requests to a server."""
    measured = evidence.get("measures")
    if isinstance(measured, str) and measured.startswith("requests "):
        return f"each {calls} {measured}"
    return "latency: one call a window" if calls == 1 else f"throughput: {calls} calls a window"


def figures(record: Record, models: Mapping[str, Sequence[float]] | None = None) -> list[str]:
    """Return the drawings of checks that measured speed, or counted on an open scale.

    models: scores of models alone on that scale, by name.
    """
    drawn = (_figure(record, check, models or {}) for check in record.checks)
    return [figure for figure in drawn if figure]


def profiles(record: Record) -> list[str]:
    """Return Nsight Compute's measurements of a learner's kernels, if requested."""
    tables = [(check.check, Profile.of(check.evidence)) for check in record.checks]
    return [_profile(check, profile) for check, profile in tables if profile is not None]


def _profile(check: str, profile: Profile) -> str:
    if profile.why_not:
        return f"<p>{escape(check)}: {escape(profile.why_not)}</p>"
    head = "".join(f"<th>{escape(column)}</th>" for column in profile.columns)
    rows = "".join(
        f"<tr><td>{escape(kernel)}</td>"
        + "".join(f"<td class='hl-num'>{escape(cell)}</td>" for cell in figures)
        + "</tr>"
        for kernel, *figures in profile.rows
    )
    caption = f"<summary>{escape(check)}: your kernels in Nsight Compute</summary>"
    table = f"<div class='hl-profile'><table><tr>{head}</tr>{rows}</table></div>"
    return f"<details open>{caption}{table}</details>"


def _following(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{prose(sentence)}</li>" for sentence in sentences)
    return f"<p><strong>Next</strong></p><ul>{items}</ul>" if items else ""


def _circumstances(record: Record) -> str:
    circumstances = record.circumstances
    libraries = ", ".join(f"{name} {v}" for name, v in sorted(circumstances.libraries.items()))
    facts = {
        "device": f"{circumstances.device} {circumstances.driver}".strip(),
        "isolation": circumstances.isolation,
        "started": f"{circumstances.started}, took {circumstances.seconds:.1f} s",
        "libraries": libraries,
        "grader": grader(record.module, circumstances.grader_version, circumstances.grader_digest),
        "submission": circumstances.submission_digest[:16],
        "seed": seeds(record),
    }
    lines = [f"{escape(name)}: {escape(value)}" for name, value in facts.items() if value]
    return f"<details><summary>How it was judged</summary>{'<br>'.join(lines)}</details>"


def prose(sentence: str) -> Markup:
    """Convert a sentence to HTML; text between backticks becomes code.

    The lines after the first one are what a compiler or a program printed: they stay as they are,
    since a caret below a line points at a column of it. LINES_STYLE is their style.
    """
    first, _, lines = sentence.partition("\n")
    html = re.sub("`([^`]+)`", r"<code>\1</code>", escape(first))
    return Markup(html + (f'<code class="hl-lines">{escape(lines)}</code>' if lines else ""))


def color_of(record: Record) -> str:
    """Return a task's color: grey if not started, green if all passed that can be measured here."""
    if verdict_words.of_task(record) == verdict_words.NOT_STARTED:
        return _GREY
    return _GOOD if verdict_words.passed_here(record) else color(record.verdict)


def color(verdict: Verdict) -> str:
    """Return a verdict's background color for white letters."""
    if verdict is Verdict.PASSED:
        return _GOOD
    return _OPEN if verdict.pending or verdict is Verdict.PARTIAL else _BAD
