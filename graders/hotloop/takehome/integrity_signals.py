"""Collects all integrity signals on a submission, the strong ones first."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from uuid import UUID

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.takehome.archive import RefusedSubmission
from hotloop.takehome.integrity import (
    prose,
    similarity,
    unseen_code,
    variant_mismatch,
    work_log_gaps,
)
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.integrity.similarity import MOST_OTHERS, Other
from hotloop.takehome.submission import Submission, given_files, open_submission
from hotloop.takehome.team import PackRecord, Team, TeamError
from hotloop.tasks import curriculum
from hotloop.tasks.variants import Variant

_ORDER = {"strong": 0, "moderate": 1, "weak": 2}


def signals(
    submission: Submission,
    team: Team,
    records: Mapping[str, Record],
    starter: Mapping[str, bytes],
) -> list[Signal]:
    """Return all signals, for a person to look at."""
    manifest = submission.manifest
    peers = _peers(team, manifest.module, manifest.pack)
    variants = {record.pseudonym: variant for record, variant in peers}
    module = curriculum.load_module(manifest.module)
    others = [other for record, _ in peers for other in _last_work(team, record)]
    tasks, files = list(manifest.tasks), submission.work.files
    every = [
        *caught(records, submission.altered),
        *similarity.signals(module, tasks, files, starter, others),
        *unseen_code.signals(module, tasks, files, starter),
        *prose.signals(module, tasks, files, starter, others),
        *variant_mismatch.signals(
            files, submission.handed_in, team.variant(manifest.pack), variants
        ),
        *work_log_gaps.signals(
            submission.work_log, manifest.work_log, manifest.not_before, submission.received
        ),
    ]
    return sorted(every, key=lambda signal: _ORDER[signal.strength])


def _peers(team: Team, module: str, mine: UUID) -> list[tuple[PackRecord, Variant]]:
    """Return the latest packs with the same module, in any role, with their variants.

    Deleted or damaged ones are left out.
    """
    peers: list[tuple[PackRecord, Variant]] = []
    records, _damaged = team.readable_packs()
    for record in reversed(records):
        if record.pack == mine or len(peers) == MOST_OTHERS:
            continue
        with suppress(OSError, TeamError, ForgedManifest):
            if team.manifest(record.pack).module == module:
                peers.append((record, team.variant(record.pack)))
    return peers[::-1]


def _last_work(team: Team, peer: PackRecord) -> Iterator[Other]:
    """Yield the candidate's last submission; nothing if there is none or it cannot be opened."""
    with suppress(RefusedSubmission, OSError, TeamError, ForgedManifest):
        for path in team.submissions(peer.pack)[-1:]:
            submission = open_submission(path, team)
            yield Other(
                peer.pseudonym, submission.work.files, given_files(team, submission.manifest)
            )


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


def caught(records: Mapping[str, Record], altered: Iterable[str]) -> list[Signal]:
    """Return signals for tampering, implausible speed, and given files that were changed."""
    signals = [
        Signal(
            kind="caught",
            strength="strong" if check.verdict is Verdict.TAMPERED else "moderate",
            title=f"{task}, {check.check}: the judge said “{check.verdict.value}”",
            evidence=[check.sentence],
            innocent=_INNOCENT[check.verdict],
        )
        for task, record in records.items()
        for check in record.checks
        if check.verdict in _INNOCENT
    ]
    if names := list(altered):
        signals.append(
            Signal(
                kind="altered_files",
                strength="weak",
                title="Files that were handed out came back changed",
                evidence=[f"Changed: {', '.join(names[:20])}."],
                innocent=_ALTERED,
            )
        )
    return signals
