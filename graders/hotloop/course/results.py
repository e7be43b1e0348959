"""Reads the results of graded submissions from the gradebook and the judge's records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotloop.core.verdict import Verdict
from hotloop.course.gradebook import read
from hotloop.course.points import by_hand
from hotloop.course.scores import Counting, ScoredNotebook, grouped, penalty, scored, whole
from hotloop.course.standing import all_dropped
from hotloop.course.worth import Worth
from hotloop.tasks.curriculum import Task, load_module
from hotloop.verdicts import words as verdict_words

_FAULT = "It could not be graded; no points are lost, and the instructor has the log."
BY_HAND = "by hand"
"""Replaces the verdict of a task that a person grades."""
DROPPED = "dropped"
"""Replaces the verdict if every attempt was dropped."""
_DROPPED = "The attempt was dropped: a new hand-in is graded, and so is this one with --again."


@dataclass(frozen=True)
class TaskResult:
    """Result of one task of one learner."""

    student: str
    module: str
    task: str
    verdict: str
    sentence: str
    points: float
    pending: float
    possible: float


@dataclass(frozen=True)
class Total:
    """Points of one submission, as in the exported CSV: minus `penalty`, for late submission."""

    student: str
    module: str
    points: float
    pending: float
    possible: float
    penalty: float


@dataclass(frozen=True)
class Graded:
    """Results of a batch. totals: of each submission, with late penalty.

    problems: what failed, and why; notes: sentences for the learner. Both are keyed by learner and
    module, as in "ada/fused_softmax".
    """

    results: list[TaskResult] = field(default_factory=list[TaskResult])
    totals: list[Total] = field(default_factory=list[Total])
    feedback: list[Path] = field(default_factory=list[Path])
    problems: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def results(
    root: Path, submissions: Sequence[tuple[str, str]], problems: Mapping[str, str]
) -> Graded:
    """Return the results of submissions, in task order. problems: as in `Graded`."""

    def within(gradebook: Any) -> Graded:
        graded = Graded(problems=dict(problems))
        counting = Counting.within(gradebook.db.connection())
        parts = [
            part
            for module in {module for _, module in submissions}
            for part in scored(gradebook, counting, module)
        ]
        entered = grouped(parts, lambda part: part.place)
        for student, module in submissions:
            graded.feedback.extend(sorted((root / "feedback" / student / module).glob("*.html")))
            notebooks = entered.get((student, module))
            if notebooks is None:
                missing = _not_graded(student, counting.worth(module))
                graded.results.extend(missing)
                possible = sum(result.possible for result in missing)
                graded.totals.append(Total(student, module, 0.0, possible, possible, 0.0))
                continue
            graded.results.extend(_of_submission(root, notebooks))
            score = whole(notebooks)
            points = (score.points, score.pending, score.possible)
            graded.totals.append(Total(student, module, *points, penalty(notebooks)))
            if (attempt := notebooks[0].attempt) is not None and attempt.notes:
                graded.notes[f"{student}/{module}"] = list(attempt.notes)
        return graded

    return read(root, within)


def _of_submission(root: Path, notebooks: Sequence[ScoredNotebook]) -> list[TaskResult]:
    grades = {grade.name: (one, grade) for one in notebooks for grade in one.grades}
    student, module = notebooks[0].place
    tasks = [task for task in load_module(module).tasks if task.id in grades]
    missing = (Verdict.JUDGE_ERROR.value, _FAULT)
    if notebooks[0].attempt is None and all_dropped(root, student, module):
        missing = (DROPPED, _DROPPED)
    return [_result(*grades[task.id], task, missing) for task in tasks]


def _result(
    notebook: ScoredNotebook, grade: Any, task: Task, missing: tuple[str, str]
) -> TaskResult:
    """Return a task's result. missing: verdict and sentence without a record."""
    record, score = notebook.record(task.id), notebook.score(grade)
    if record is not None:
        verdict = record.verdict.value
        sentence = f"{record.sentence}{verdict_words.instrumented(record)}"
    elif task.kind == "written":
        verdict, sentence = BY_HAND, by_hand(grade)
    else:
        verdict, sentence = missing
    points = (score.points, score.pending, score.possible)
    return TaskResult(notebook.student, notebook.module, task.id, verdict, sentence, *points)


def _not_graded(student: str, worth: Worth) -> list[TaskResult]:
    """Return results for a submission that nbgrader never entered into the gradebook."""
    fault = (Verdict.JUDGE_ERROR.value, _FAULT)
    return [
        TaskResult(student, worth.module, task, *fault, 0.0, possible, possible)
        for task in worth.tasks
        for possible in [worth.possible(task)]
    ]
