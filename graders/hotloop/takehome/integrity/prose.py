"""Signals from written answers: passages copied from published texts or another candidate.

Published texts are the solutions' answers, those of the question bank, and the lesson.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from hotloop.learn.bank import catalog
from hotloop.takehome import written_answers
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.integrity.similarity import Other
from hotloop.tasks import curriculum, figures, render
from hotloop.tasks.curriculum import Module
from hotloop.tasks.notebook_cells import NOTEBOOK, readable_cells

RUN = 6
"""Words in a run. Shorter runs are idioms of the subject."""

FEWEST_RUNS = 25
"""Fewest runs of an answer, without those of the exercise's text. Shorter ones match by chance."""

MODERATE, STRONG = 0.25, 0.6
"""Bounds on the share of the shorter text's runs that occur in the other text."""

MOST_OTHER_ANSWERS = 12

_WORD = re.compile(r"[^\W_]+")
_QUOTED = 40
"""Most words of the longest passage to quote."""

_PUBLISHED = (
    "These texts are public, and reading them may be allowed. Definitions are short and are put in "
    "the same words by many. Ask the candidate to explain it without the text."
)
_ANOTHERS = (
    "Both may have quoted the same source, or asked the same assistant, which your rules may "
    "allow. Compare the two answers by eye, and ask both."
)
_RATE = (
    "Published texts on different questions share at most 6 % with each other. How much honest "
    "candidates' answers share was not measured."
)

Runs = frozenset[tuple[str, ...]]


def signals(
    module: Module,
    tasks: Iterable[str],
    files: Mapping[str, bytes],
    starter: Mapping[str, bytes],
    others: Iterable[Other],
) -> list[Signal]:
    """Return signals for each written task: the most similar published text, similar answers."""
    written = [task for task in map(module.task, tasks) if task.kind == "written"]
    works = list(others) if written else []
    cells = readable_cells(starter.get(NOTEBOOK, b""))
    # A candidate may quote the exercise's text.
    quotable = runs(words("\n".join(cell.source for cell in cells if cell.kind != "code")))
    found: list[Signal] = []
    for task in written:
        own = written_answers.answer(files, starter, task)
        if own is None:
            continue
        found += _alike(task.title, own.text, quotable, published(module.id), _PUBLISHED)[:1]
        theirs = [
            (f"the answer of {other.pseudonym}", answer.text)
            for other in works
            if (answer := written_answers.answer(other.files, other.starter, task)) is not None
        ]
        found += _alike(task.title, own.text, quotable, theirs, _ANOTHERS)[:MOST_OTHER_ANSWERS]
    return found


def _alike(
    title: str, text: str, quotable: Runs, texts: Iterable[tuple[str, str]], innocent: str
) -> list[Signal]:
    """Return a signal for each text that shares MODERATE or more, the most similar first."""
    own = words(text)
    mine = runs(own) - quotable
    signals: list[tuple[float, Signal]] = []
    for what, other in texts:
        theirs = runs(words(other)) - quotable
        shorter = min(len(mine), len(theirs))
        common = mine & theirs
        if shorter >= FEWEST_RUNS and len(common) >= MODERATE * shorter:
            share = len(common) / shorter
            signals.append((share, _signal(title, what, share, _longest(own, common), innocent)))
    return [signal for _, signal in sorted(signals, key=lambda one: -one[0])]


def _signal(title: str, what: str, share: float, passage: list[str], innocent: str) -> Signal:
    return Signal(
        kind="similarity",
        strength="strong" if share >= STRONG else "moderate",
        title=f"{title}: much in the words of {what}",
        evidence=[
            f"{share:.0%} of the runs of {RUN} words of the shorter text stand in the longer one.",
            f"The longest passage: “{' '.join(passage[:_QUOTED])}”.",
        ],
        innocent=innocent,
        known_rate=_RATE,
    )


def words(text: str) -> list[str]:
    """Split into words, in lower case and without punctuation."""
    return _WORD.findall(text.lower())


def runs(text: list[str]) -> Runs:
    """Return all runs of RUN words."""
    return frozenset(tuple(text[i : i + RUN]) for i in range(len(text) - RUN + 1))


def _longest(own: list[str], common: Runs) -> list[str]:
    """Return the longest passage of `own` whose runs are all common."""
    best = (0, 0)
    start = 0
    for i in range(len(own) - RUN + 2):
        if i <= len(own) - RUN and tuple(own[i : i + RUN]) in common:
            continue
        if i > start and i - start + RUN - 1 > best[1] - best[0]:
            best = (start, i + RUN - 1)
        start = i + 1
    return own[best[0] : best[1]]


@cache
def published(module: str) -> tuple[tuple[str, str], ...]:
    """Return published texts as (description, text)."""
    return tuple(_published(module))


def _published(module: str) -> Iterator[tuple[str, str]]:
    written_tasks = [t.id for t in curriculum.load_module(module).tasks if t.kind == "written"]
    for cell in readable_cells(render.submission(module)[NOTEBOOK]):
        if cell.grade_id in written_tasks:
            yield "the published solution", cell.source
    for entry in catalog.catalog():
        question = entry.question
        text = f"{question.answer}\n{question.say}"
        yield f"the question bank's answer to “{question.title}”", text
    lesson = curriculum.folder(module) / "lesson.md"
    if lesson.is_file():
        yield "the lesson", figures.plain(lesson.read_text(encoding="utf-8"), str(lesson))
