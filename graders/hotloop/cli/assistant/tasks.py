"""Tools about modules and tasks: list them, read a lesson, check an answer, give a hint."""

import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from hotloop.cli import check as check_command
from hotloop.cli import find
from hotloop.cli.assistant import lesson, results
from hotloop.cli.practice_page import practice_record
from hotloop.core.document import Identifier
from hotloop.core.record import NOT_REACHED, CheckRecord, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.learn.bank import catalog
from hotloop.learn.learning.next_steps import steps
from hotloop.learn.learning.standing import ModuleStanding, ProgressOverview, TaskStanding, overview
from hotloop.learn.pack import MANIFEST
from hotloop.learn.practice import hints, verdicts
from hotloop.tasks.curriculum import Module, Task, TaskKey
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.meanings import MEANINGS

ModuleId = Annotated[Identifier, Field(description="A module's id, such as first_kernels.")]
Key = Annotated[TaskKey, Field(description="A task: module.task, such as first_kernels.axpy.")]

_MOST_STEPS = 3


class TaskTools:
    """The tools. folder: with the learner's modules, or that of one module."""

    def __init__(self, folder: Path) -> None:
        require_no_pack(folder)
        self._folder = folder
        self._records: dict[str, tuple[Record, datetime]] = {}
        self._judging = threading.Lock()

    def list_modules(
        self,
        track: Annotated[
            Identifier | None, Field(description="Only this track's; all if not given.")
        ] = None,
    ) -> results.Modules:
        """List the modules with the learner's state in each, and what to do next."""
        if track is not None:
            find.track(track)
        standing = _standing()
        rows = [
            _module(each)
            for each in standing.modules.values()
            if track in (None, each.module.track)
        ]
        next_ = [
            results.Step(what=step.what, why=step.why, command=step.command)
            for step in steps(standing, track)[:_MOST_STEPS]
        ]
        return results.Modules(modules=rows, next=next_, questions_due=standing.due)

    def list_tasks(self, module: ModuleId) -> results.Tasks:
        """List a module's tasks with the learner's state in each."""
        chosen = find.module(module)
        rows = [_row(each) for each in _standing().modules[module].tasks]
        return results.Tasks(module=module, title=chosen.title, summary=chosen.summary, tasks=rows)

    def read_lesson(
        self,
        module: ModuleId,
        section: Annotated[
            int | None,
            Field(ge=0, description="The number of a section; without it, they are listed."),
        ] = None,
    ) -> results.Lesson:
        """List the sections of a module's lesson, or read one of them."""
        found = lesson.sections(find.module(module).id)
        if section is not None and section >= len(found):
            raise UserError(f"{module}'s lesson has the sections 0 to {len(found) - 1}.")
        listed = range(len(found)) if section is None else [section]
        return results.Lesson(
            module=module,
            sections=[results.Section(number=at, heading=found[at][0]) for at in listed],
            text="" if section is None else found[section][1],
        )

    def task_state(self, task: Key) -> results.TaskState:
        """Return what a task asks, where the learner writes it, and the learner's state in it.

        It includes the hints that were given so far, and no other one.
        """
        module, chosen = _find(task)
        standing = next(each for each in _standing().modules[module.id].tasks if each.key == task)
        folder = self._work_folder(module.id)
        return results.TaskState(
            task=_row(standing),
            goal=chosen.goal,
            entry=chosen.entry,
            files=chosen.files,
            folder=str(folder),
            started=(folder / NOTEBOOK).is_file(),
            builds_on=[f"{module.id}.{name}" for name in chosen.builds_on],
            checks=[
                results.AskedCheck(
                    id=each.id, asked=each.asked, points=each.points, needs_gpu=each.needs_gpu
                )
                for each in chosen.checks
            ],
            hints=chosen.hints[: hints.count(task)],
            hints_of=len(chosen.hints),
            questions=[
                results.Question(key=entry.key, title=entry.question.title)
                for entry in catalog.related(task)
            ],
        )

    def check(self, task: Key) -> results.TaskVerdict:
        """Judge the learner's answer to a task as it is saved in their folder.

        The same as `hotloop check` there; it takes seconds to minutes. It judges nothing else: no
        code can be passed to it.
        """
        module, _ = _find(task)
        require_no_pack(self._work_folder(module.id))
        with self._judging:
            [row] = check_command.run(task, self._folder).document["tasks"]
        record = Record.from_json(row["record"])
        self._records[task] = record, datetime.now(UTC)
        return results.TaskVerdict(
            task=task,
            verdict=verdict_words.of_task(record),
            sentence=record.sentence,
            points=row["points"],
            pending=row["pending"],
            possible=row["possible"],
            seconds=record.circumstances.seconds,
            checks=[_check(each, record, module) for each in record.checks],
        )

    def explain_verdict(self, task: Key) -> results.Explanation:
        """Explain the last verdict on a task: what it means, what was measured, what to do next."""
        module, chosen = _find(task)
        last = verdicts.latest(verdicts.read().lines).get(task)
        if task in self._records:
            record, at = self._records[task]
            if last is None or last.at <= at:
                return _explanation(record, module, chosen)
        if last is None:
            raise UserError(f"{task} was not checked yet: check it first.")
        return results.Explanation(
            task=task,
            verdict=last.words,
            meaning=MEANINGS[last.verdict],
            sentence="",
            not_passed=[],
            next=["Check it again: only the verdict of an earlier check is kept, not its details."],
        )

    def next_hint(self, task: Key) -> results.Hint:
        """Give the next hint on a task, in order: a nudge, the approach, the structure.

        After the first hint, another one is given only once the task was checked again, if the
        judge grades it. Call it only if the learner asks for a hint.
        """
        _, chosen = _find(task)
        checks = verdicts.read().lines if chosen.kind == "code" else None
        number = hints.take(task, len(chosen.hints), checks, datetime.now(UTC))
        return results.Hint(number=number, of=len(chosen.hints), text=chosen.hints[number - 1])

    def _work_folder(self, module: str) -> Path:
        return self._folder if (self._folder / NOTEBOOK).is_file() else self._folder / module


def require_no_pack(folder: Path) -> None:
    """Raise UserError if the folder is a take-home exercise, in which candidates get no hints."""
    if (folder / MANIFEST).is_file():
        raise UserError(
            f"{folder} is a take-home exercise: `hotloop mcp` is for the curriculum's modules. "
            "The team that sent it says which assistants you may use."
        )


def _standing() -> ProgressOverview:
    return overview(practice_record(), verdicts.read().lines, datetime.now(UTC))


def _find(task: str) -> tuple[Module, Task]:
    module, [chosen] = find.tasks(task)
    return module, chosen


def _module(standing: ModuleStanding) -> results.ModuleRow:
    module = standing.module
    return results.ModuleRow(
        id=module.id,
        title=module.title,
        track=module.track,
        tier=module.tier,
        minutes=module.minutes,
        level=standing.level,
        tasks_done=standing.done,
        tasks_graded=len(standing.graded),
        questions_due=standing.questions.due,
    )


def _row(standing: TaskStanding) -> results.TaskRow:
    task, last = standing.task, standing.last
    return results.TaskRow(
        key=standing.key,
        title=task.title,
        kind=task.kind,
        minutes=task.minutes,
        possible=task.points,
        state="not checked" if last is None else last.words,
        done=standing.done,
        points=0 if last is None else last.points,
        pending=0 if last is None else last.pending,
    )


def _check(check: CheckRecord, record: Record, module: Module) -> results.CheckVerdict:
    verdict, sentence = verdict_words.of_check(check, record)
    possible = {each.id: each.points for each in module.task(record.task).checks}[check.check]
    return results.CheckVerdict(
        check=check.check,
        verdict=verdict,
        sentence=sentence,
        points=possible * check.earned,
        possible=possible,
    )


def _explanation(record: Record, module: Module, task: Task) -> results.Explanation:
    asked = {each.id: each.asked for each in task.checks}
    verdict = verdict_words.of_task(record)
    untouched = verdict == verdict_words.NOT_STARTED
    not_passed = [each for each in record.checks if each.verdict is not Verdict.PASSED]
    return results.Explanation(
        task=f"{module.id}.{task.id}",
        verdict=verdict,
        meaning="Nothing was written yet." if untouched else MEANINGS[record.verdict],
        sentence=record.sentence,
        not_passed=[] if untouched else [_not_passed(e, record, asked) for e in not_passed],
        next=list(_next(record, module, task)),
    )


def _not_passed(
    check: CheckRecord, record: Record, asked: Mapping[str, str]
) -> results.CheckExplanation:
    skipped = check.sentence.startswith(NOT_REACHED)
    return results.CheckExplanation(
        check=check.check,
        verdict=verdict_words.of_check(check, record)[0],
        meaning="" if skipped else MEANINGS[check.verdict],
        asked=asked[check.check],
        sentence=check.sentence,
        evidence=dict(check.evidence),
    )


def _next(record: Record, module: Module, task: Task) -> Iterator[str]:
    key = f"{module.id}.{task.id}"
    failed = next((each for each in record.checks if verdict_words.is_failure(each.verdict)), None)
    if verdict_words.of_task(record) == verdict_words.NOT_STARTED:
        yield f"Write it in {' and '.join(task.files)}, at `### TASK {key}`, save, check again."
        return
    if failed is not None:
        yield f"Fix what `{failed.check}` found first; later checks may depend on it."
        if reproduce := verdict_words.how_to_reproduce(record):
            yield reproduce
        return
    place = [each.id for each in module.tasks].index(task.id)
    if later := module.tasks[place + 1 :]:
        yield f"Go on with {module.id}.{later[0].id}: {later[0].title}."
    for entry in catalog.related(key):
        yield f"Practice the question {entry.key}: {entry.question.title}"
