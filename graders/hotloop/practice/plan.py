"""Which questions a session asks: what is due, and then what is new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from hotloop import curriculum
from hotloop.bank.catalog import Entry
from hotloop.practice.schedule import Standing


@dataclass(frozen=True)
class Planned:
    """A question of the session. standing: None for one that is new."""

    entry: Entry
    standing: Standing | None

    @property
    def times(self) -> int:
        """How often it was practised before."""
        return self.standing.times if self.standing else 0


@dataclass(frozen=True)
class Waiting:
    """The questions that fit a wish, by what is to be done with them."""

    due: Sequence[Planned]
    new: Sequence[Planned]
    later: Sequence[Planned]

    @property
    def next_due(self) -> datetime | None:
        """When the first of the later ones is due."""
        return next((each.standing.due for each in self.later if each.standing), None)


def waiting(entries: Iterable[Entry], known: Mapping[str, Standing], now: datetime) -> Waiting:
    """Due ones by their date, new ones mixed from easy to hard, later ones by their date."""
    new: list[Entry] = []
    old: list[tuple[datetime, Planned]] = []
    for entry in entries:
        standing = known.get(entry.key)
        if standing is None:
            new.append(entry)
        else:
            old.append((standing.due, Planned(entry, standing)))
    old.sort(key=lambda pair: (pair[0], pair[1].entry.key))
    return Waiting(
        due=[each for due, each in old if due <= now],
        new=[Planned(entry, None) for entry in _mixed(new)],
        later=[each for due, each in old if due > now],
    )


def session(found: Waiting, minutes: int, *, ahead: bool = False) -> list[Planned]:
    """As many as fit into the minutes, at least one. ahead: also those that are not due yet."""
    chosen: list[Planned] = []
    left = minutes
    for each in (*found.due, *found.new, *(found.later if ahead else ())):
        takes = each.entry.question.minutes
        if takes <= left or not chosen:
            chosen.append(each)
            left -= takes
    return chosen


def _mixed(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Easy ones first; within a level the modules take turns, because mixed practice lasts."""
    entries = list(entries)
    for tier in curriculum.curriculum().tiers:
        turns: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.question.level == tier:
                turns.setdefault(entry.module or entry.track, []).append(entry)
        for row in zip_longest(*turns.values()):
            yield from (entry for entry in row if entry is not None)
