"""Backup of a team's folder as one file, and its restoration with all that must be checked then."""

import hashlib
import os
import re
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from hotloop.core.user_error import UserError
from hotloop.learn.pack.keys import KeyMissing
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.takehome import audit_log, forgetting
from hotloop.takehome.report import UnreadableReport
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.team import AUDIT, PackRecord, Team, TeamError

_DELETED = re.compile(r"deleted all that was kept of pack ([0-9a-f-]{36})")
_LEFT_OUT = re.compile(r"\.lock|.*-(?:wal|shm)|tmp.*\.zip")
"""Lock files, parts of SQLite's databases, which are copied as a whole, and uploads under way."""


class BackupError(UserError):
    """A backup cannot be written or restored. The text is one sentence."""


@dataclass
class Restored:
    """packs: how many there are. problems: what is damaged, by sentence.

    deleted: pseudonyms that were deleted after the backup, and are deleted again.
    """

    packs: int = 0
    problems: list[str] = field(default_factory=list[str])
    deleted: list[str] = field(default_factory=list[str])


def write(team: Team, target: Path) -> int:
    """Write the team's folder to a tar file that only its owner can read; return its size.

    Nothing in the folder changes meanwhile: hand-ins wait. A SQLite database of the portal is part
    of it; one on a server is not. Raises BackupError.
    """
    if target.resolve().is_relative_to(team.folder):
        raise BackupError(f"{target} lies in the team's folder: write the backup elsewhere.")
    try:
        opened = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from None
    with os.fdopen(opened, "wb") as stream, team.alone():
        with tarfile.open(fileobj=stream, mode="w") as archive:
            for path in sorted(team.folder.rglob("*")):
                if not _LEFT_OUT.fullmatch(path.name):
                    _add(archive, path, str(path.relative_to(team.folder)))
        stream.flush()
        os.fsync(stream.fileno())
    return target.stat().st_size


def restore(source: Path, folder: Path, later: Path | None = None) -> Restored:
    """Restore a backup to a new folder, and look at everything in it.

    later: an audit log that goes on after the backup: whoever was deleted since then is deleted
    again. Raises BackupError if the folder exists or the file is no backup.
    """
    if folder.exists():
        raise BackupError(f"{folder} exists already: restore to a new folder, then move it.")
    try:
        folder.mkdir(mode=0o700, parents=True)
        with tarfile.open(source) as archive:
            # The filter keeps permissions, which the keys need, and refuses paths outside.
            archive.extractall(folder, filter="tar")
        team = Team(folder)
    except (OSError, tarfile.TarError, TeamError) as error:
        raise BackupError(f"{source} is no backup of a team: {error}") from None
    restored = Restored()
    for pack in _deleted(later) if later else ():
        try:
            record = team.pack(pack)
        except TeamError:
            continue
        forgetting.forget(team, pack, "backup")
        restored.deleted.append(record.pseudonym)
    restored.problems += _problems(team)
    restored.packs = len(team.readable_packs()[0])
    return restored


def _add(archive: tarfile.TarFile, path: Path, name: str) -> None:
    if path.suffix == ".db" and path.is_file():
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            # SQLite's own copy is of one moment, whatever is being written.
            with closing(sqlite3.connect(path)) as live, closing(sqlite3.connect(copy)) as whole:
                live.backup(whole)
            copy.chmod(path.stat().st_mode & 0o777)
            archive.add(copy, name)
    else:
        archive.add(path, name, recursive=False)


def _deleted(log: Path) -> Iterator[UUID]:
    try:
        lines = audit_log.read(log.read_bytes())
    except OSError as error:
        raise BackupError(f"{log} cannot be read: {error.strerror}.") from None
    for line in lines:
        found = _DELETED.fullmatch(str((line.document or {}).get("what", "")))
        if found:
            yield UUID(found[1])


def _problems(team: Team) -> Iterator[str]:
    """Yield what is damaged: keys, records, manifests, hand-ins, reports, the audit log."""
    try:
        _ = team.key
    except KeyMissing as error:
        yield str(error)
    records, damaged = team.readable_packs()
    yield from map(str, damaged.values())
    own = OwnReports(team)
    for record in records:
        try:
            team.variant(record.pack)
            if team.report_path(record.pack).is_file():
                own.read(team.report_path(record.pack))
        except (TeamError, ForgedManifest, UnreadableReport, OSError) as error:
            yield f"{record.pseudonym}: {error}"
        yield from _damaged_hand_ins(team, record)
    yield from (f"{AUDIT}: {fault}" for fault in audit_log.breaks(team.audited()))


def _damaged_hand_ins(team: Team, record: PackRecord) -> Iterator[str]:
    for path in team.submissions(record.pack):
        if not path.is_file():
            yield f"{record.pseudonym}: {path} is missing."
        elif hashlib.sha256(path.read_bytes()).hexdigest() != path.stem:
            yield f"{record.pseudonym}: {path} is not what was handed in."
