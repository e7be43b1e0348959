"""Judges again the versions of an open-scored task that the candidate's work log holds.

The log says when each version was the best so far. It is the candidate's own account; what a
version scores is the judge's. A line `# idea: …` in a version says what it tries.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hotloop.core import svg
from hotloop.learn.pack import work_log
from hotloop.learn.pack.work_log import LoggedVersion
from hotloop.takehome import execution
from hotloop.takehome.report import VersionReport
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.tasks.curriculum import load_module
from hotloop.verdicts import open_scale

MOST = 8
"""Versions that are judged again: the first, the last, and those with the largest gains."""

MOST_LINES = 60
"""New lines of a version that a report shows."""

_IDEA = re.compile(r"^\s*#\s*idea:\s*(.{1,200})", re.IGNORECASE)


def judged(
    submission: Submission, team: Team, on_progress: Callable[[str], None] = lambda _text: None
) -> dict[str, list[VersionReport]]:
    """Return the versions of each task by the log, judged now on inputs of their own."""
    manifest = submission.manifest
    reports: dict[str, list[VersionReport]] = {}
    for task in execution.code_tasks(manifest.module, manifest.tasks):
        chosen = choose(work_log.versions(submission.work_log, task))
        own = load_module(manifest.module).task(task).files
        before: Mapping[str, str] = {}
        for number, version in enumerate(chosen, 1):
            files = {name: text for name, text in version.files.items() if name in own}
            on_progress(f"{task}: version {number} of {len(chosen)}")
            report = _judged(submission, team, task, replace(version, files=files), before)
            reports.setdefault(task, []).append(report)
            before = files
    return reports


def choose(versions: Sequence[LoggedVersion]) -> list[LoggedVersion]:
    """Return at most MOST versions: the first, the last, and those that gained most by the log."""
    if len(versions) <= MOST:
        return list(versions)
    middle = range(1, len(versions) - 1)
    gains = sorted(middle, key=lambda at: versions[at - 1].score - versions[at].score)
    return [versions[at] for at in sorted({0, *gains[: MOST - 2], len(versions) - 1})]


def _judged(
    submission: Submission,
    team: Team,
    task: str,
    version: LoggedVersion,
    before: Mapping[str, str],
) -> VersionReport:
    files = {name: text.encode() for name, text in version.files.items()}
    work = replace(submission.work, files={**submission.work.files, **files})
    record = execution.judged(replace(submission, work=work), team, [task])[task]
    added, removed = _changes(before, version.files)
    return VersionReport(
        minutes=version.minutes,
        idea="; ".join(match[1].strip() for line in added if (match := _IDEA.match(line))),
        claimed=version.score,
        score=open_scale.score_of_record(record),
        value=open_scale.value_of(open_scale.evidence_of(record)),
        sentence=record.sentence,
        added=added[:MOST_LINES] if before else [],
        removed=removed,
    )


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[str], int]:
    """Return new lines, and how many were removed."""
    added: list[str] = []
    removed = 0
    for name, text in after.items():
        old = before.get(name, "").splitlines()
        for line in difflib.ndiff(old, text.splitlines()) if old else ():
            added += [line[2:]] if line.startswith("+ ") else []
            removed += line.startswith("- ")
        added += text.splitlines() if not old else []
    return added, removed


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 680, 260, 40, 190, 10, 34


def chart(
    versions: Sequence[VersionReport],
    marks: Mapping[str, float],
    models: Mapping[str, Sequence[float]],
) -> str:
    """Draw the versions' scores over time, with references, and scores of models alone.

    marks: scores of references by name, among them the naive program at 0 and the bound at 1.
    """
    points = [(version.minutes, version.score) for version in versions if version.score is not None]
    if not points:
        return ""
    latest = max(1.0, points[-1][0]) * 1.05
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def x(minutes: float) -> float:
        return _LEFT + (right - _LEFT) * minutes / latest

    def y(score: float) -> float:
        return bottom - (bottom - _TOP) * min(1.0, max(0.0, score))

    parts = [svg.line(_LEFT, bottom, right, bottom), svg.line(_LEFT, _TOP, _LEFT, bottom)]
    for share in (0.0, 0.5, 1.0):
        said = f"{latest * share:.0f} min"
        parts += [
            svg.text(_LEFT - 6, y(share) + 4, f"{share:g}", text_anchor="end"),
            svg.text(x(latest * share), bottom + 16, said, text_anchor="middle"),
        ]
    labels = [(score, name, svg.GRAY) for name, score in marks.items()]
    labels += [(max(all_), f"{name} alone", svg.ORANGE) for name, all_ in models.items() if all_]
    last = _HEIGHT + 0.0
    for score, name, color in sorted(labels):
        style = {"stroke": color, "stroke_dasharray": "5 4"}
        parts.append(svg.line(_LEFT, y(score), right, y(score), **style))
        # Names one above the other, where lines lie close together.
        last = min(y(score) + 4, last - 13)
        parts.append(svg.text(right + 6, last, f"{name} {score:.2f}"))
    way = f"M{x(points[0][0]):.1f} {y(points[0][1]):.1f}"
    way += "".join(f" H{x(minutes):.1f} V{y(score):.1f}" for minutes, score in points[1:])
    parts.append(svg.path(f"{way} H{right}", stroke=svg.BLUE, stroke_width=2.5))
    for number, version in enumerate(versions, 1):
        if version.score is not None:
            title = f"{number}: {version.idea or 'no idea is named'}: {version.score:.3f}"
            left, top = x(version.minutes), y(version.score)
            parts += [
                svg.circle(left, top, 4, fill=svg.BLUE, title=title),
                svg.text(left, top - 8, str(number), text_anchor="middle"),
            ]
    said = ", ".join(f"{score:.2f} after {minutes:.0f} min" for minutes, score in points)
    style = "width:100%;min-width:560px;max-width:760px;height:auto"
    label = f"The score on the open scale by the versions of the work log: {said}."
    return svg.picture(_WIDTH, _HEIGHT, parts, label, style=style)
