"""The order in which waiting works are judged.

The nearest deadline comes first. Among works with the same deadline, or with none, owners take
turns: the owner served least recently is next, with their longest-waiting work.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

Owner = int | str
"""An account's id, or a candidate's pack."""

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class WaitingWork:
    """One work that waits. queued: since when it, or the work that it replaces, waits.

    about: what is to be done, in the site's own words. owner: whose work it is.
    """

    work: int
    about: str
    owner: Owner
    queued: datetime
    deadline: datetime | None = None


def in_turn(waiting: Iterable[WaitingWork], served: Mapping[Owner, datetime]) -> list[WaitingWork]:
    """Return all waiting works, the next one first.

    served: when each owner last had a turn; owners without a recent turn are absent.
    """
    by_deadline: defaultdict[datetime | None, list[WaitingWork]] = defaultdict(list)
    for one in waiting:
        by_deadline[one.deadline].append(one)
    last: dict[Owner, tuple[int, datetime]] = {who: (0, when) for who, when in served.items()}
    ordered: list[WaitingWork] = []
    for deadline in sorted(by_deadline, key=lambda d: (d is None, d or _NEVER)):
        _take_turns(by_deadline[deadline], last, ordered)
    return ordered


def _take_turns(
    waiting: list[WaitingWork], last: dict[Owner, tuple[int, datetime]], ordered: list[WaitingWork]
) -> None:
    """Append the works to `found` in turns.

    last: by owner, their latest turn as a sort key; turns given here come after all earlier ones.
    """
    own: defaultdict[Owner, deque[WaitingWork]] = defaultdict(deque)
    for one in sorted(waiting, key=lambda w: (w.queued, w.work)):
        own[one.owner].append(one)

    def entry(owner: Owner) -> tuple[tuple[int, datetime], datetime, int, Owner]:
        # No two entries have the same work, so owners are never compared.
        first = own[owner][0]
        return last.get(owner, (0, _NEVER)), first.queued, first.work, owner

    turns = [entry(owner) for owner in own]
    heapq.heapify(turns)
    while turns:
        *_, owner = heapq.heappop(turns)
        ordered.append(own[owner].popleft())
        last[owner] = (len(ordered), _NEVER)
        if own[owner]:
            heapq.heappush(turns, entry(owner))
