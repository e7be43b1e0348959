"""A question on the terminal: what is asked, what is revealed. Made for 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from hotloop.bank.export.labels import LABELS as HEADINGS
from hotloop.bank.numeric import Instance
from hotloop.bank.wording import Wording
from hotloop.practice.labels import LABELS
from hotloop.practice.plan import Planned
from hotloop.practice.prose import Prose

WIDEST = 100
"""Longer lines are hard to read."""


def console(*, stderr: bool = False, as_wide: int | None = None) -> Console:
    """A console no wider than can be read."""
    made = Console(stderr=stderr, highlight=False, width=as_wide)
    made.width = min(made.width, WIDEST)
    return made


def question(
    planned: Planned, said: Wording, drawn: Instance | None, number: int, of: int
) -> Iterator[RenderableType]:
    """What is seen when the clock starts."""
    labels, headings = LABELS[said.language], HEADINGS[said.language]
    entry = planned.entry
    level = headings.levels[entry.question.level]
    before = labels.new
    if planned.standing is not None:
        mark = planned.standing.last.mark
        before = labels.again.format(times=planned.times, mark=mark)
    about = (entry.module or entry.track, level, before)
    yield Rule(labels.question.format(number=number, of=of), align="left")
    yield Text(" · ".join(about), "dim")
    yield Text(said.title, "bold")
    yield _block(said.prompt)
    if drawn is not None:
        yield Text(labels.with_numbers, "bold")
        yield _block(drawn.ask)


def revealed(
    planned: Planned, said: Wording, drawn: Instance | None, words: Iterable[str]
) -> Iterator[RenderableType]:
    """The answer and all that helps to mark one's own, but for the marks themselves."""
    labels, headings = LABELS[said.language], HEADINGS[said.language]
    entry = planned.entry
    if written := "\n".join(words):
        yield from _section(labels.your_words, [_block(written)])
    yield from _section(headings.strategy, [_listed(said.strategy, "{}.")])
    yield from _section(headings.answer, [_block(said.answer)])
    if drawn is not None:
        yield from _section(labels.number, [_block(f"{drawn.shown}. {drawn.explain}")])
    weak = [f"“{says}” {headings.reveals} {reveals}" for says, reveals in said.weak_answers]
    yield from _section(headings.weak_answers, [_listed(weak, "•")])
    yield from _section(labels.also, [_listed(said.follow_ups, "{}.")])
    if entry.question.links:
        yield Text(labels.practise.format(tasks=", ".join(entry.question.links)), "dim")
    if entry.proofs:
        yield Text(labels.proofs.format(key=entry.key), "dim")


def marks(said: Wording) -> Iterator[RenderableType]:
    """The anchors of the rubric."""
    anchors = [said.rubric[mark] for mark in range(5)]
    yield from _section(HEADINGS[said.language].rubric, [_listed(anchors, "{}", first=0)])


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _section(heading: str, parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    yield Text(heading, "bold")
    yield from parts


def _listed(texts: Iterable[str], sign: str, first: int = 1) -> RenderableType:
    rows = Table.grid(padding=(0, 1))
    rows.add_column(no_wrap=True)
    rows.add_column()
    for number, text in enumerate(texts, first):
        rows.add_row(sign.format(number), Prose(text))
    return Padding(rows, (0, 0, 1, 2))


def _block(text: str) -> RenderableType:
    return Padding(Prose(text), (0, 0, 1, 2))
