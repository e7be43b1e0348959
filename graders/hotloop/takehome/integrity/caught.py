"""Signals from the judge's own verdicts, and from given files that came back changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.takehome.integrity.signal import Signal

_INNOCENT = {
    Verdict.TAMPERED: (
        "Threads and processes that a library leaves running, or a cache that works on after the "
        "call, can look like it. Ask the candidate what runs beside their function."
    ),
    Verdict.IMPLAUSIBLE: (
        "A result that is kept from an earlier call by honest caching, or a fault in the judge's "
        "figure of the least work, gives the same verdict."
    ),
}
_ALTERED = (
    "Editors reformat on saving, and people add a print to understand what they were given. The "
    "files as handed out were judged, so nothing was gained by it."
)


def signals(records: Mapping[str, Record], altered: Iterable[str]) -> list[Signal]:
    """What was tampered with, what is too fast to be true, what was given and is not the same."""
    found = [
        Signal(
            kind="caught",
            strength="strong" if rung.verdict is Verdict.TAMPERED else "moderate",
            title=f"{task}, {rung.rung}: the judge said “{rung.verdict.value}”",
            evidence=[rung.sentence],
            innocent=_INNOCENT[rung.verdict],
        )
        for task, record in records.items()
        for rung in record.rungs
        if rung.verdict in _INNOCENT
    ]
    if names := list(altered):
        said = f"Changed: {', '.join(names[:20])}."
        found.append(
            Signal(
                kind="altered_files",
                strength="weak",
                title="Files that were handed out came back changed",
                evidence=[said],
                innocent=_ALTERED,
            )
        )
    return found
