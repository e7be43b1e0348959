"""A team's folder: keys, roles, packs, submissions, reports, encrypted names, audit log.

    team.json                 description of the folder, and the public key
    keys/                     see hotloop.learn.pack.keys; mode 0700
    roles/<role>/takehome.yaml
    packs/<pack>/             pack.zip, manifest.json, variant.json, record.json
    submissions/<pack>/       one zip for each accepted hand-in
    reports/<pack>/           report.json, report.html, scorecard.json
    candidates/<pseudonym>    the encrypted name; shown by `scorecard --reveal` only
    audit.jsonl               who did what; pseudonyms only

Changing a record requires the folder's lock; files are replaced atomically.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import unicodedata
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field, ValidationError

from hotloop.core import whole_file
from hotloop.core.document import Strict
from hotloop.core.moment import Moment
from hotloop.core.user_error import UserError
from hotloop.learn.pack import MANIFEST, keys
from hotloop.learn.pack.keys import TeamKey
from hotloop.learn.pack.manifest import Digest, Manifest, Pseudonym, RoleId, verify
from hotloop.sandbox import scratch
from hotloop.takehome import audit_log, role
from hotloop.takehome.report import JSON_NAME
from hotloop.takehome.role import TakehomeRole, read_role
from hotloop.tasks.variants import NAME as VARIANT

if TYPE_CHECKING:
    from hotloop.takehome.submission import Submission
    from hotloop.tasks.variants import Variant

DESCRIPTION = "team.json"
PACK = "pack.zip"
RECORD = "record.json"
UNFINISHED = "unfinished.json"
"""Name of the record while the pack is being made or deleted."""

SCORECARD = "scorecard.json"
AUDIT = "audit.jsonl"
LONGEST_NAME = 200


class TeamError(UserError):
    """An operation on the team's folder failed. The text is one sentence."""


class UnknownPack(TeamError):
    """The pack was never made here, or its data was deleted."""


class AlreadyInvited(TeamError):
    """The name already has a pack of the role; the error does not say which."""


class _Description(Strict):
    format: Literal[1] = 1
    public_key: Digest
    made: Moment


class AcceptedSubmission(Strict):
    """An accepted submission. digest: of the zip, which is stored under that name."""

    digest: Digest
    received: Moment


class PackRecord(Strict):
    """The team's record of a pack, in addition to its manifest.

    reviewers: how many people mark the work before the name is shown.
    started: first recorded download. deadline: a later one set by the team. submitted: in order of
    arrival; the last one counts. reopened: whether one more will be accepted.
    """

    format: Literal[1] = 1
    pack: UUID
    pseudonym: Pseudonym
    role: RoleId
    made: Moment
    keep_until: Moment
    reviewers: Annotated[int, Field(ge=1)] = 1
    started: Moment | None = None
    deadline: Moment | None = None
    reopened: bool = False
    submitted: Annotated[list[AcceptedSubmission], Field(max_length=100)] = Field(
        default_factory=list[AcceptedSubmission]
    )

    @property
    def awaited(self) -> bool:
        """True if a hand-in is accepted before the deadline."""
        return not self.submitted or self.reopened

    def until(self, manifest: Manifest) -> datetime:
        """Return until when work is accepted."""
        return self.deadline or manifest.deadline(self.started)


@dataclass(frozen=True)
class Team:
    """A team's folder. Raises TeamError if the folder is not one."""

    folder: Path
    _public: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.folder.resolve())
        try:
            data = (self.folder / DESCRIPTION).read_bytes()
            description = _Description.model_validate_json(data)
        except OSError:
            raise TeamError(
                f"{self.folder} is no team's folder: make one with `hotloop takehome init`."
            ) from None
        except ValidationError:
            path = self.folder / DESCRIPTION
            raise TeamError(f"{path} is damaged: take it from your backup.") from None
        object.__setattr__(self, "_public", bytes.fromhex(description.public_key))

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Create a team's folder with new keys.

        Raises TeamError if it exists already or cannot be written. After a crash, calling it again
        completes the folder.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if (folder / DESCRIPTION).exists():
                raise TeamError(f"{folder.resolve()} has keys already: it is left as it is.")
            key = keys.create(folder / "keys")
            for name in ("packs", "submissions", "reports", "candidates"):
                (folder / name).mkdir(mode=0o700, exist_ok=True)
            (folder / "roles").mkdir(exist_ok=True)
            description = _Description(public_key=key.public.hex(), made=datetime.now(UTC))
            whole_file.replace(folder / DESCRIPTION, _json(description))
            team = cls(folder)
            team.audit("team", "made the folder and its keys")
        except OSError as error:
            why = error.strerror or str(error)
            raise TeamError(f"{folder} cannot be made a team's folder: {why}.") from None
        return team

    @cached_property
    def key(self) -> TeamKey:
        """The team's secret keys.

        Raises KeyMissing if they are missing, readable by others, or another team's: manifests
        signed with those would be refused.
        """
        key = keys.load(self.folder / "keys")
        if key.public != self.public_key:
            where = self.folder / "keys"
            raise keys.KeyMissing(f"{where} holds another team's keys: take yours from a backup.")
        return key

    @property
    def public_key(self) -> bytes:
        """The key for verifying the team's manifests."""
        return self._public

    # --- roles ------------------------------------------------------------------------------------

    def roles(self) -> list[TakehomeRole]:
        """Return all roles, sorted by id.

        Raises CurriculumError with file and line if one is invalid.
        """
        return [read_role(path) for path in sorted(self.folder.glob(f"roles/*/{role.NAME}"))]

    def role(self, name: str) -> TakehomeRole:
        """Return the role called `name`. Raises TeamError that lists the existing ones.

        Faults in other roles' files are ignored if the role is in the folder of its name.
        """
        path = self.role_path(name)
        if path.is_file() and (own := read_role(path)).role == name:
            return own
        roles = self.roles()
        for one in roles:
            if one.role == name:
                return one
        known = ", ".join(one.role for one in roles) or "none"
        raise TeamError(f"There is no role {name!r}; there are: {known}.")

    def role_path(self, name: str) -> Path:
        """Return the path of the role's takehome.yaml, existing or not."""
        return self.folder / "roles" / name / role.NAME

    # --- packs ------------------------------------------------------------------------------------

    def packs(self) -> list[PackRecord]:
        """Return all packs, in order of creation.

        Raises TeamError if a record is damaged, so that callers do not take its pack for deleted.
        """
        records, damaged = self.readable_packs()
        for fault in damaged.values():
            raise fault
        return records

    def readable_packs(self) -> tuple[list[PackRecord], dict[str, TeamError]]:
        """Return all packs with a readable record, and the faults of others by folder."""
        records: list[PackRecord] = []
        damaged: dict[str, TeamError] = {}
        for path in self.folder.glob(f"packs/*/{RECORD}"):
            try:
                records.append(_read_record(path))
            except FileNotFoundError:
                # Another process may delete one in the meantime.
                continue
            except TeamError as fault:
                damaged[path.parent.name] = fault
        return sorted(records, key=lambda record: (record.made, record.pseudonym)), damaged

    def pack(self, pack: UUID) -> PackRecord:
        """Return a pack's record. Raises UnknownPack if it was never made here, or was deleted."""
        try:
            return _read_record(self.pack_folder(pack) / RECORD)
        except FileNotFoundError:
            raise UnknownPack(f"There is no pack {pack} here, or it was forgotten.") from None

    def find(self, name: str) -> PackRecord:
        """Return the pack with this pseudonym or id. Raises TeamError if there is none."""
        for record in self.packs():
            if name in (record.pseudonym, str(record.pack)):
                return record
        raise TeamError(f"No pack here is called {name!r}: `hotloop takehome status` lists them.")

    def pack_folder(self, pack: UUID) -> Path:
        """Return the folder of the pack's files."""
        return self.folder / "packs" / str(pack)

    def pack_file(self, pack: UUID) -> Path:
        """Return the path of the candidate's zip."""
        return self.pack_folder(pack) / PACK

    def manifest(self, pack: UUID) -> Manifest:
        """Return the pack's verified manifest. Raises ForgedManifest if it was changed."""
        return verify((self.pack_folder(pack) / MANIFEST).read_bytes(), self.public_key)

    def variant(self, pack: UUID) -> Variant:
        """Return the candidate's variant. Raises TeamError if it differs from the signed one."""
        from hotloop.tasks.variants import Variant

        path = self.pack_folder(pack) / VARIANT
        try:
            variant = Variant.from_json(json.loads(path.read_bytes()))
        except ValueError:
            raise TeamError(f"{path} is damaged: take it from your backup.") from None
        if variant.digest != self.manifest(pack).variant:
            raise TeamError(f"{path} is not what the pack's manifest was signed for.")
        return variant

    def add_pack(self, record: PackRecord, name: str, files: dict[str, bytes]) -> None:
        """Store a new pack: its files by name, and the candidate's encrypted name."""
        folder = self.pack_folder(record.pack)
        folder.mkdir(mode=0o700, parents=True)
        whole_file.replace(folder / UNFINISHED, _json(record), 0o600)
        for file, data in files.items():
            whole_file.replace(folder / file, data, 0o600)
        self.seal_name(record.pseudonym, name)
        # Last step: a pack exists once it has its record.
        (folder / UNFINISHED).replace(folder / RECORD)

    def start(self, pack: UUID, at: datetime) -> PackRecord:
        """Record the first download, which starts the window; later ones change nothing."""
        return self._change(pack, lambda now: {} if now.started else {"started": at})

    def extend(self, pack: UUID, deadline: datetime) -> PackRecord:
        """Set a later deadline, and allow one more submission.

        Work handed in until then is kept as long as the role says. Raises TeamError for a time in
        the past, after which nothing would be accepted, or too far in the future.
        """
        if deadline <= datetime.now(UTC):
            raise TeamError(f"{deadline:%Y-%m-%d %H:%M} UTC is over: set a later date.")
        if deadline.year > role.LAST_YEAR:
            raise TeamError(f"{deadline:%Y-%m-%d} is too far away: set one up to {role.LAST_YEAR}.")
        keep_until = deadline + timedelta(days=self.manifest(pack).keep_days)

        def changed(now: PackRecord) -> dict[str, Any]:
            latest = max(now.keep_until, keep_until)
            return {"deadline": deadline, "reopened": True, "keep_until": latest}

        return self._change(pack, changed)

    # --- what comes back --------------------------------------------------------------------------

    def keep(self, submission: Submission, upload: Path) -> Path:
        """Store what `open_submission` accepted from `upload`. The same zip is stored only once."""
        pack = submission.manifest.pack
        folder = self.folder / "submissions" / str(pack)
        path = folder / f"{submission.digest}.zip"
        hand_in = AcceptedSubmission(digest=submission.digest, received=submission.received)

        def add(now: PackRecord) -> dict[str, Any]:
            if submission.digest in [one.digest for one in now.submitted]:
                return {}
            if now.submitted and not now.reopened:
                raise TeamError(
                    f"{now.pseudonym} has handed in already: "
                    f"`hotloop takehome extend {now.pseudonym} --until DATE` lets one more in."
                )
            data = upload.read_bytes()
            if hashlib.sha256(data).hexdigest() != submission.digest:
                raise TeamError("The upload has changed since it was opened.")
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            whole_file.replace(path, data, 0o600)
            return {"submitted": [*now.submitted, hand_in], "reopened": False}

        self._change(pack, add)
        return path

    def submissions(self, pack: UUID) -> list[Path]:
        """Return the paths of accepted zips in order of arrival; the last one counts."""
        folder = self.folder / "submissions" / str(pack)
        return [folder / f"{hand_in.digest}.zip" for hand_in in self.pack(pack).submitted]

    def report_folder(self, pack: UUID) -> Path:
        """Return the folder of report and scorecard; create it if missing."""
        folder = self.folder / "reports" / str(pack)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def report_path(self, pack: UUID) -> Path:
        """Return the path of report.json, without creating its folder."""
        return self.folder / "reports" / str(pack) / JSON_NAME

    def scorecard_path(self, pack: UUID) -> Path:
        """Return the path of the filed scorecard, without which the name is not revealed."""
        return self.folder / "reports" / str(pack) / SCORECARD

    # --- names ------------------------------------------------------------------------------------

    def seal_name(self, pseudonym: str, name: str) -> None:
        """Store a candidate's name encrypted, to be shown by `scorecard --reveal` only.

        Names are padded to one length, since file sizes could identify candidates.
        """
        padding = "\0" * (4 * LONGEST_NAME - len(name.encode()))
        sealed = self.key.seal(name + padding, pseudonym)
        whole_file.replace(self.folder / "candidates" / pseudonym, sealed, 0o600)

    def reveal(self, pack: UUID, who: str) -> str:
        """Return the candidate's name. Raises TeamError before the scorecard is filed; audited."""
        record = self.pack(pack)
        if not self.scorecard_path(pack).is_file():
            self.audit(who, f"asked for the name of {record.pseudonym} before the scorecard")
            raise TeamError(
                f"The scorecard of {record.pseudonym} is not filed yet: first "
                f"`hotloop takehome scorecard {record.pseudonym}`, then the name."
            )
        try:
            name = self._name(record.pseudonym)
        except FileNotFoundError:
            raise TeamError(f"The name of {record.pseudonym} is not here.") from None
        except ValueError as error:
            raise TeamError(f"{error}.") from None
        self.audit(who, f"revealed the name of {record.pseudonym}")
        return name

    def name_for_export(self, pseudonym: str) -> str | None:
        """Return the name for a copy of the candidate's data, which is theirs at any time.

        None if it is not here or damaged. Whoever exports writes that to the audit log.
        """
        with suppress(FileNotFoundError, ValueError):
            return self._name(pseudonym)
        return None

    def is_invited(self, name: str, role: str) -> bool:
        """True if this name has a pack of the role; the result does not say which.

        A missing or damaged encrypted name matches no name.
        """
        wanted = _folded(name)
        for record in self.packs():
            if record.role == role:
                with suppress(FileNotFoundError, ValueError):
                    if _folded(self._name(record.pseudonym)) == wanted:
                        return True
        return False

    def _name(self, pseudonym: str) -> str:
        """Decrypt a name. Raises FileNotFoundError or ValueError."""
        sealed = (self.folder / "candidates" / pseudonym).read_bytes()
        return self.key.unseal(sealed, pseudonym).rstrip("\0")

    def forget(self, pack: UUID, who: str) -> list[Path]:
        """Delete all data of a candidate; return the deleted paths.

        From the first step on, the pack no longer exists for other functions; `sweep` completes a
        deletion that a crash interrupts. Copies that killed gradings left on this machine are
        deleted too.
        """
        with self.alone():
            record = self.pack(pack)
            (self.pack_folder(pack) / RECORD).replace(self.pack_folder(pack) / UNFINISHED)
            deleted = self._delete(record)
        scratch.sweep()
        self.audit(who, f"deleted all that was kept of pack {pack}")
        return deleted

    def sweep(self, who: str) -> list[UUID]:
        """Delete what a crash left of packs that were being deleted or made; return their ids."""
        with self.alone():
            left = [_read_record(path) for path in self.folder.glob(f"packs/*/{UNFINISHED}")]
            for record in left:
                self._delete(record)
            for folder in self.folder.glob("packs/*"):
                # An empty folder is the first step of making a pack and the last one of deleting
                # it.
                if not any(folder.iterdir()):
                    folder.rmdir()
        for record in left:
            self.audit(who, f"deleted what was left of pack {record.pack}")
        return [record.pack for record in left]

    def _delete(self, record: PackRecord) -> list[Path]:
        """Delete a pack's files, its record last, so that an interruption can be detected."""
        folder = self.pack_folder(record.pack)
        deleted: list[Path] = []
        for path in (
            self.folder / "candidates" / record.pseudonym,
            self.folder / "submissions" / str(record.pack),
            self.folder / "reports" / str(record.pack),
            *(path for path in sorted(folder.iterdir()) if path.name != UNFINISHED),
            folder / UNFINISHED,
            folder,
        ):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.exists():
                path.unlink()
            else:
                continue
            deleted.append(path)
        return deleted

    def due(self, now: datetime) -> list[PackRecord]:
        """Return packs whose retention period is over."""
        return [record for record in self.packs() if record.keep_until <= now]

    # --- audit ------------------------------------------------------------------------------------

    def audit(self, who: str, what: str) -> None:
        """Append a line to the audit log, which contains pseudonyms and never a name."""
        document = {"kind": "audit", "who": who[:LONGEST_NAME], "what": what[:500]}
        audit_log.append(self.folder / AUDIT, document, datetime.now(UTC))

    def audited(self) -> list[audit_log.AuditLine]:
        """Return the lines of the audit log."""
        path = self.folder / AUDIT
        return audit_log.read(path.read_bytes() if path.exists() else b"")

    def latest(self, count: int, before: int | None = None) -> audit_log.AuditPage:
        """Return the audit log's latest lines, or those before an offset."""
        return audit_log.read_page(self.folder / AUDIT, count, before)

    def alone(self) -> AbstractContextManager[None]:
        """Lock the folder against changes by others. Not reentrant."""
        return whole_file.alone(self.folder / ".lock")

    def _change(self, pack: UUID, changed: Callable[[PackRecord], dict[str, Any]]) -> PackRecord:
        """Update a record with the fields that `changed` returns, under the lock."""
        with self.alone():
            record = self.pack(pack)
            if update := changed(record):
                document = {**record.model_dump(), **update}
                record = PackRecord.model_validate(document)
                whole_file.replace(self.pack_folder(pack) / RECORD, _json(record), 0o600)
            return record


def keep_until(manifest: Manifest) -> datetime:
    """Return when submissions for the pack are due for deletion."""
    return manifest.expires + timedelta(days=manifest.keep_days)


def _folded(name: str) -> str:
    """Normalize a name, so that case and spacing do not matter."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _read_record(path: Path) -> PackRecord:
    """Read a record. Raises FileNotFoundError, or TeamError if it is damaged."""
    try:
        return PackRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise
    except (OSError, ValidationError):
        raise TeamError(f"{path} is damaged: take it from your backup.") from None


def _json(document: Strict) -> bytes:
    return (json.dumps(document.model_dump(mode="json"), indent=1) + "\n").encode()
