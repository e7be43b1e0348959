"""Grades a report's submission again and checks whether the verdicts hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from hotloop.core.document import Strict
from hotloop.core.intervals import Interval
from hotloop.core.record import CheckRecord
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.takehome import execution
from hotloop.takehome.report import TakehomeReport, TaskReport
from hotloop.takehome.report_builder import make_report, of_take_home
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.score import earned
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import Team

Standing = Literal["holds", "differs", "newly_settled", "open"]


class VerifyError(UserError):
    """The data for verification is missing. The text is one sentence."""


class CheckComparison(Strict):
    """One check, then and now. Standing "open": it was settled but is not decided now."""

    task: str
    check: str
    standing: Standing
    then: Verdict
    now: Verdict
    sentence: str


class Verification(Strict):
    """Result of a verification. holds: no settled verdict has changed and nothing was altered.

    altered: parts of the report that do not follow from its records. same_grader: whether the
    judge's code is unchanged. then, now: the scores.
    """

    holds: bool
    same_grader: bool
    altered: list[str]
    checks: list[CheckComparison]
    then: Interval
    now: Interval


def find_submission(report: TakehomeReport, team: Team) -> Submission:
    """Return the report's submission from the team's folder. Raises VerifyError if it is gone."""
    for path in team.submissions(report.pack):
        if path.stem == report.submission.digest:
            return open_submission(path, team, received=report.submission.received)
    raise VerifyError(
        f"The submission {report.submission.digest[:16]}… is not in this team's folder any more."
    )


def find_team(report: Path) -> Path:
    """Return the team's folder that contains a report."""
    return report.resolve().parent.parent.parent


def verify(
    report: TakehomeReport,
    team: Team,
    *,
    file: Path | None = None,
    jobs: int = 1,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> Verification:
    """Judge everything again, with new secret inputs.

    file: the report's file, if it was read from one; it is compared with the audit log, because
    records and derived values could be changed consistently, and open checks cannot be judged
    again. jobs: tasks to judge at once.
    """
    submission = find_submission(report, team)
    tasks = [task.task for task in report.tasks]
    records = execution.judged(submission, team, tasks, jobs=jobs, on_progress=on_progress)
    again = make_report(submission, team, records)
    altered = [
        *(OwnReports(team).altered(report.pseudonym, file) if file else []),
        *_altered(report, make_report(submission, team, report.records())),
    ]
    return verdict(report, again, altered)


def verdict(report: TakehomeReport, again: TakehomeReport, altered: list[str]) -> Verification:
    """Compare a report with one made from a second grading."""
    now = {
        (task, check.check): check
        for task, record in again.records().items()
        for check in record.checks
    }
    checks = [
        _check(task, check, now.get((task, check.check)))
        for task, record in report.records().items()
        for check in record.checks
    ]
    return Verification(
        holds=not altered and all(check.standing != "differs" for check in checks),
        same_grader=report.reproduce.grader_digest == again.reproduce.grader_digest,
        altered=altered,
        checks=checks,
        then=report.score,
        now=again.score,
    )


def _check(task: str, then: CheckRecord, now: CheckRecord | None) -> CheckComparison:
    return CheckComparison(
        task=task,
        check=then.check,
        standing=_standing(then, now),
        then=then.verdict,
        now=now.verdict if now else Verdict.NOT_MEASURED,
        sentence=of_take_home(now.sentence) if now else "The judge says nothing of it now.",
    )


def _standing(then: CheckRecord, now: CheckRecord | None) -> Standing:
    """Compare a check's results then and now.

    A check holds if its point intervals overlap: a speed near a level may fall on either side of
    it. The kind of failure may change with the secret inputs: a different wrong answer still holds.
    """
    if now is None or now.verdict.pending:
        return "open"
    if then.verdict.pending:
        return "newly_settled"
    if _tampers(then) != _tampers(now):
        return "differs"
    return "holds" if earned(then).overlaps(earned(now)) else "differs"


def _tampers(check: CheckRecord) -> bool:
    return check.verdict in {Verdict.TAMPERED, Verdict.IMPLAUSIBLE}


def _altered(report: TakehomeReport, derived: TakehomeReport) -> list[str]:
    """List differences between a report and one derived again from its records.

    Changes to either the records or the derived values are detected.
    """
    differences: list[str] = []
    if _about(report) != _about(derived):
        differences.append("candidate, role, module or submission are not those of the pack")
    if not _same(report.score, derived.score) or not _same(report.judged, derived.judged):
        differences.append("the score does not follow from the records")
    if [task.task for task in report.tasks] != [task.task for task in derived.tasks]:
        return [*differences, "its tasks are not those of the pack"]
    for task, other in zip(report.tasks, derived.tasks, strict=True):
        if not _same_task(task, other):
            differences.append(f"{task.task}: verdict or points do not follow from the record")
        if task.answer != other.answer:
            differences.append(f"{task.task}: the answer is not the one that was handed in")
        if task.record is not None and task.record.module != report.module:
            differences.append(f"{task.task}: its record is about {task.record.module}")
    return differences


def _about(report: TakehomeReport) -> tuple[object, ...]:
    facts = report.submission
    pack = (report.pack, report.pseudonym, report.role, report.module, report.reproduce.variant)
    return (*pack, facts.digest, facts.handed_in, facts.altered, facts.work_log)


def _same_task(task: TaskReport, other: TaskReport) -> bool:
    if (task.kind, task.weight, task.verdict) != (other.kind, other.weight, other.verdict):
        return False
    if not _same(task.points, other.points) or abs(task.possible - other.possible) > 1e-6:
        return False
    if [check.check for check in task.checks] != [check.check for check in other.checks]:
        return False
    return all(
        (a.verdict, a.counted, of_take_home(a.sentence)) == (b.verdict, b.counted, b.sentence)
        and _same(a.points, b.points)
        and abs(a.possible - b.possible) < 1e-6
        for a, b in zip(task.checks, other.checks, strict=True)
    )


def _same(first: Interval, second: Interval) -> bool:
    return abs(first.low - second.low) < 1e-6 and abs(first.high - second.high) < 1e-6
