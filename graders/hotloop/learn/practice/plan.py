"""Which question is asked next, as on the practice page (`page/plan.js`)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, groupby, zip_longest

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.practice.state import PracticeRecord
from hotloop.tasks import curriculum


def waiting(
    entries: Sequence[CatalogEntry], record: PracticeRecord, now: datetime
) -> list[CatalogEntry]:
    """Return the questions that are due, by their date, and then the new ones, easy ones first."""
    due = [entry for entry in entries if record.is_due(entry.key, now)]
    due.sort(key=lambda entry: (record.due[entry.key], entry.key))
    practiced = {review.question for review in record.reviews}
    new = [entry for entry in entries if entry.key not in practiced]
    return [*due, *_mixed(new)]


def _mixed(entries: Sequence[CatalogEntry]) -> Iterator[CatalogEntry]:
    """Yield the questions by level; within a level the modules take turns."""
    for tier in curriculum.curriculum().tiers:
        yield from _in_turns(entry for entry in entries if entry.question.level == tier)


def _in_turns(entries: Iterable[CatalogEntry]) -> Iterator[CatalogEntry]:
    """Yield the first question of each module, then the second of each. entries: by module."""
    by_module = groupby(entries, lambda entry: entry.module or entry.track)
    rounds = zip_longest(*(list(group) for _, group in by_module))
    return (entry for entry in chain.from_iterable(rounds) if entry is not None)
