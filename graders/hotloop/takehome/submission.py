"""The team's side of a hand-in: opens an untrusted submission, or refuses it with a reason.

The zip is the outer layer; its content is read as `hotloop.course.hand_in` reads it. Nothing in it
is run, unpickled, imported or written under a name that the candidate chose. The result is plain
data: the pack's files, with the candidate's versions of those they were asked to edit.
"""

import hashlib
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from hotloop.course import hand_in
from hotloop.course.hand_in import HandIn
from hotloop.judge.notebook_release import of_files
from hotloop.learn.pack import MANIFEST, limits, manifest, work_files, work_log
from hotloop.learn.pack.manifest import ForgedManifest, Manifest
from hotloop.learn.pack.work_log import WorkLog
from hotloop.takehome import archive
from hotloop.takehome.archive import Refusal, RefusedSubmission
from hotloop.takehome.team import PackRecord, Team, TeamError, UnknownPack
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK


@dataclass(frozen=True)
class Submission:
    """A submission to grade.

    work: read as a course reads a learner's hand-in. handed_in: the files in it that came from the
    candidate. altered: files of the pack that no chosen task asks to edit and that came back
    changed;
    `work` has the originals. work_log: None if none was handed in. digest: SHA-256 of the zip.
    """

    manifest: Manifest
    work: HandIn = field(repr=False)
    handed_in: tuple[str, ...]
    altered: tuple[str, ...]
    work_log: WorkLog | None = field(repr=False)
    received: datetime
    digest: str


def open_submission(
    path: Path,
    team: Team,
    *,
    received: datetime | None = None,
    expected_pack: UUID | None = None,
) -> Submission:
    """Open the zip at `path`. Raises RefusedSubmission with the reason; nothing is stored.

    received: arrival time, by default now; if the same zip was stored before, its time then counts.
    expected_pack: the pack whose link was used. Raises TeamError or ForgedManifest if the team's
    files of the pack are damaged.
    """
    upload = archive.content(path)
    digest = hashlib.sha256(upload).hexdigest()
    entries = archive.read(upload)
    signed, record = _manifest(entries, team)
    if expected_pack is not None and signed.pack != expected_pack:
        raise RefusedSubmission(
            Refusal.WRONG_PACK, "This is the work on another pack: upload it by that one's link."
        )
    noted = {earlier.digest: earlier.received for earlier in record.submitted}
    arrived = noted.get(digest) or received or datetime.now(UTC)
    _require_time(signed, record, arrived)
    _require_first(record, digest)
    work = _work(entries)
    try:
        starter = given_files(team, signed)
    except OSError:
        raise _unknown() from None
    _require_places(work, starter)
    own = _own(signed, work)
    # A notebook always changes, since only its cells are handed in.
    altered = [
        name
        for name, data in starter.items()
        if name not in own and name != NOTEBOOK and work.get(name, data) != data
    ]
    has_log = work_log.NAME in entries and signed.work_log != "no"
    return Submission(
        manifest=signed,
        work=_read(signed, work, starter, own),
        handed_in=tuple(sorted(name for name in work if name in own or name not in starter)),
        altered=tuple(sorted(altered)),
        work_log=WorkLog.read(entries[work_log.NAME]) if has_log else None,
        received=arrived,
        digest=digest,
    )


def _read(
    signed: Manifest, work: Mapping[str, bytes], starter: Mapping[str, bytes], own: Collection[str]
) -> HandIn:
    """Read the work as a course does, with the pack as the released files."""
    release = of_files(signed.module, starter, own)
    notebook = work[NOTEBOOK] if NOTEBOOK in own else starter[NOTEBOOK]
    complete = hand_in.complete(
        signed.pseudonym, release, work, notebook, tasks=tuple(signed.tasks)
    )
    if complete.unreadable:
        raise RefusedSubmission(Refusal.NOTEBOOK, complete.unreadable)
    return replace(complete, digests=signed.files)


def given_files(team: Team, signed: Manifest) -> dict[str, bytes]:
    """Return the starter files of this pack, without instructions and settings.

    Raises OSError if the pack is gone, TeamError if it differs from its signed manifest.
    """
    path = team.pack_file(signed.pack)
    top = f"{signed.pseudonym}/"
    digests = {name: digest for name, digest in signed.files.items()
              if name not in work_files.NOT_WORK}  # fmt: skip
    try:
        with zipfile.ZipFile(path) as pack:
            starter = {name: pack.read(top + name) for name in digests}
    except (zipfile.BadZipFile, KeyError):
        raise TeamError(f"{path} is damaged: take it from your backup.") from None
    if any(hashlib.sha256(data).hexdigest() != digests[name] for name, data in starter.items()):
        raise TeamError(f"{path} is not what its manifest was signed for.")
    return starter


def _unknown() -> RefusedSubmission:
    return RefusedSubmission(
        Refusal.UNKNOWN_PACK, "This pack is not known here, or all about it was deleted."
    )


def _require_places(work: Mapping[str, bytes], starter: Mapping[str, bytes]) -> None:
    """Refuse a file that has the name of a folder, among the candidate's and starter files."""
    names = {name.casefold() for name in (*work, *starter)}
    folders = {"/".join(parts[:depth]) for parts in (name.split("/") for name in names)
               for depth in range(1, len(parts))}  # fmt: skip
    if names & folders:
        raise RefusedSubmission(Refusal.DUPLICATE, "A file is called like a folder. Rename one.")


def _manifest(entries: Mapping[str, bytes], team: Team) -> tuple[Manifest, PackRecord]:
    if MANIFEST not in entries:
        raise RefusedSubmission(
            Refusal.NO_MANIFEST, "There is no manifest in it: make it with `make submit`."
        )
    try:
        signed = manifest.verify(entries[MANIFEST], team.public_key)
    except ForgedManifest as error:
        raise RefusedSubmission(Refusal.FORGED_MANIFEST, str(error)) from None
    try:
        record = team.pack(signed.pack)
        ours = team.manifest(signed.pack)
    except (UnknownPack, FileNotFoundError):
        raise _unknown() from None
    if ours != signed:
        raise RefusedSubmission(
            Refusal.UNKNOWN_PACK, "The pack was made anew: work in the one that came last."
        )
    return signed, record


def _require_time(signed: Manifest, record: PackRecord, arrived: datetime) -> None:
    if arrived < signed.not_before:
        raise RefusedSubmission(
            Refusal.TOO_EARLY, f"Work on this pack is taken from {signed.not_before:%Y-%m-%d} on."
        )
    until = record.until(signed)
    if arrived <= until:
        return
    if record.deadline is None and arrived <= signed.expires:
        raise RefusedSubmission(
            Refusal.OUTSIDE_WINDOW,
            f"The {signed.window_hours:g} hours from the download ended at "
            f"{until:%Y-%m-%d %H:%M} UTC.",
        )
    raise RefusedSubmission(
        Refusal.EXPIRED, f"The time for it ended at {until:%Y-%m-%d %H:%M} UTC."
    )


def _require_first(record: PackRecord, digest: str) -> None:
    """Refuse a second, different hand-in, unless the team has reopened it."""
    digests = [earlier.digest for earlier in record.submitted]
    if digests and digest not in digests and not record.reopened:
        raise RefusedSubmission(
            Refusal.REPLAYED, "Work on this pack was handed in already: ask the team to reopen it."
        )


def _work(entries: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the candidate's files."""
    work: dict[str, bytes] = {}
    for name, data in entries.items():
        if name in (MANIFEST, work_log.NAME):
            continue
        if not name.startswith(limits.FILES):
            raise RefusedSubmission(
                Refusal.NAME, f"There is something beside the folder {limits.FILES} in it."
            )
        short = name.removeprefix(limits.FILES)
        if short not in work_files.NOT_WORK:
            work[short] = data
    return work


def _own(signed: Manifest, work: Mapping[str, bytes]) -> set[str]:
    """Return the candidate's files that the chosen tasks ask to edit.

    If this version of Hotloop lacks one of the tasks, all files are returned, and grading reports
    what is missing.
    """
    try:
        module = curriculum.load_module(signed.module)
        names = {name for task in signed.tasks for name in module.task(task).files}
    except KeyError:
        return set(work)
    return {name for name in work if name in names}
