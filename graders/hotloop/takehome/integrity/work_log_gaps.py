"""Signals from the work log: impossible times, and much work at once."""

from datetime import datetime, timedelta

from hotloop.learn.pack.work_log import Kind, WorkLog, WorkLogEntry
from hotloop.takehome.integrity.signal import Signal

LARGE = 60
"""Lines added between two entries from which a signal is given."""

SLOW_CLOCK = timedelta(hours=1)
"""Tolerance for the clock of the candidate's machine."""

_IMPOSSIBLE = (
    "The clock of the candidate's machine wrote these times. It may be wrong, as that of a "
    "container, or of a machine that was asleep, often is."
)
_AT_ONCE = (
    "Many work in an editor or on another machine and paste the result, take what an assistant "
    "wrote where that is allowed, or check for the first time at the end. The log sees checks "
    "only, not thinking."
)
_MISSING = "The log can be left out, and the candidate was told so. Files get lost, too."


def signals(log: WorkLog | None, rule: str, earliest: datetime, latest: datetime) -> list[Signal]:
    """Return signals from a work log, or for a missing one.

    rule: the manifest's rule on logs: yes, no or optional. earliest, latest: when the pack was made
    and when the work arrived; entries must lie between.
    """
    if log is None:
        if rule != "yes":
            return []
        sentence = "The role asks for a work log, and none was handed in."
        return [_signal("No work log", [sentence], _MISSING)]
    found: list[Signal] = []
    impossible = [what for entry in log.entries if (what := _impossible(entry, earliest, latest))]
    if impossible:
        title = "The work log's times cannot be"
        found.append(_signal(title, impossible[:10], _IMPOSSIBLE))
    large = [what for entry in log.entries if (what := _large(entry))]
    if large:
        found.append(_signal("Much work came at once", large[:10], _AT_ONCE))
    return found


def _impossible(entry: WorkLogEntry, earliest: datetime, latest: datetime) -> str:
    if entry.at < earliest - SLOW_CLOCK:
        return f"{entry.at:%Y-%m-%d %H:%M} UTC: before the pack was made."
    if entry.at > latest + SLOW_CLOCK:
        return f"{entry.at:%Y-%m-%d %H:%M} UTC: after the work had come."
    return ""


def _large(entry: WorkLogEntry) -> str:
    """Describe many lines added since the previous entry, or return "".

    All kinds of entries count: a pasted solution may be checked once, at the end, or never.
    """
    added = sum(change.added for change in entry.changes.values())
    if added < LARGE:
        return ""
    what = _EVENTS[entry.kind]
    if entry.kind == "checked":
        what = f"{entry.task} was checked ({str(entry.verdict).replace('_', ' ')})"
    return f"{entry.at:%Y-%m-%d %H:%M} UTC: {what}, {added} lines since the entry before."


_EVENTS: dict[Kind, str] = {
    "opened": "JupyterLab was opened",
    "submitted": "the file to hand in was written",
    "checked": "a task was checked",
}


def _signal(title: str, evidence: list[str], innocent: str) -> Signal:
    """Return a weak signal: the log is kept on the candidate's machine, and can be edited."""
    return Signal(
        kind="work_log", strength="weak", title=title, evidence=evidence, innocent=innocent
    )
