"""Questions for the interview, chosen from the bank by what the report shows.

The bank ties a question to tasks, not to rungs: which rungs were lost is said beside it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hotloop.bank import catalog
from hotloop.bank.catalog import Entry
from hotloop.curriculum import Module
from hotloop.takehome.report import FollowUp, RungReport, TaskReport

MOST_WEAK = 4
MOST_STRONG = 2
_LEVELS = ("beginner", "intermediate", "advanced")
_GOOD = 0.9


@dataclass(frozen=True)
class _Wanted:
    """A task to ask about. lost: points of 100 that are lost or open there."""

    task: TaskReport
    lost: float
    weak: bool
    why: str


def follow_ups(module: Module, tasks: Sequence[TaskReport]) -> list[FollowUp]:
    """First what the weakest tasks call for, then what shows that the strong ones are understood.

    A question that fits several weak tasks comes earlier; none is asked twice.
    """
    weight = sum(task.weight for task in tasks) or 1.0
    wanted = [_wanted(task, weight) for task in tasks]
    weak = sorted((w for w in wanted if w.weak), key=lambda w: -w.lost)
    strong = sorted((w for w in wanted if not w.weak), key=lambda w: -w.task.weight)
    taken: set[str] = set()
    chosen = [
        *_pick(module, weak, MOST_WEAK, taken, hardest=False),
        *_pick(module, strong, MOST_STRONG, taken, hardest=True),
    ]
    return [_follow_up(entry, why) for entry, why in chosen]


def _wanted(task: TaskReport, weight: float) -> _Wanted:
    share = task.share.low if task.share else 0.0
    ceiling = task.share.high if task.share else 1.0
    lost = 100 * (1 - share) * task.weight / weight
    if ceiling < _GOOD:
        where = _named(r for r in task.rungs if r.counted and r.points.high < r.possible * _GOOD)
        return _Wanted(task, lost, True, f"{task.title}: points were lost there{where}.")
    if share < _GOOD:
        where = _named(r for r in task.rungs if r.counted and not r.points.settled)
        return _Wanted(task, lost / 2, True, f"{task.title}: points are still open there{where}.")
    said = f"{task.title}: done well. The question shows whether it is understood."
    return _Wanted(task, lost, False, said)


def _named(rungs: Iterable[RungReport]) -> str:
    names = ", ".join(rung.rung for rung in rungs)
    return f" ({names})" if names else ""


def _pick(
    module: Module, wanted: Sequence[_Wanted], most: int, taken: set[str], *, hardest: bool
) -> list[tuple[Entry, _Wanted]]:
    """In turn one question a task, so that no task takes all places."""
    queues = [_ordered(module, each, wanted, hardest=hardest) for each in wanted]
    chosen: list[tuple[Entry, _Wanted]] = []
    while queues and len(chosen) < most:
        for queue, each in list(zip(queues, wanted, strict=False)):
            entry = next((e for e in queue if e.key not in taken), None)
            if entry is None:
                continue
            taken.add(entry.key)
            chosen.append((entry, each))
            if len(chosen) == most:
                return chosen
        if not any(e.key not in taken for queue in queues for e in queue):
            break
    return chosen


def _ordered(
    module: Module, each: _Wanted, wanted: Iterable[_Wanted], *, hardest: bool
) -> list[Entry]:
    """The task's questions: those about more of the wanted tasks first, then by level."""
    keys = {f"{module.id}.{other.task.task}" for other in wanted}

    def place(entry: Entry) -> tuple[int, int]:
        level = _LEVELS.index(entry.question.level)
        return -len(keys & set(entry.question.links)), -level if hardest else level

    found: Iterator[Entry] = iter(catalog.related(f"{module.id}.{each.task.task}"))
    return sorted(found, key=place)


def _follow_up(entry: Entry, wanted: _Wanted) -> FollowUp:
    question = entry.question
    return FollowUp(
        key=entry.key,
        title=question.title,
        level=question.level,
        minutes=question.minutes,
        why=wanted.why,
        weak=wanted.weak,
        prompt=question.prompt,
        probes=question.probes,
        answer=question.answer,
        weak_answers=question.weak_answers,
        follow_ups=question.follow_ups,
        rubric=question.rubric,
    )
