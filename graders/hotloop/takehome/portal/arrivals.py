"""What a candidate uploads, from the open form to the queue."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from hotloop.takehome.archive import Refusal
from hotloop.takehome.portal.answers import SENTENCES, Refused
from hotloop.takehome.portal.database import own_folder
from hotloop.takehome.portal.portal import Portal
from hotloop.takehome.submission import RefusedSubmission, Submission, open_submission
from hotloop.takehome.team import TeamError, UnknownPack

_STATUS = {
    Refusal.TOO_LARGE: 413,
    Refusal.REPLAYED: 409,
    Refusal.EXPIRED: 410,
    Refusal.OUTSIDE_WINDOW: 410,
}


@contextmanager
def place(portal: Portal, token: str) -> Generator[None]:
    """A place for one upload. Refused when the link is in use, or there are too many."""
    if token in portal.uploading:
        raise Refused(429, "Another upload by this link is coming in: wait for it.", wait_s=5)
    if len(portal.uploading) >= portal.settings.uploads:
        raise Refused(503, SENTENCES[503], wait_s=60)
    portal.uploading.add(token)
    try:
        yield
    finally:
        portal.uploading.discard(token)


def take(portal: Portal, pack: UUID, stream: BinaryIO, received: datetime) -> None:
    """Keep a submission and queue it. Refused says why not; then nothing is kept.

    received: when it began to come in, so that a slow line or a full queue costs nobody their work.
    TeamError, ForgedManifest: the team's own files are at fault, or were deleted meanwhile.
    """
    with portal.opening, _copied(portal, stream) as path:
        try:
            submission = open_submission(path, portal.team, received=received, expected_pack=pack)
        except RefusedSubmission as error:
            # Forgotten meanwhile: then there is nobody to name.
            with suppress(UnknownPack):
                pseudonym = portal.team.pack(pack).pseudonym
                portal.team.audit(
                    "candidate", f"{pseudonym} was refused a submission: {error.code}"
                )
            raise Refused(_STATUS.get(error.code, 422), error.sentence) from None
        is_new = submission.digest not in [one.digest for one in portal.team.pack(pack).submitted]
        _keep(portal, submission, path)
    # From here on nothing is lost: whoever is killed now leaves it to `Queue.reconcile`.
    portal.queue.add(pack, submission.digest)
    said = "handed in" if is_new else "sent again what had arrived"
    portal.team.audit("candidate", f"{submission.manifest.pseudonym} {said}")


@contextmanager
def _copied(portal: Portal, stream: BinaryIO) -> Generator[Path]:
    """The upload in a file under a name of ours; it is gone afterwards."""
    with tempfile.NamedTemporaryFile(dir=own_folder(portal.team.folder), suffix=".zip") as file:
        stream.seek(0)
        shutil.copyfileobj(stream, file)
        file.flush()
        yield Path(file.name)


def _keep(portal: Portal, submission: Submission, path: Path) -> None:
    try:
        portal.team.keep(submission, path)
    except UnknownPack:
        raise
    except TeamError:
        # Another one came in since this one was opened.
        raise Refused(409, "Work on this pack was handed in already.") from None
