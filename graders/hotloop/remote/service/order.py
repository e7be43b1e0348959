"""The order in which waiting works are judged.

The nearest deadline comes first. Among works with the same deadline, or with none, learners take
turns: the learner served least recently is next, with their longest-waiting work.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Waiting:
    """One work that waits. queued: since when it, or the job that it replaces, waits."""

    work: int
    job: str
    account: int
    queued: datetime
    deadline: datetime | None = None


def in_turn(waiting: Iterable[Waiting], served: Mapping[int, datetime]) -> list[Waiting]:
    """Return all waiting works, the next one first.

    served: when each learner last had a turn; learners without a recent turn are absent.
    """
    by_deadline: defaultdict[datetime | None, list[Waiting]] = defaultdict(list)
    for one in waiting:
        by_deadline[one.deadline].append(one)
    last: dict[int, tuple[int, datetime]] = {who: (0, when) for who, when in served.items()}
    found: list[Waiting] = []
    for deadline in sorted(by_deadline, key=lambda d: (d is None, d or _NEVER)):
        _take_turns(by_deadline[deadline], last, found)
    return found


def _take_turns(
    waiting: list[Waiting], last: dict[int, tuple[int, datetime]], found: list[Waiting]
) -> None:
    """Append the works to `found` in turns.

    last: by learner, their latest turn as a sort key; turns given here come after all earlier ones.
    """
    own: defaultdict[int, deque[Waiting]] = defaultdict(deque)
    for one in sorted(waiting, key=lambda w: (w.queued, w.work)):
        own[one.account].append(one)

    def entry(account: int) -> tuple[tuple[int, datetime], datetime, int, int]:
        first = own[account][0]
        return last.get(account, (0, _NEVER)), first.queued, first.work, account

    turns = [entry(account) for account in own]
    heapq.heapify(turns)
    while turns:
        *_, account = heapq.heappop(turns)
        found.append(own[account].popleft())
        last[account] = (len(found), _NEVER)
        if own[account]:
            heapq.heappush(turns, entry(account))
