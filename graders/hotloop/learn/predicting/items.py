"""Questions on a work: changes to its author's own lines, each with one known outcome.

A change becomes an item only if the task is right without it, if the judge reaches the same outcome
with three seeds, and if nothing else is true of it at other sizes of the inputs. At most two items
have no effect, so that the answer "nothing" is not a safe guess.
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
from hotloop.judge.constants import constants
from hotloop.learn.mutation import Edit
from hotloop.learn.predicting.judges import BUDGET_S, Judges, JudgingRequest
from hotloop.learn.predicting.outcomes import WORDS, JudgedPrediction, Kind, against, agreed
from hotloop.learn.predicting.own_code import Code, CodeEdit, PredictedSubmission, changes, code_of
from hotloop.learn.predicting.survey import (
    SIZES,
    SURVEY_S,
    AtSize,
    SizedOutcome,
    kinds_of,
    padded,
    surveyed,
)
from hotloop.learn.predicting.widths import ROWS, Size

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

SECONDS = 240.0
"""How long making items may take, if no judging takes longer than those before it."""

_ENOUGH = 0.5
"""Share of the time after which no more changes are tried if FEWEST items are there."""

_UNCHANGED = 0.5
"""Share of the time after which no further task is judged as it is."""

_LEAST_S = 20.0
_SURVEYED = 2
"""Seeds with which a change is judged at several sizes."""

_SHOWS_AT_A_WIDTH: tuple[Kind, ...] = ("wrong", "bounds", "race")
_NO_SIZES: tuple[Kind, ...] = ("stuck", "refused")
"""Outcomes whose judging at several sizes would wait, or say the same at each."""


class PredictionItem(Strict):
    """One question with its answer.

    file, cell, start, end, text: the change: characters [start, end) of the file, or of the
    notebook's cell, become `text`. line: line of the file where it begins. diff: unified. outcome:
    what three seeds agreed on. width: the smallest of WIDTHS at which the change shows; None if it
    shows at none of them or was not tested. sizes: outcomes at other sizes of the inputs.
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
    sizes: list[SizedOutcome] = Field(default_factory=list[SizedOutcome])

    @property
    def follow_up(self) -> SizedOutcome | None:
        """The size to ask about next: one at which it does not show, or the smallest."""
        others = [one for one in self.sizes if one.kind == "none"]
        return next(iter([*others, *self.sizes]), None) if self.outcome.kind != "none" else None

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

    unchanged: the judge's outcome for the unchanged work, by task. left_out: why a task has no
    items, such as that it is wrong as it is. seeds: of the judgings. tried: number of changes
    judged; unclear: how many of these had no outcome, because seeds disagreed, the judge could not
    decide, or several outcomes are true.
    """

    format: Literal[1] = 1
    module: Identifier
    hotloop: str
    seeds: list[str]
    unchanged: dict[Identifier, JudgedPrediction]
    left_out: dict[Identifier, Text] = Field(default_factory=dict[Identifier, Text])
    tried: int
    unclear: int
    seconds: float
    items: list[PredictionItem]


Say = Callable[[str], None]


def make(
    work: PredictedSubmission,
    most: int = MOST,
    say: Say = lambda _text: None,
    seconds: float = SECONDS,
) -> ItemSet:
    """Make up to `most` items on a work, spread over tasks and outcomes.

    There are fewer than FEWEST if the code offers no more, or not within the time.
    """
    started = time.monotonic()
    seeds = [secrets.token_hex(16) for _ in range(SEEDS)]
    with closing(Judges()) as judges:
        search = _Search(work, seeds, judges, say, most, started, seconds)
        search.begin()
        chosen = search.chosen()
    items = [
        item_of(number, change, outcome).model_copy(update=_sized(outcome, sizes))
        for number, (change, outcome, sizes) in enumerate(chosen, 1)
    ]
    return ItemSet(
        module=work.module.id,
        hotloop=__version__,
        seeds=seeds,
        unchanged=search.unchanged,
        left_out=search.left_out,
        tried=search.tried,
        unclear=search.unclear,
        seconds=round(time.monotonic() - started, 1),
        items=items,
    )


JudgedEdit = tuple[CodeEdit, JudgedPrediction]
ConfirmedEdit = tuple[CodeEdit, JudgedPrediction, Sequence[SizedOutcome]]


def _sized(outcome: JudgedPrediction, sizes: Sequence[SizedOutcome]) -> Mapping[str, object]:
    shows = [one.columns for one in sizes if one.kind == outcome.kind and one.rows == ROWS]
    is_wide = outcome.kind in _SHOWS_AT_A_WIDTH and shows
    return {"width": min(shows) if is_wide else None, "sizes": list(sizes)}


@dataclass
class _Search:
    """Looks for changes with a clear outcome, a few of each outcome.

    A change is judged with one seed first. With the other seeds and at other sizes it is judged
    only if items with its outcome are still wanted, or in the end if there would be too few items.

    offered: all changes by task. plain: outcomes of the unchanged work, for each seed. surveys: the
    same at other sizes. budgets, survey_budgets: time limits of one judging, and of one at all
    sizes. last_kinds: the last outcome of each operator; its next change often has the same.
    longest_s: that trying a few changes took so far.
    """

    work: PredictedSubmission
    seeds: Sequence[str]
    judges: Judges
    say: Say
    most: int
    started: float
    seconds: float
    tried: int = 0
    unclear: int = 0
    longest_s: float = 0.0
    unchanged: dict[str, JudgedPrediction] = field(default_factory=dict[str, JudgedPrediction])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    plain: dict[str, Sequence[JudgedPrediction]] = field(
        default_factory=dict[str, Sequence[JudgedPrediction]]
    )
    offered: dict[str, Sequence[CodeEdit]] = field(default_factory=dict[str, Sequence[CodeEdit]])
    surveys: dict[str, Sequence[Sequence[AtSize]]] = field(
        default_factory=dict[str, Sequence[Sequence[AtSize]]]
    )
    budgets: dict[str, float] = field(default_factory=dict[str, float])
    survey_budgets: dict[str, float] = field(default_factory=dict[str, float])
    last_kinds: dict[tuple[str, str], Kind] = field(default_factory=dict[tuple[str, str], Kind])
    confirmed: list[ConfirmedEdit] = field(default_factory=list[ConfirmedEdit])
    spare: list[JudgedEdit] = field(default_factory=list[JudgedEdit])

    @property
    def passed_s(self) -> float:
        """Seconds since making began."""
        return time.monotonic() - self.started

    def _tell(self, text: str) -> None:
        done = f"{len(self.confirmed)} of {self.most} questions"
        self.say(f"{self.passed_s:.0f} of {self.seconds:.0f} s, {done}; {text}")

    def begin(self) -> None:
        """Judge the unchanged work. A task that is not right with every seed has no items."""
        for task in self.work.tasks:
            self.offered[task] = changes(self.work, task)
            if not self.offered[task]:
                self.left_out[task] = "There is no code of its own that could be changed."
                continue
            if self.passed_s > self.seconds * _UNCHANGED:
                self.left_out[task] = "There was no time left to judge it."
                continue
            self._tell(f"{task}: as it is")
            started = time.monotonic()
            requests = (JudgingRequest(self.work, task, seed) for seed in self.seeds)
            judged = self.judges.judge(requests)
            outcome = agreed(judged)
            # Limits the time of a change that never ends.
            taken = time.monotonic() - started
            self.budgets[task] = min(BUDGET_S, max(_LEAST_S, 2 * taken))
            if outcome is None:
                self.left_out[task] = "The judge came to no verdict on it, or to several."
                continue
            self.unchanged[task] = outcome
            if outcome.is_right:
                self.plain[task] = [one for one in judged if one is not None]
            else:
                words = WORDS[outcome.kind]
                self.left_out[task] = f"As it is, it is not right ({words}): {outcome.sentence}"

    def chosen(self) -> list[ConfirmedEdit]:
        """Return confirmed changes.

        Changes whose outcome is already frequent are used only if there would be too few items.
        """
        turns = zip_longest(*(self.offered[task] for task in self.plain))
        left = [change for turn in turns for change in turn if change is not None]
        while left and len(self.confirmed) < self.most and self.tried < _TRIED:
            if self._is_enough():
                break
            batch = self._next(left)
            left = [change for change in left if change not in batch]
            began = self.passed_s
            self._try(batch)
            self.longest_s = max(self.longest_s, self.passed_s - began)
        self._fill()
        return self.confirmed

    def _is_enough(self) -> bool:
        """Return whether no more changes are tried: half of the time has passed, and there are
        enough, or what was tried last would not end in time.
        """
        has_enough = len(self.confirmed) >= min(FEWEST, self.most)
        return self._is_late or (has_enough and self.passed_s > self.seconds * _ENOUGH)

    @property
    def _is_late(self) -> bool:
        return self.passed_s + self.longest_s > self.seconds

    def _next(self, left: Sequence[CodeEdit]) -> list[CodeEdit]:
        """Return the changes to try next: first those from which a wanted outcome is likely."""
        edits = self._edits()

        def is_unlikely(change: CodeEdit) -> bool:
            kind = self.last_kinds.get((change.code.task, change.edit.operator))
            is_full = kind is not None and not _has_room(kind, edits, _ROOM_ELSE)
            return is_full or _is_beside(change, edits)

        batch: list[CodeEdit] = []
        for change in sorted(left, key=is_unlikely):
            # Two changes by one operator tend to have one outcome.
            if all(change.edit.operator != other.edit.operator for other in batch):
                batch.append(change)
        return batch[: min(_AT_ONCE, _TRIED - self.tried)]

    def _try(self, batch: Sequence[CodeEdit]) -> None:
        for change in batch:
            self._tell(f"{change.code.task}: {change.edit.operator}, line {change.line}")
        self.tried += len(batch)
        wanted: list[JudgedEdit] = []
        for change, [first] in zip(batch, self._judged(batch, self.seeds[:1]), strict=True):
            if first is None:
                self.unclear += 1
                continue
            self.last_kinds[change.code.task, change.edit.operator] = first.kind
            taken = [*self._edits(), *wanted]
            is_wanted = len(taken) < self.most and _has_room(first.kind, taken, _ROOM_ELSE)
            if is_wanted and not _is_beside(change, taken):
                wanted.append((change, first))
            else:
                self.spare.append((change, first))
        self._confirm(wanted)

    def _edits(self) -> list[JudgedEdit]:
        return [(change, outcome) for change, outcome, _ in self.confirmed]

    def _confirm(self, wanted: Sequence[JudgedEdit]) -> None:
        """Keep the changes for which the other seeds agree with the first one, and other sizes."""
        before = len(self.confirmed)
        others = self._judged([change for change, _ in wanted], self.seeds[1:])
        agree: list[JudgedEdit] = []
        for (change, first), outcomes in zip(wanted, others, strict=True):
            clear = agreed([first, *outcomes])
            agree += [(change, clear)] if clear is not None else []
        for (change, clear), sizes in zip(agree, self._at_sizes(agree), strict=True):
            self.confirmed += [(change, clear, sizes)] if sizes is not None else []
        self.unclear += len(wanted) - (len(self.confirmed) - before)

    def _fill(self) -> None:
        for change, first in self.spare:
            if len(self.confirmed) >= min(FEWEST, self.most) or self._is_late:
                return
            if _has_room(first.kind, self._edits(), _ROOM_MORE):
                self._confirm([(change, first)])

    def _at_sizes(self, agree: Sequence[JudgedEdit]) -> list[Sequence[SizedOutcome] | None]:
        """Return the outcomes at other sizes; None for a change of which several are true."""
        asked = [(change, clear) for change, clear in agree if clear.kind not in _NO_SIZES]
        for task in dict.fromkeys(change.code.task for change, _ in asked):
            if task not in self.surveys:
                self._tell(f"{task}: as it is, at other sizes")
                started = time.monotonic()
                self.surveys[task] = self._surveyed([(self.work, task)])[0]
                taken = time.monotonic() - started
                self.survey_budgets[task] = min(SURVEY_S, max(_LEAST_S, 2 * taken))
        if asked:
            self._tell(f"{len(asked)} changes at other sizes")
        works = [
            (self.work.with_text(change.code, change.text), change.code.task) for change, _ in asked
        ]
        found = dict(zip((change.id for change, _ in asked), self._surveyed(works), strict=True))
        return [
            self._sizes(change, clear, found[change.id]) if change.id in found else []
            for change, clear in agree
        ]

    def _surveyed(
        self, works: Sequence[tuple[PredictedSubmission, str]]
    ) -> list[list[list[AtSize]]]:
        seeds = self.seeds[:_SURVEYED]
        variant = self.work.variant
        # Each survey sets them and sets them back, while others are running.
        with constants({} if variant is None else variant.constants):
            flat = self.judges.each(
                lambda one: surveyed(*one),
                [
                    (work, task, seed, SIZES, self.survey_budgets.get(task, SURVEY_S))
                    for work, task in works
                    for seed in seeds
                ],
            )
        return [flat[at : at + len(seeds)] for at in range(0, len(flat), len(seeds))]

    def _sizes(
        self, change: CodeEdit, clear: JudgedPrediction, found: Sequence[Sequence[AtSize]]
    ) -> Sequence[SizedOutcome] | None:
        plain = self.surveys[change.code.task]
        by_seed = [kinds_of(clear.kind, *both) for both in zip(found, plain, strict=True)]
        if any(kinds - {clear.kind} for kinds, _ in by_seed):
            return None
        pairs = (
            each for both in zip(found, plain, strict=True) for each in zip(*both, strict=True)
        )
        if any(mine.outcome is None and before.outcome is not None for mine, before in pairs):
            return None
        outcomes = list(zip(*(one for _, one in by_seed), strict=True))
        if clear.kind == "none" and any(None in one for one in outcomes):
            return None
        if clear.kind == "bounds" and outcomes and self._hides_more(change):
            return None
        if clear.kind != "none" and not any(clear.kind in one for one in outcomes):
            # It depends on the values, such as rows of -inf, and these have none.
            return []
        return [
            SizedOutcome(columns=size.columns[0], rows=size.rows, kind=kind)
            for size, (kind, *others) in zip(SIZES, outcomes, strict=False)
            if kind is not None and all(other == kind for other in others)
        ]

    def _hides_more(self, change: CodeEdit) -> bool:
        """Return whether there is a race, too, which the end of the run keeps from showing."""
        text = padded(change.text) if change.code.file.endswith((".cu", ".cpp")) else change.text
        if text == change.text:
            return False
        work = self.work.with_text(change.code, text)
        [found] = surveyed(work, change.code.task, self.seeds[0], [Size((1000,))])
        kinds = {*found.kinds, found.outcome.kind if found.outcome else "none"}
        return bool(kinds & {"race", "stuck"})

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
        places = [self.seeds.index(seed) for seed in seeds]
        return [
            [
                one and against(one, self.plain[change.code.task][place])
                for one, place in zip(outcomes, places, strict=True)
            ]
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
