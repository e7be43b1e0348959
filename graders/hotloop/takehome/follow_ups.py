"""Interview questions: about the candidate's own code, and from the question bank.

The bank links questions to tasks. Among a task's questions, those come first that share rare words
with the judge's messages and the candidate's code.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hotloop.learn.bank import catalog
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.takehome import code_questions
from hotloop.takehome.report import GOOD, CheckReport, FollowUp, TaskReport
from hotloop.tasks.curriculum import Module

MOST = 6
MOST_STRONG = 1
"""Most questions on tasks that went well, if others did not."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_MOST_WORDS = 4
"""Most shared words to show."""


@dataclass(frozen=True)
class _Wanted:
    """A task to ask about. lost: points of 100 that are lost or open.

    words: from failed checks and the candidate's code.
    """

    task: TaskReport
    lost: float
    weak: bool
    why: str
    words: frozenset[str]


def follow_ups(module: Module, tasks: Sequence[TaskReport]) -> list[FollowUp]:
    """Return at most MOST questions, without repeats.

    Questions on the candidate's code come first, then those from the bank on the weakest tasks,
    then one that tests whether a strong task is understood.
    """
    own = code_questions.about(tasks)
    weight = sum(task.weight for task in tasks) or 1.0
    wanted = [_wanted(task, weight) for task in tasks]
    weak = sorted((w for w in wanted if w.weak), key=lambda w: -w.lost)
    strong = sorted((w for w in wanted if not w.weak), key=lambda w: -w.task.weight)
    left = MOST - len(own)
    taken: set[str] = set()
    reserved = MOST_STRONG if weak and strong else 0
    chosen = _pick(module, weak, left - reserved, taken)
    chosen += _pick(module, strong, left - len(chosen), taken)
    return [*own, *(_follow_up(entry, why) for entry, why in chosen)]


def _wanted(task: TaskReport, weight: float) -> _Wanted:
    share = task.share.low if task.share else 0.0
    ceiling = task.share.high if task.share else 1.0
    lost = 100 * (1 - share) * task.weight / weight
    words = _words_of(task)
    if ceiling < GOOD:
        where = _named(task.failed)
        return _Wanted(task, lost, True, f"{task.title}: points were lost there{where}.", words)
    if share < GOOD:
        where = _named(c for c in task.checks if c.counted and not c.points.settled)
        why = f"{task.title}: points are still open there{where}."
        return _Wanted(task, lost / 2, True, why, words)
    why = f"{task.title}: done well. The question shows whether it is understood."
    return _Wanted(task, lost, False, why, words)


def _named(checks: Iterable[CheckReport]) -> str:
    names = ", ".join(check.check for check in checks)
    return f" ({names})" if names else ""


def _words_of(task: TaskReport) -> frozenset[str]:
    """Return the words of the first failed check's message and of the candidate's code."""
    messages = [f"{check.what} {check.sentence}" for check in task.failed[:1]]
    code = [shown.lines[n - 1] for shown in task.code for n in shown.added if n <= len(shown.lines)]
    return frozenset(_words(" ".join([*messages, *code, task.answer or ""])))


def _words(text: str) -> set[str]:
    """Return words in lower case; names with underscores also give their parts."""
    words = {word.lower() for word in _WORD.findall(text)}
    return words | {part for word in words for part in word.split("_") if len(part) > 2}


@cache
def _vocabulary() -> tuple[Mapping[str, frozenset[str]], Mapping[str, float]]:
    """Return the words of each question by key, and the rarity of each word.

    Rarity is the negated logarithm of the share of questions that contain the word.
    """
    entries = catalog.catalog()
    words: dict[str, frozenset[str]] = {}
    for entry in entries:
        question = entry.question
        texts = [question.title, question.prompt, question.answer, *question.probes]
        words[entry.key] = frozenset(_words(" ".join(texts)))
    counts = Counter(word for own in words.values() for word in own)
    return words, {word: math.log(len(entries) / count) for word, count in counts.items()}


def _pick(
    module: Module, wanted: Sequence[_Wanted], most: int, taken: set[str]
) -> list[tuple[CatalogEntry, _Wanted]]:
    """Pick one question per task in turn, so that no task takes all places."""
    queues = [(each, _ordered(module, each)) for each in wanted]
    chosen: list[tuple[CatalogEntry, _Wanted]] = []
    while any(queue for _, queue in queues):
        for each, queue in queues:
            entry = next((e for e in queue if e.key not in taken), None)
            queue[:] = [e for e in queue if e.key not in taken and e is not entry]
            if entry is None:
                continue
            if len(chosen) >= most:
                return chosen
            taken.add(entry.key)
            chosen.append((entry, each))
    return chosen


def _ordered(module: Module, each: _Wanted) -> list[CatalogEntry]:
    """Return the task's questions, those with most rare words in common first."""
    entries = catalog.related(f"{module.id}.{each.task.task}")
    return sorted(
        (entry for entry in entries if entry.module == module.id),
        key=lambda entry: -_likeness(each, entry),
    )


def _likeness(each: _Wanted, entry: CatalogEntry) -> float:
    """Return the summed rarity of shared words, divided by the root of the question's length."""
    words, rareness = _vocabulary()
    own = words[entry.key]
    return sum(rareness[word] for word in own & each.words) / math.sqrt(len(own))


def _follow_up(entry: CatalogEntry, wanted: _Wanted) -> FollowUp:
    question = entry.question
    words, rareness = _vocabulary()
    common = sorted(words[entry.key] & wanted.words, key=lambda word: (-rareness[word], word))
    shared = ", ".join(common[:_MOST_WORDS])
    return FollowUp(
        key=entry.key,
        title=question.title,
        level=question.level,
        minutes=question.minutes,
        why=f"{wanted.why} In common with it: {shared}." if shared else wanted.why,
        weak=wanted.weak,
        prompt=question.prompt,
        probes=question.probes,
        answer=question.answer,
        weak_answers=question.weak_answers,
        follow_ups=question.follow_ups,
        rubric=question.rubric,
    )
