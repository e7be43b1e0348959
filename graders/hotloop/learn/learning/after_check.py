"""What comes after a check: the next task, the question that belongs to it, and what is due."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import Thread

from hotloop.core.verdict import Verdict
from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank import catalog
from hotloop.learn.learning.next_steps import NextStep, due_step, module_step, next_module
from hotloop.learn.learning.standing import ProgressOverview, TaskStanding, overview
from hotloop.learn.practice import store, verdicts
from hotloop.learn.practice.state import PracticeRecord
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.verdicts.words import NOT_STARTED


@contextmanager
def reading_ahead() -> Generator[None]:
    """Read what `steps_after` looks through while the `with` block waits for a judge."""
    reader = Thread(target=read_ahead)
    reader.start()
    try:
        yield
    finally:
        reader.join()


def read_ahead() -> None:
    """Read what `steps_after` looks through; only the first call takes time, half a second."""
    with suppress(CurriculumError, OSError):  # `steps_after` reads them again, and says it
        catalog.catalog()


def steps_after(keys: Sequence[str]) -> list[NextStep]:
    """Return what is next, from this machine's records, after tasks of one module were checked.

    keys: `module.task` of each. Records that cannot be read withhold no verdict: `hotloop progress`
    says what is wrong with them.
    """
    state = PracticeRecord()
    with suppress(CurriculumError, OSError):
        state = store.read().state
    return steps(overview(state, verdicts.read().lines, datetime.now(UTC)), state, keys)


def steps(standing: ProgressOverview, state: PracticeRecord, keys: Sequence[str]) -> list[NextStep]:
    """Return the steps. A task that was checked alone comes before the others until it is done."""
    module = standing.modules[keys[0].partition(".")[0]]
    checked = [each for each in module.graded if each.key in keys]
    found: list[NextStep] = []
    if len(checked) == 1 and _is_open(checked[0]):
        found.append(_again(checked[0]))
    else:
        following = module if not module.complete else next_module(standing, module.module.track)
        found += [] if following is None else [module_step(following)]
    found += _question(checked, state)
    return [*found, *due_step(standing)]


def _is_open(task: TaskStanding) -> bool:
    """Return whether something is left to do here: not where this machine measures none of it."""
    return not task.done and (task.last is None or task.last.verdict is not Verdict.NOT_MEASURED)


def _again(task: TaskStanding) -> NextStep:
    command = f"hotloop check {task.key}"
    files = " and ".join(name for name in task.task.files if name != NOTEBOOK)
    where = f"in {files}" if files else f"in its cell of {NOTEBOOK}"
    if task.state == NOT_STARTED:
        return NextStep(f"Write “{task.task.title}”", where, command)
    if task.last is not None and task.last.verdict.pending:
        return NextStep(f"Check “{task.task.title}” again", task.state, command)
    return NextStep(f"Go on with “{task.task.title}”", f"{where}; {task.state}", command)


def _question(checked: Sequence[TaskStanding], state: PracticeRecord) -> list[NextStep]:
    """Return the question that the tasks practice, one that was not marked yet if there is any."""
    related = [entry for task in checked for entry in catalog.related(task.key)]
    marked = {review.question for review in state.reviews}
    for entry in sorted(related, key=lambda entry: entry.key in marked):
        return [
            NextStep(
                f"Answer “{entry.question.title}”",
                f"an interviewer's question on this, {entry.question.minutes} minutes",
                f"hotloop questions show {entry.key}",
            )
        ]
    return []
