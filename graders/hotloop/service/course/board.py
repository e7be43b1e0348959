"""The class board: the speed of the solutions of learners who choose to be shown.

Learners choose the name that is shown when they join. A place is one more than the number of
solutions whose speedup interval lies entirely above this one's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError

from hotloop.core.record import Record, counts
from hotloop.core.transactions import reading, writing
from hotloop.core.verdict import Verdict
from hotloop.learn.remote.job import Board, BoardPlace
from hotloop.service.tables import jobs, records, shown
from hotloop.service.web.answers import RequestRefused
from hotloop.tasks.judged_again import SECOND_DEVICE
from hotloop.verdicts import open_scale

EXACT = "exact count"
"""In place of a device: what is counted on an open scale is the same on all of them."""

_Key = tuple[str, str, str]
"""Task, check and device: speeds under different keys are not comparable."""


@dataclass(frozen=True)
class _Speed:
    """The speedup of one solution over the baseline, with its interval.

    fraction: share of the device's limit; None if it was not measured. count, unit: of what was
    counted on an open scale.
    """

    name: str
    ratio: float
    low: float
    high: float
    fraction: float | None
    count: float | None = None
    unit: str = ""


def join(engine: Engine, account: int, name: str) -> None:
    """Show an account on the board under a name. Raises Refused if another account has the name."""
    try:
        with writing(engine) as connection:
            connection.execute(delete(shown).where(shown.c.account == account))
            connection.execute(insert(shown).values(account=account, name=name))
    except IntegrityError:
        raise RequestRefused(409, f"Somebody is {name} already: choose another name.") from None


def leave(engine: Engine, account: int) -> None:
    """Remove an account from the board."""
    with writing(engine) as connection:
        connection.execute(delete(shown).where(shown.c.account == account))


def boards(engine: Engine, module: str) -> list[Board]:
    """Return the boards of a module's tasks: by speed check and device, and by open scale."""
    query = (
        select(shown.c.name, records.c.record, jobs.c.variant)
        .join(jobs, jobs.c.account == shown.c.account)
        .join(records, records.c.job == jobs.c.id)
        .where(jobs.c.module == module)
    )
    best: defaultdict[_Key, dict[str, _Speed]] = defaultdict(dict)
    with reading(engine) as connection:
        for name, text, variant in connection.execute(query):
            record = Record.from_json(json.loads(text))
            for key, speed in _speeds(name, record) if counts(record, variant) else ():
                known = best[key].get(name)
                if known is None or speed.low > known.low:
                    best[key][name] = speed
    return [
        Board(
            task=task,
            check=check,
            device=device,
            places=_placed(speeds.values()),
            unit=next(speed.unit for speed in speeds.values()),
        )
        for (task, check, device), speeds in sorted(best.items())
    ]


def _speeds(name: str, record: Record) -> Iterator[tuple[_Key, _Speed]]:
    for check in record.checks:
        # What the learner's own process said has no place among speeds that were measured.
        if check.instrumented or check.verdict not in (Verdict.PASSED, Verdict.PARTIAL):
            continue
        evidence = check.evidence
        if check.verdict is Verdict.PASSED and "interval" in evidence:
            device = str(evidence.get(SECOND_DEVICE, record.circumstances.device))
            low, high = evidence["interval"]
            fraction = evidence.get("fraction_of_limit")
            speed = _Speed(name, evidence["ratio"], low, high, fraction)
            yield (record.task, check.check, device), speed
        elif (counted := open_scale.speedup(evidence)) is not None:
            ratio, fraction = counted
            key = (record.task, check.check, EXACT)
            count, unit = open_scale.value_of(evidence), open_scale.unit_of(evidence)
            yield key, _Speed(name, ratio, ratio, ratio, fraction, count, unit)


def _placed(speeds: Iterable[_Speed]) -> list[BoardPlace]:
    ordered = sorted(speeds, key=lambda one: (-one.ratio, one.name))
    return [
        BoardPlace(
            place=1 + sum(other.low > one.high for other in ordered),
            name=one.name,
            ratio=one.ratio,
            interval=(one.low, one.high),
            fraction_of_limit=one.fraction,
            count=one.count,
        )
        for one in ordered
    ]
