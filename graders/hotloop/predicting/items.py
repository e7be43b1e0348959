"""Questions on a work: changes to its author's own lines, each with one known outcome.

A change becomes an item only if the judge reaches the same outcome with three seeds. At most two
items have no effect, so that the answer "nothing" is not a safe guess.
"""

import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from hotloop import __version__
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.local_judging import judge_folder
from hotloop.mutation import Edit
from hotloop.predicting.outcomes import Kind, Outcome, against, agreed, outcome
from hotloop.predicting.own_code import Change, Code, Work, changes, code_of
from hotloop.predicting.widths import WIDTHS, NoSuchSize, Size, judged_at
from hotloop.problem import Identifier, Strict, Text

SEEDS = 3
"""How many judgings must agree."""

MOST, FEWEST = 8, 6
"""Items of a viva: with eight, 20 minutes allow two and a half for each."""

_ROOM: Mapping[Kind, int] = {"none": 2, "refused": 1}
"""Most items per outcome. Of any other outcome there are two, or four if items are too few."""

_ROOM_ELSE, _ROOM_MORE = 2, 4
_TRIED = 40
"""Most changes that are judged, over all tasks."""

_COMPILES = "compiles"
"""The rung that compiles for several GPUs; skipped, as it is slow and changes few outcomes."""

_LEAST_S, _BUDGET_S = 20.0, 180.0
_SHOWS_AT_A_WIDTH: tuple[Kind, ...] = ("wrong", "bounds", "race")


class Item(Strict):
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
    outcome: Outcome
    width: int | None = None

    def code(self, work: Work) -> Code:
        """Return the code that it changes. Raises KeyError if the work has no such code."""
        for code in code_of(work, self.task):
            if (code.file, code.cell) == (self.file, self.cell):
                return code
        raise KeyError(f"{self.file} has no code of {self.task}")

    def made_in(self, work: Work) -> Work:
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
    unchanged: dict[Identifier, Outcome]
    tried: int
    unclear: int
    seconds: float
    items: list[Item]


Say = Callable[[str], None]


def make(work: Work, most: int = MOST, say: Say = lambda _text: None) -> ItemSet:
    """Make up to `most` items on a work, spread over tasks and outcomes.

    There are fewer than FEWEST if the code offers no more. Takes a minute or two.
    """
    started = time.monotonic()
    seeds = [secrets.token_hex(16) for _ in range(SEEDS)]
    with closing(JudgeProcess()) as process:
        judge = _Judge(work, seeds, process, say)
        unchanged = {task: found for task in work.tasks if (found := judge.unchanged(task))}
        chosen = _chosen(judge, unchanged, most)
    items = [item_of(number, change, found) for number, (change, found) in enumerate(chosen, 1)]
    return ItemSet(
        module=work.module.id,
        hotloop=__version__,
        seeds=seeds,
        unchanged=unchanged,
        tried=judge.tried,
        unclear=judge.unclear,
        seconds=round(time.monotonic() - started, 1),
        items=[_with_width(item, work, seeds, say) for item in items],
    )


@dataclass
class _Judge:
    """Judges one work and its changes, and counts them."""

    work: Work
    seeds: Sequence[str]
    process: JudgeProcess
    say: Say
    tried: int = 0
    unclear: int = 0
    budget_s: float = _BUDGET_S

    def unchanged(self, task: str) -> Outcome | None:
        """Return the outcome of the unchanged work, or None if the seeds disagree."""
        self.say(f"{task}: as it is")
        started = time.monotonic()
        self.budget_s = _BUDGET_S
        found = agreed([self._judged(self.work, task, seed) for seed in self.seeds])
        # Limits the time of a change that never ends.
        self.budget_s = max(_LEAST_S, 2 * (time.monotonic() - started))
        return found

    def first(self, change: Change, unchanged: Outcome) -> Outcome | None:
        """Return the outcome of a change with the first seed, or None if there is none."""
        self.tried += 1
        self.say(f"{change.code.task}: {change.edit.operator}, line {change.line}")
        return self._of(change, unchanged, self.seeds[0])

    def confirmed(self, change: Change, first: Outcome, unchanged: Outcome) -> Outcome | None:
        """Return the outcome if the other seeds agree with the first one, else None."""
        others = (self._of(change, unchanged, seed) for seed in self.seeds[1:])
        found = agreed([first, *others])
        self.unclear += found is None
        return found

    def _of(self, change: Change, unchanged: Outcome, seed: str) -> Outcome | None:
        work = self.work.with_text(change.code, change.text)
        found = self._judged(work, change.code.task, seed)
        return None if found is None else against(found, unchanged)

    def _judged(self, work: Work, task: str, seed: str) -> Outcome | None:
        return judged(work, task, seed, self.process, self.budget_s)


def judged(
    work: Work, task: str, seed: str, process: JudgeProcess, budget_s: float = _BUDGET_S
) -> Outcome | None:
    """Judge a task's code once, with the rungs that need neither a timer nor a GPU.

    Returns None if there is no outcome. seed: as in `Job`.
    """
    rungs = [
        rung.id
        for rung in work.module.task(task).rungs
        if rung.threshold is None and not rung.needs_gpu and rung.id != _COMPILES
    ]
    with tempfile.TemporaryDirectory(prefix="hotloop-") as folder:
        lay_out(work.files, Path(folder))
        records = judge_folder(
            Path(folder),
            work.module.id,
            [task],
            rungs,
            judge=process,
            budget_s=budget_s,
            variant=work.variant,
            given=work.digests,
            seed=seed,
            device="cpu",
        )
    return outcome(records[task].rungs)


def _chosen(
    judge: _Judge, unchanged: Mapping[str, Outcome], most: int
) -> list[tuple[Change, Outcome]]:
    """Return confirmed changes, a few of each outcome.

    Changes whose outcome is already frequent are used only if there would be too few items.
    """
    chosen: list[tuple[Change, Outcome]] = []
    spare: list[tuple[Change, Outcome]] = []
    for change in _in_turns(judge.work, list(unchanged)):
        if len(chosen) == most or judge.tried == _TRIED:
            break
        before = unchanged[change.code.task]
        first = judge.first(change, before)
        if first is None:
            judge.unclear += 1
        elif not _has_room(first.kind, chosen, _ROOM_ELSE) or _is_beside(change, chosen):
            spare.append((change, first))
        elif found := judge.confirmed(change, first, before):
            chosen.append((change, found))
    for change, first in spare:
        if len(chosen) >= min(FEWEST, most):
            break
        if _has_room(first.kind, chosen, _ROOM_MORE):
            found = judge.confirmed(change, first, unchanged[change.code.task])
            chosen += [(change, found)] if found else []
    return chosen


def _has_room(kind: Kind, chosen: Sequence[tuple[Change, Outcome]], room: int) -> bool:
    held = Counter(found.kind for _, found in chosen)
    return held[kind] < _ROOM.get(kind, room)


def _is_beside(change: Change, chosen: Sequence[tuple[Change, Outcome]]) -> bool:
    """Return True if a change to the same line was chosen: its answer might reveal this one's."""
    return any((change.code, change.line) == (other.code, other.line) for other, _ in chosen)


def _in_turns(work: Work, tasks: Sequence[str]) -> Iterator[Change]:
    turns = zip_longest(*(changes(work, task) for task in tasks))
    return (change for turn in turns for change in turn if change is not None)


def item_of(number: int, change: Change, found: Outcome) -> Item:
    """Return a question on a change whose outcome is `found`."""
    return Item(
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
        outcome=found,
    )


def _with_width(item: Item, work: Work, seeds: Sequence[str], say: Say) -> Item:
    """Return the item with the smallest width at which it shows, if all seeds agree on one."""
    if item.outcome.kind not in _SHOWS_AT_A_WIDTH:
        return item
    say(f"{item.task}: at which width item {item.number} shows")
    size, changed, widths = Size(WIDTHS), item.made_in(work), set[int]()
    for seed in seeds:
        try:
            found = judged_at(changed, item.task, size, seed)
        except NoSuchSize:
            return item
        if found is None or found.width is None or widths - {found.width}:
            return item
        widths.add(found.width)
    return item.model_copy(update={"width": widths.pop()})
