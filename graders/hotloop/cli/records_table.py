"""The judge's records as the answer of a command: a table for people, and a document."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from hotloop.core.record import Record
from hotloop.tasks.problem import JudgedTask, Score, TaskSet, settle
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.profile import Profile

Records = Mapping[str, Record]
"""By the task's name."""


def scores(
    problem: TaskSet[Any], tasks: Sequence[JudgedTask], records: Records
) -> dict[str, Score]:
    """Return what each task earned, by its name."""
    return {task.id: settle(problem, task.id, records.get(task.id)) for task in tasks}


def document(
    problem: TaskSet[Any],
    tasks: Sequence[JudgedTask],
    folder: Path,
    records: Records,
    scores: Mapping[str, Score],
) -> dict[str, Any]:
    """Return the JSON document: a row for each task, with points and record."""
    rows = [_row(task, records.get(task.id), scores[task.id]) for task in tasks]
    return {"module": problem.id, "folder": str(folder), "tasks": rows}


def failed(records: Records) -> bool:
    """Return whether a check is not right yet, or the judge failed."""
    judged = [check.verdict for record in records.values() for check in record.checks]
    return any(verdict_words.is_failure(verdict) for verdict in judged)


def table(tasks: Sequence[JudgedTask], rows: Sequence[dict[str, Any]], records: Records) -> Table:
    """Return a section for each task. rows: those of the document."""
    listed = Table("task", "check", "verdict", "points", "sentence")
    for column in listed.columns[:4]:
        column.no_wrap = True
    for task, row in zip(tasks, rows, strict=True):
        points = f"{row['points']:g} of {row['possible']:g}"
        if row["pending"]:
            points += f", {row['pending']:g} open"
        record = records.get(task.id)
        verdict = "" if record is None else verdict_words.of_task(record)
        grey = "bright_black" if verdict == verdict_words.NOT_STARTED else ""
        green = "green" if record is not None and verdict_words.passed_here(record) else ""
        sentence = Text(_first_line(row["sentence"]))
        listed.add_row(task.id, "", Text(verdict, grey or green), points, sentence, style=grey)
        if record is not None and len(record.checks) > 1 and not grey:
            _add_checks(listed, task, record)
        listed.add_section()
    return listed


def _row(task: JudgedTask, record: Record | None, score: Score) -> dict[str, Any]:
    written = "Graded by a person." if task.kind == "written" else ""
    return {
        "task": task.id,
        "verdict": record.verdict if record else None,
        "sentence": record.sentence if record else written,
        "points": score.points,
        "pending": score.pending,
        "possible": score.possible,
        "record": record.to_json() if record else None,
    }


def _add_checks(listed: Table, task: JudgedTask, record: Record) -> None:
    worth = {check.id: check.points for check in task.checks}
    for check in record.checks:
        verdict, sentence = verdict_words.of_check(check, record)
        earned = f"{worth.get(check.check, 0) * check.earned:g}"
        shown = "open" if check.verdict.pending else earned
        listed.add_row("", check.check, verdict, shown, Text(_first_line(sentence)))


def printed_lines(records: Records) -> list[Text]:
    """Return what compilers and programs printed, below each other and unwrapped.

    A table would break the lines, and a caret below a line points at a column of it.
    """
    found: list[Text] = []
    for name, record in records.items():
        sentences = dict.fromkeys([record.sentence, *(check.sentence for check in record.checks)])
        for sentence in sentences:
            if "\n" in sentence:
                found += [Text(f"{name}: {sentence}", no_wrap=True, overflow="ignore"), Text("")]
    return found


def _first_line(sentence: str) -> str:
    first, _, more = sentence.partition("\n")
    return f"{first} (all of it below)" if more else first


def profiles(records: Records) -> list[Table | Text]:
    """Show what Nsight Compute measured of each check on a GPU, or why it did not."""
    shown: list[Table | Text] = []
    for name, record in records.items():
        for check in record.checks:
            profile = Profile.of(check.evidence)
            if profile is None:
                continue
            title = f"{name}.{check.check}, Nsight Compute"
            if profile.why_not:
                shown.append(Text(f"{title}: {profile.why_not}"))
                continue
            measured = Table(*profile.columns, title=title)
            for row in profile.rows:
                measured.add_row(*row)
            shown.append(measured)
    return shown or [Text("Nothing was profiled: no check that measures GPU speed was judged.")]
