"""In which order what waits is judged.

The nearest deadline comes first. Among those of one deadline, and of none, learners take turns:
whoever was served least recently is next, and of one learner's what waits longest.
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
    """One piece of work. queued: since when it waits, or what it replaces did."""

    work: int
    job: str
    account: int
    queued: datetime
    deadline: datetime | None = None


def in_turn(waiting: Iterable[Waiting], served: Mapping[int, datetime]) -> list[Waiting]:
    """All that waits, the next one first. served: when each learner's turn was last, if lately."""
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
    """last: by learner, the turn that each had: those of this very queue come after all others."""
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
