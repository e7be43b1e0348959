"""Grades a submission: first the judge's records, and then the report on them.

The two halves are apart, so that the first one, which runs a candidate's code, can do without the
team's folder, in another process or on another machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hotloop import curriculum
from hotloop.judge.client import JudgeProcess
from hotloop.judge.local import judge_submission
from hotloop.judge.record import Record, RungRecord, summarize
from hotloop.judge.verdict import Verdict
from hotloop.takehome import report_page, whole_file
from hotloop.takehome.report import HTML_NAME, JSON_NAME, Report, to_json
from hotloop.takehome.reporting import make_report
from hotloop.takehome.submission import Submission
from hotloop.takehome.team import Team
from hotloop.variants import Variant

__all__ = ["BUDGET_S", "code_tasks", "grade", "judge", "make_report", "write", "written_line"]

BUDGET_S = 180.0
"""Seconds that judging one task may take."""

Say = Callable[[str], None]


def grade(
    submission: Submission,
    team: Team,
    *,
    on_progress: Say = lambda _text: None,
    process: JudgeProcess | None = None,
) -> Report:
    """The report on a submission. Nothing is written; see `write`."""
    found = submission.manifest
    tasks = code_tasks(found.module, found.tasks)
    variant = team.variant(found.pack)
    records = judge(
        submission.files, found.module, tasks, variant, on_progress=on_progress, process=process
    )
    return make_report(submission, team, records)


def code_tasks(module: str, tasks: Iterable[str]) -> list[str]:
    """Those that the judge has a say in, in the module's order."""
    wanted = set(tasks)
    found = curriculum.load_module(module).tasks
    return [task.id for task in found if task.id in wanted and task.kind == "code"]


def judge(
    files: Mapping[str, bytes],
    module: str,
    tasks: Sequence[str],
    variant: Variant,
    *,
    on_progress: Say = lambda _text: None,
    process: JudgeProcess | None = None,
) -> dict[str, Record]:
    """The judge's records by task, in the sandbox, with inputs from a seed drawn for each task.

    What stays undecided is judged once more, by itself and with the whole time. So a work that is
    slow before it is measured makes no open points of lost ones.
    """

    def judged(tasks: Sequence[str], rungs: Sequence[str] | None = None) -> dict[str, Record]:
        return judge_submission(
            files,
            module,
            tasks,
            rungs,
            variant=variant,
            judge=process,
            on_progress=on_progress,
            budget_s=BUDGET_S,
        )

    records = judged(tasks)
    for task, record in records.items():
        undecided = [r.rung for r in record.rungs if r.verdict is Verdict.UNDECIDED]
        if undecided:
            records[task] = with_rungs(record, judged([task], undecided)[task].rungs)
    return records


def with_rungs(record: Record, later: Sequence[RungRecord]) -> Record:
    """The record with what was judged again in place of what was open."""
    again = {rung.rung: rung for rung in later}
    rungs = tuple(again.get(rung.rung, rung) for rung in record.rungs)
    verdict, sentence = summarize(rungs)
    return replace(record, rungs=rungs, verdict=verdict, sentence=sentence)


def write(report: Report, team: Team) -> tuple[Path, Path]:
    """Keep the report in the team's folder: report.json and report.html.

    report.json comes last: where it is, both are. Its digest is noted first, so that `verify` knows
    every report that was ever written here. UnknownPack when all about the candidate was deleted
    meanwhile: nothing of it comes back.
    """
    page, document = report_page.page(report).encode(), to_json(report).encode()
    digest = hashlib.sha256(document).hexdigest()
    with team.alone():
        team.pack(report.pack)
        folder = team.report_folder(report.pack)
        team.audit("judge", written_line(report.pseudonym, digest))
        whole_file.replace(folder / HTML_NAME, page, 0o600)
        whole_file.replace(folder / JSON_NAME, document, 0o600)
    return folder / JSON_NAME, folder / HTML_NAME


def written_line(pseudonym: str, digest: str) -> str:
    """What the audit log says of a report, by the SHA-256 of its report.json."""
    return f"wrote the report on {pseudonym}: {digest}"
