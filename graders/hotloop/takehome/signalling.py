"""All integrity signals on one submission, the strong ones first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from uuid import UUID

from hotloop.judge.record import Record
from hotloop.takehome.integrity import caught, similarity, variant_mismatch, work_log_gaps
from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.integrity.similarity import Other
from hotloop.takehome.submission import (
    RefusedSubmission,
    Submission,
    given_files,
    open_submission,
)
from hotloop.takehome.team import PackRecord, Team

MOST_OTHERS = 300
"""Other candidates' works that one is compared with, the latest first."""

_ORDER = {"strong": 0, "moderate": 1, "weak": 2}


def signals(
    submission: Submission,
    team: Team,
    records: Mapping[str, Record],
    given: Mapping[str, bytes],
) -> list[Signal]:
    """What a person should look at."""
    manifest = submission.manifest
    peers = _peers(team, manifest.module, manifest.pack)
    variants = {peer.pseudonym: team.variant(peer.pack) for peer in peers}
    module = team.role(manifest.role).definition()
    others = (other for peer in peers for other in _works(team, peer))
    found = [
        *caught.signals(records, submission.altered),
        *similarity.signals(module, list(manifest.tasks), submission.files, given, others),
        *variant_mismatch.signals(
            submission.files, submission.handed_in, team.variant(manifest.pack), variants
        ),
        *work_log_gaps.signals(submission.work_log, manifest.work_log),
    ]
    return sorted(found, key=lambda signal: _ORDER[signal.strength])


def _peers(team: Team, module: str, mine: UUID) -> list[PackRecord]:
    """The latest packs of the same module, whatever the role."""
    of_module = {role.role for role in team.roles() if role.module == module}
    found = [one for one in team.packs() if one.pack != mine and one.role in of_module]
    return found[-MOST_OTHERS:]


def _works(team: Team, peer: PackRecord) -> Iterator[Other]:
    """The one that counts; none where it was not handed in, or can no longer be opened."""
    for path in team.submissions(peer.pack)[-1:]:
        try:
            found = open_submission(path, team)
            yield Other(peer.pseudonym, found.files, given_files(team, found.manifest))
        except (RefusedSubmission, OSError):
            continue
