"""What comes after a check: the next task, the question that belongs to it, and what is due."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank import catalog
from hotloop.learn.learning.next_steps import NextStep, due_step, module_step, next_module
from hotloop.learn.learning.standing import ProgressOverview, TaskStanding, overview
from hotloop.learn.practice import store, verdicts
from hotloop.learn.practice.state import PracticeRecord


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
    """Return the steps; a task that was checked alone and is not done is not proposed again."""
    module = standing.modules[keys[0].partition(".")[0]]
    checked = [each for each in module.graded if each.key in keys]
    found: list[NextStep] = []
    if len(checked) != 1 or checked[0].done:
        following = module if not module.complete else next_module(standing, module.module.track)
        found += [] if following is None else [module_step(following)]
    found += _question(checked, state)
    return [*found, *due_step(standing)]


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
