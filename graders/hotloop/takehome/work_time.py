"""How long a candidate worked on each task, estimated from the work log."""

from __future__ import annotations

from datetime import timedelta

from hotloop.takehome.work_log import WorkLog

LONGEST_PAUSE = timedelta(minutes=30)
"""Longer than this between two entries, and the candidate was elsewhere: it counts as this much."""


def active_minutes(log: WorkLog | None) -> dict[str, float]:
    """By task: the time up to each of its checks from the entry before it, long pauses cut.

    An estimate: thinking without a check counts for the task that is checked next. Empty without a
    log, and where a broken chain makes it worth nothing.
    """
    if log is None or log.verify():
        return {}
    found: dict[str, float] = {}
    waiting = timedelta()
    for before, entry in zip(log.entries, log.entries[1:], strict=False):
        waiting += min(max(entry.at - before.at, timedelta()), LONGEST_PAUSE)
        if entry.kind == "checked" and entry.task is not None:
            minutes = waiting / timedelta(minutes=1)
            found[entry.task] = round(found.get(entry.task, 0.0) + minutes, 1)
            waiting = timedelta()
    return found
