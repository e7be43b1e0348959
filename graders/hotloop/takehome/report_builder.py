"""Builds the report on a submission from the judge's records."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from hotloop import __version__
from hotloop.core.intervals import Interval, total
from hotloop.core.record import Record, counts
from hotloop.core.verdict import Verdict
from hotloop.judge.grader_digest import grader_digest
from hotloop.learn.pack.work_log import active_minutes, improvements
from hotloop.takehome import (
    assistants,
    baseline,
    code_shown,
    integrity_signals,
    quality,
    viva,
    written_answers,
)
from hotloop.takehome.follow_ups import follow_ups
from hotloop.takehome.report import (
    GOOD,
    JSON_NAME,
    TITLES,
    CheckReport,
    JudgingEnvironment,
    NotMeasured,
    Reproduction,
    SkillReport,
    SubmissionFacts,
    TakehomeReport,
    TaskReport,
    VersionReport,
    skill,
)
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.score import Points, check_score, open_points, share, weighted
from hotloop.takehome.submission import Submission, given_files
from hotloop.takehome.team import Team
from hotloop.takehome.written_answers import WrittenAnswer
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.problem import CheckEntry

_READ = "A person reads this; its points are open until the scorecard is filed."
_ELSEWHERE = (
    "The task's own cell holds no answer, but there is other text of the candidate's: a person "
    "says whether it is one. The points are open until the scorecard is filed."
)
_BLANK = "Nothing was written: the cell is as it was handed out or empty, and no text was added."
_SILENT = "Not judged yet."
_COURSES = "with the same `hotloop check` or `hotloop course grade`"


def make_report(
    submission: Submission,
    team: Team,
    records: Mapping[str, Record],
    *,
    now: datetime | None = None,
    versions: Mapping[str, list[VersionReport]] = MappingProxyType({}),
) -> TakehomeReport:
    """Build the report. Written tasks are open until their marks are filed on the scorecard.

    A task is open, too, whose record does not count: it was not judged in the pack's variant.
    versions: by task, those of the work log, judged again.
    """
    manifest = submission.manifest
    role = team.role(manifest.role)
    # The pack's module: the role may have another one by now.
    module = curriculum.load_module(manifest.module)
    starter = given_files(team, manifest)
    variant = team.variant(manifest.pack)
    records = {task: one for task, one in records.items() if counts(one, variant.digest)}
    tasks = [
        task.model_copy(update={"versions": versions.get(task.task, [])})
        for task in _tasks(submission, team, module, role, starter, records)
    ]
    digests = (record.circumstances.grader_digest for record in records.values())
    return TakehomeReport(
        made=now or datetime.now(UTC),
        pack=manifest.pack,
        pseudonym=manifest.pseudonym,
        role=manifest.role,
        title=manifest.title,
        module=module.id,
        module_title=module.title,
        submission=_facts(submission),
        score=weighted((task.share, task.weight) for task in tasks),
        judged=weighted((task.share, task.weight) for task in tasks if task.kind == "code"),
        tasks=tasks,
        skills=skills_of(tasks),
        not_measured=_open(tasks),
        environment=_environment(records),
        strengths=strengths(tasks),
        weak_spots=weak_spots(tasks),
        follow_ups=follow_ups(module, tasks),
        signals=integrity_signals.signals(submission, team, records, starter),
        assistants=assistants.use(manifest.assistants, submission.work.files),
        baselines=baseline.places(baseline.read(team, manifest.role), manifest, tasks),
        reproduce=Reproduction(
            command=f"hotloop takehome grade --verify reports/{manifest.pack}/{JSON_NAME}",
            hotloop=__version__,
            # "" if nothing was judged, as for an unreadable notebook.
            grader_digest=next(filter(None, digests), ""),
            variant=variant.digest,
        ),
        viva=viva.score_of(team, manifest.pack, submission.digest),
    )


def of_take_home(sentence: str) -> str:
    """Replace the course command in the judge's sentence by the take-home command."""
    return sentence.replace(_COURSES, "with `hotloop takehome grade`")


def skills_of(tasks: Sequence[TaskReport]) -> list[SkillReport]:
    """Return points by skill, in the order of TITLES, for skills with a counted check."""
    skills: list[SkillReport] = []
    for name, title in TITLES.items():
        checks = [(t, r) for t in tasks for r in t.checks if r.skill == name and r.counted]
        if not checks:
            continue
        points = total(check.points for _, check in checks)
        possible = sum(check.possible for _, check in checks)
        names = list(dict.fromkeys(task.task for task, _ in checks))
        skills.append(
            SkillReport(skill=name, title=title, points=points, possible=possible, tasks=names)
        )
    return skills


def _tasks(
    submission: Submission,
    team: Team,
    module: Module,
    role: TakehomeRole,
    starter: Mapping[str, bytes],
    records: Mapping[str, Record],
) -> list[TaskReport]:
    wanted = submission.manifest.tasks
    minutes = active_minutes(submission.work_log)
    reports: list[TaskReport] = []
    for task in module.tasks:
        if task.id not in wanted:
            continue
        weight, active = wanted[task.id].weight, minutes.get(task.id)
        if task.kind == "written":
            answer = written_answers.answer(submission.work.files, starter, task)
            reports.append(_written(task, weight, role, answer))
        else:
            report = _judged(task, weight, records.get(task.id), active)
            checks = quality.of_task(team, module, task)
            rubric = role.written.get(task.id, {})
            code = code_shown.of_task(task, submission.work.files, starter, report.checks)
            steps = improvements(submission.work_log, task.id)
            more = {
                "check_quality": checks,
                "rubric": rubric,
                "code": code,
                "improvements": steps,
            }
            reports.append(report.model_copy(update=more))
    return reports


def _judged(task: Task, weight: float, record: Record | None, minutes: float | None) -> TaskReport:
    checks = [_check(task, check, check_score(check, record), record) for check in task.checks]
    return TaskReport(
        task=task.id,
        title=task.title,
        goal=task.goal,
        kind="code",
        weight=weight,
        verdict=record.verdict if record else None,
        sentence=of_take_home(record.sentence) if record else _SILENT,
        points=total(check.points for check in checks),
        possible=sum(check.possible for check in checks),
        share=share(checks),
        checks=checks,
        record=record,
        active_minutes=minutes,
    )


def _written(
    task: Task, weight: float, role: TakehomeRole, answer: WrittenAnswer | None
) -> TaskReport:
    """Report a written task: an empty one earns nothing, any other is open until it is marked."""
    worth = float(task.points)
    points = open_points(worth).points if answer else Interval.exactly(0)
    sentence, verdict = _BLANK, Verdict.WRONG_ANSWER
    if answer:
        sentence = _ELSEWHERE if answer.elsewhere else _READ
        verdict = Verdict.NOT_MEASURED
    check = task.checks[0]
    return TaskReport(
        task=task.id,
        title=task.title,
        goal=task.goal,
        kind="written",
        weight=weight,
        verdict=None,
        sentence=sentence,
        points=points,
        possible=worth,
        share=points.scaled(1 / worth),
        checks=[
            CheckReport(
                check=check.id,
                what=check.asked,
                skill=skill(task, check),
                verdict=verdict,
                sentence=sentence,
                counted=True,
                points=points,
                possible=worth,
            )
        ],
        record=None,
        answer=answer.text if answer else None,
        rubric=role.written.get(task.id) or task.rubric,
    )


def _check(task: Task, check: CheckEntry, score: Points, record: Record | None) -> CheckReport:
    judged = next((c for c in (record.checks if record else ()) if c.check == check.id), None)
    sentence = _SILENT
    if record is not None:
        # A check has no verdict of its own after a judge error.
        sentence = judged.sentence if judged else record.sentence
    return CheckReport(
        check=check.id,
        what=check.asked,
        skill=skill(task, check),
        verdict=judged.verdict if judged else Verdict.NOT_MEASURED,
        sentence=of_take_home(sentence),
        counted=score.counted,
        points=score.points,
        possible=score.possible,
    )


def _facts(submission: Submission) -> SubmissionFacts:
    return SubmissionFacts(
        digest=submission.digest,
        received=submission.received,
        handed_in=list(submission.handed_in),
        altered=list(submission.altered),
        work_log=submission.work_log is not None,
        notes=list(submission.work.notes),
        other_checks=submission.manifest.grader_digest != grader_digest(submission.manifest.module),
    )


def _open(tasks: Sequence[TaskReport]) -> list[NotMeasured]:
    """Return the checks that are still undecided."""
    return [
        NotMeasured(
            task=task.task,
            check=check.check,
            verdict=check.verdict,
            sentence=check.sentence,
            points=check.possible,
        )
        for task in tasks
        for check in task.checks
        if check.counted and check.verdict.pending
    ]


def _environment(records: Mapping[str, Record]) -> JudgingEnvironment:
    """Describe the machine; libraries are those that any task used."""
    circumstances = [record.circumstances for record in records.values()]
    libraries = {name: version for one in circumstances for name, version in one.libraries.items()}
    levels = sorted({one.isolation for one in circumstances})
    return JudgingEnvironment(
        hotloop=__version__,
        device=", ".join(dict.fromkeys(one.device for one in circumstances if one.device)),
        driver=", ".join(dict.fromkeys(one.driver for one in circumstances if one.driver)),
        libraries=dict(sorted(libraries.items())),
        isolation=", ".join(levels) or "nothing was run",
        started=min((one.started for one in circumstances), default=""),
        judging_seconds=round(sum(one.seconds for one in circumstances), 1),
    )


MOST = 5
_NO_FAILURE = {verdict for verdict in Verdict if verdict.pending} | {Verdict.PASSED}


def strengths(tasks: Sequence[TaskReport]) -> list[str]:
    """Name what passed, per task and by weight, in up to `MOST` sentences.

    A sentence says whether all settled checks of the task passed, or which ones did. A check that
    does not count is no strength, and one that failed is no part of "all".
    """
    ranked: list[tuple[float, str]] = []
    for task in tasks:
        if task.kind == "written" or not task.possible:
            continue
        settled = [c for c in task.checks if c.counted and not c.verdict.pending]
        passed = [c for c in settled if c.points.low >= c.possible * GOOD]
        if not passed:
            continue
        worth = task.weight * sum(c.points.low for c in passed) / task.possible
        names = ", ".join(check.check for check in passed)
        sentence = f"{task.title}: {names} passed."
        failed = [c for c in task.checks if not c.counted and c.verdict not in _NO_FAILURE]
        if len(passed) == len(settled) and not failed:
            sentence = f"{task.title}: all that was measured passed ({names})."
        ranked.append((worth, sentence))
    ranked.sort(key=lambda pair: -pair[0])
    return [sentence for _, sentence in ranked[:MOST]]


def weak_spots(tasks: Sequence[TaskReport]) -> list[str]:
    """Name losses of points that are certain, by weight: the first such check of each task.

    Returns up to `MOST` sentences.
    """
    ranked: list[tuple[float, str]] = []
    for task in tasks:
        failed = task.failed
        if not failed:
            continue
        worth = task.weight * sum(c.possible - c.points.high for c in failed) / task.possible
        ranked.append((worth, f"{task.title} ({failed[0].check}): {failed[0].sentence}"))
    ranked.sort(key=lambda pair: -pair[0])
    return [sentence for _, sentence in ranked[:MOST]]
