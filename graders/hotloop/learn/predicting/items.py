"""Questions on a work: changes to its author's own lines, each with one known outcome.

A change becomes an item only if the judge reaches the same outcome with three seeds. At most two
items have no effect, so that the answer "nothing" is not a safe guess.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Annotated, Literal

from pydantic import Field

from hotloop import __version__
from hotloop.core.document import Identifier, Strict, Text
from hotloop.learn.mutation import Edit
from hotloop.learn.predicting.judges import BUDGET_S, Judges, JudgingRequest
from hotloop.learn.predicting.outcomes import JudgedPrediction, Kind, against, agreed
from hotloop.learn.predicting.own_code import Code, CodeEdit, PredictedSubmission, changes, code_of
from hotloop.learn.predicting.widths import WIDTHS, NoSuchSize, Size, judged_at

SEEDS = 3
"""How many judgings must agree."""

MOST, FEWEST = 8, 6
"""Items of a viva: with eight, 20 minutes allow two and a half for each."""

_ROOM: Mapping[Kind, int] = {"none": 2, "refused": 1}
"""Most items per outcome. Of any other outcome there are two, or four if items are too few."""

_ROOM_ELSE, _ROOM_MORE = 2, 4
_TRIED = 40
"""Most changes that are judged, over all tasks."""

_AT_ONCE = 4
"""Changes that are judged together. Which become items depends on it, but on no number of cores."""

_ENOUGH_S, _LONGEST_S = 120.0, 300.0
"""No more changes are tried after the first time if FEWEST items can be had of those that were
tried, after the second time in any case."""

_LEAST_S = 20.0
_SHOWS_AT_A_WIDTH: tuple[Kind, ...] = ("wrong", "bounds", "race")


class PredictionItem(Strict):
    """One question with its answer.

    file, cell, start, end, text: the change: characters [start, end) of the file, or of the
    notebook's cell, become `text`. line: line of the file where it begins. diff: unified. outcome:
    what three seeds agreed on. width: the smallest of WIDTHS at which the change shows; None if it
    shows at none of them or was not tested.
    """

    number: Annotated[int, Field(ge=1)]
    task: Identifier
    operator: Text
    file: Text
    cell: str
    start: int
    end: int
    text: str
    line: int
    diff: list[str]
    outcome: JudgedPrediction
    width: int | None = None

    def code(self, work: PredictedSubmission) -> Code:
        """Return the code that it changes. Raises KeyError if the work has no such code."""
        for code in code_of(work, self.task):
            if (code.file, code.cell) == (self.file, self.cell):
                return code
        raise KeyError(f"{self.file} has no code of {self.task}")

    def made_in(self, work: PredictedSubmission) -> PredictedSubmission:
        """Return the work with this change applied."""
        code = self.code(work)
        edit = Edit(self.operator, self.start, self.end, self.text)
        return work.with_text(code, edit.made_in(code.text))


class ItemSet(Strict):
    """All questions on one work.

    unchanged: the judge's outcome for the unchanged work, by task; a task on which the seeds
    disagree has no items. seeds: of the judgings. tried: number of changes judged; unclear: how
    many of these had no outcome, because seeds disagreed or the judge could not decide.
    """

    format: Literal[1] = 1
    module: Identifier
    hotloop: str
    seeds: list[str]
    unchanged: dict[Identifier, JudgedPrediction]
    tried: int
    unclear: int
    seconds: float
    items: list[PredictionItem]


Say = Callable[[str], None]


def make(work: PredictedSubmission, most: int = MOST, say: Say = lambda _text: None) -> ItemSet:
    """Make up to `most` items on a work, spread over tasks and outcomes.

    There are fewer than FEWEST if the code offers no more, or not within the time.
    """
    started = time.monotonic()
    seeds = [secrets.token_hex(16) for _ in range(SEEDS)]
    with closing(Judges()) as judges:
        search = _Search(work, seeds, judges, say, most)
        unchanged = search.begin()
        chosen = search.chosen()
    items = [item_of(number, change, outcome) for number, (change, outcome) in enumerate(chosen, 1)]
    items = [_with_width(item, work, seeds, say) for item in items]
    return ItemSet(
        module=work.module.id,
        hotloop=__version__,
        seeds=seeds,
        unchanged=unchanged,
        tried=search.tried,
        unclear=search.unclear,
        seconds=round(time.monotonic() - started, 1),
        items=items,
    )


JudgedEdit = tuple[CodeEdit, JudgedPrediction]


@dataclass
class _Search:
    """Looks for changes with a clear outcome, a few of each outcome.

    A change is judged with one seed first. With the other seeds it is judged only if items with its
    outcome are still wanted, or in the end if there would be too few items.

    last_kinds: the last outcome of each operator; its next change often has the same.
    """

    work: PredictedSubmission
    seeds: Sequence[str]
    judges: Judges
    say: Say
    most: int
    tried: int = 0
    unclear: int = 0
    unchanged: dict[str, JudgedPrediction] = field(default_factory=dict[str, JudgedPrediction])
    budgets: dict[str, float] = field(default_factory=dict[str, float])
    last_kinds: dict[tuple[str, str], Kind] = field(default_factory=dict[tuple[str, str], Kind])
    confirmed: list[JudgedEdit] = field(default_factory=list[JudgedEdit])
    spare: list[JudgedEdit] = field(default_factory=list[JudgedEdit])

    def begin(self) -> dict[str, JudgedPrediction]:
        """Judge the unchanged work; return the outcomes by task where all seeds agree."""
        for task in self.work.tasks:
            self.say(f"{task}: as it is")
            started = time.monotonic()
            requests = (JudgingRequest(self.work, task, seed) for seed in self.seeds)
            outcome = agreed(self.judges.judge(requests))
            # Limits the time of a change that never ends.
            taken = time.monotonic() - started
            self.budgets[task] = min(BUDGET_S, max(_LEAST_S, 2 * taken))
            if outcome is not None:
                self.unchanged[task] = outcome
        return self.unchanged

    def chosen(self) -> list[JudgedEdit]:
        """Return confirmed changes.

        Changes whose outcome is already frequent are used only if there would be too few items.
        """
        started = time.monotonic()
        turns = zip_longest(*(changes(self.work, task) for task in self.unchanged))
        left = [change for turn in turns for change in turn if change is not None]
        while left and len(self.confirmed) < self.most and self.tried < _TRIED:
            if self._is_enough(time.monotonic() - started):
                break
            batch = self._next(left)
            left = [change for change in left if change not in batch]
            self._try(batch)
        self._fill()
        return self.confirmed

    def _is_enough(self, passed_s: float) -> bool:
        if passed_s > _LONGEST_S:
            return True
        judged = [*self.confirmed, *self.spare]
        counts: Counter[Kind] = Counter(outcome.kind for _, outcome in judged)
        usable = sum(min(n, _ROOM.get(kind, _ROOM_MORE)) for kind, n in counts.items())
        return passed_s > _ENOUGH_S and usable >= min(FEWEST, self.most)

    def _next(self, left: Sequence[CodeEdit]) -> list[CodeEdit]:
        """Return the changes to try next: first those from which a wanted outcome is likely."""

        def is_unlikely(change: CodeEdit) -> bool:
            kind = self.last_kinds.get((change.code.task, change.edit.operator))
            is_full = kind is not None and not _has_room(kind, self.confirmed, _ROOM_ELSE)
            return is_full or _is_beside(change, self.confirmed)

        batch: list[CodeEdit] = []
        for change in sorted(left, key=is_unlikely):
            # Two changes by one operator tend to have one outcome.
            if all(change.edit.operator != other.edit.operator for other in batch):
                batch.append(change)
        return batch[: min(_AT_ONCE, _TRIED - self.tried)]

    def _try(self, batch: Sequence[CodeEdit]) -> None:
        for change in batch:
            self.say(f"{change.code.task}: {change.edit.operator}, line {change.line}")
        self.tried += len(batch)
        wanted: list[JudgedEdit] = []
        for change, [first] in zip(batch, self._judged(batch, self.seeds[:1]), strict=True):
            if first is None:
                self.unclear += 1
                continue
            self.last_kinds[change.code.task, change.edit.operator] = first.kind
            taken = [*self.confirmed, *wanted]
            is_wanted = len(taken) < self.most and _has_room(first.kind, taken, _ROOM_ELSE)
            if is_wanted and not _is_beside(change, taken):
                wanted.append((change, first))
            else:
                self.spare.append((change, first))
        self._confirm(wanted)

    def _confirm(self, wanted: Sequence[JudgedEdit]) -> None:
        """Keep the changes for which the other seeds agree with the first one."""
        others = self._judged([change for change, _ in wanted], self.seeds[1:])
        for (change, first), outcomes in zip(wanted, others, strict=True):
            clear = agreed([first, *outcomes])
            self.confirmed += [(change, clear)] if clear is not None else []
            self.unclear += clear is None

    def _fill(self) -> None:
        for change, first in self.spare:
            if len(self.confirmed) >= min(FEWEST, self.most):
                return
            if _has_room(first.kind, self.confirmed, _ROOM_MORE):
                self._confirm([(change, first)])

    def _judged(
        self, batch: Sequence[CodeEdit], seeds: Sequence[str]
    ) -> list[list[JudgedPrediction | None]]:
        """Return the outcomes of each change with these seeds, compared with the unchanged work."""
        requests = [
            JudgingRequest(
                self.work.with_text(change.code, change.text),
                change.code.task,
                seed,
                self.budgets[change.code.task],
            )
            for change in batch
            for seed in seeds
        ]
        judged = self.judges.judge(requests)
        several = [judged[at : at + len(seeds)] for at in range(0, len(judged), len(seeds))]
        return [
            [one and against(one, self.unchanged[change.code.task]) for one in outcomes]
            for change, outcomes in zip(batch, several, strict=True)
        ]


def _has_room(kind: Kind, confirmed: Sequence[JudgedEdit], room: int) -> bool:
    counts = Counter(outcome.kind for _, outcome in confirmed)
    return counts[kind] < _ROOM.get(kind, room)


def _is_beside(change: CodeEdit, confirmed: Iterable[JudgedEdit]) -> bool:
    """Return True if a change to the same line was chosen: its answer might reveal this one's."""
    return any((change.code, change.line) == (other.code, other.line) for other, _ in confirmed)


def item_of(number: int, change: CodeEdit, outcome: JudgedPrediction) -> PredictionItem:
    """Return a question on a change with this outcome."""
    return PredictionItem(
        number=number,
        task=change.code.task,
        operator=change.edit.operator,
        file=change.code.file,
        cell=change.code.cell,
        start=change.edit.start,
        end=change.edit.end,
        text=change.edit.text,
        line=change.line,
        diff=change.diff(),
        outcome=outcome,
    )


def _with_width(
    item: PredictionItem, work: PredictedSubmission, seeds: Sequence[str], say: Say
) -> PredictionItem:
    """Return the item with the smallest width at which it shows, if all seeds agree on one."""
    if item.outcome.kind not in _SHOWS_AT_A_WIDTH:
        return item
    say(f"{item.task}: at which width item {item.number} shows")
    size, changed, widths = Size(WIDTHS), item.made_in(work), set[int]()
    for seed in seeds:
        try:
            judged = judged_at(changed, item.task, size, seed)
        except NoSuchSize:
            return item
        if judged is None or judged.width is None or widths - {judged.width}:
            return item
        widths.add(judged.width)
    return item.model_copy(update={"width": widths.pop()})
