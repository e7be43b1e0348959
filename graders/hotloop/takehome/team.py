"""A team's folder: keys, roles, packs, what was handed in, reports, sealed names, audit log.

    team.json                 what the folder is, and the public key
    keys/                     see hotloop.takehome.keys; mode 0700
    roles/<role>/takehome.yaml
    packs/<pack>/             pack.zip, manifest.json, variant.json, record.json
    submissions/<pack>/       one zip for each hand-in that was taken
    reports/<pack>/           report.json, report.html, scorecard.json
    candidates/<pseudonym>    the sealed name; read by `reveal` only
    audit.jsonl               who did what; pseudonyms only

Whoever changes a record holds the folder's lock; each file is replaced as a whole.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field, ValidationError

from hotloop.curriculum import Strict
from hotloop.practice.moment import Moment
from hotloop.takehome import chain, keys, role, whole_file
from hotloop.takehome.keys import TeamKey
from hotloop.takehome.manifest import NAME as MANIFEST
from hotloop.takehome.manifest import Digest, Manifest, Pseudonym, RoleId, verify
from hotloop.takehome.role import Role, read_role

if TYPE_CHECKING:
    from hotloop.takehome.submission import Submission
    from hotloop.variants import Variant

DESCRIPTION = "team.json"
PACK = "pack.zip"
RECORD = "record.json"
VARIANT = "variant.json"
SCORECARD = "scorecard.json"
AUDIT = "audit.jsonl"
LONGEST_NAME = 200


class TeamError(Exception):
    """What was asked of the team's folder cannot be done. The text is one sentence."""


class _Description(Strict):
    format: Literal[1] = 1
    public_key: Digest
    made: Moment


class HandIn(Strict):
    """One submission that was taken. digest: of the zip, which lies under that name."""

    digest: Digest
    received: Moment


class PackRecord(Strict):
    """What the team knows about a pack beyond its manifest.

    started: the first download that was seen. deadline: one that the team has set later. submitted:
    in the order in which they came; the last one counts. reopened: one more will be taken.
    """

    format: Literal[1] = 1
    pack: UUID
    pseudonym: Pseudonym
    role: RoleId
    made: Moment
    keep_until: Moment
    started: Moment | None = None
    deadline: Moment | None = None
    reopened: bool = False
    submitted: Annotated[list[HandIn], Field(max_length=100)] = Field(default_factory=list[HandIn])


@dataclass(frozen=True)
class Team:
    """The team whose folder this is. TeamError where the folder is none."""

    folder: Path
    _public: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", self.folder.resolve())
        try:
            data = (self.folder / DESCRIPTION).read_bytes()
            described = _Description.model_validate_json(data)
        except OSError:
            raise TeamError(
                f"{self.folder} is no team's folder: make one with `hotloop takehome init`."
            ) from None
        except ValidationError:
            raise TeamError(f"{self.folder / DESCRIPTION} is damaged.") from None
        object.__setattr__(self, "_public", bytes.fromhex(described.public_key))

    @classmethod
    def create(cls, folder: Path) -> Self:
        """A new team, with keys of its own. TeamError when the folder is one already."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            key = keys.create(folder / "keys")
        except FileExistsError:
            raise TeamError(f"{folder.resolve()} has keys already: it is left as it is.") from None
        private = ("packs", "submissions", "reports", "candidates")
        for name in private:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        (folder / "roles").mkdir(exist_ok=True)
        described = _Description(public_key=key.public.hex(), made=datetime.now(UTC))
        whole_file.replace(folder / DESCRIPTION, _json(described))
        team = cls(folder)
        team.audit("team", "made the folder and its keys")
        return team

    @cached_property
    def key(self) -> TeamKey:
        """The secrets. KeyMissing when they are gone, or others may read them."""
        return keys.load(self.folder / "keys")

    @property
    def public_key(self) -> bytes:
        """What the team's manifests are verified with."""
        return self._public

    # --- roles ------------------------------------------------------------------------------------

    def roles(self) -> list[Role]:
        """All roles, by id. CurriculumError, with file and line, when one is not as it must be."""
        return [read_role(path) for path in sorted(self.folder.glob(f"roles/*/{role.NAME}"))]

    def role(self, name: str) -> Role:
        """The role called `name`. TeamError names those that there are."""
        roles = self.roles()
        for found in roles:
            if found.role == name:
                return found
        known = ", ".join(found.role for found in roles) or "none"
        raise TeamError(f"There is no role {name!r}; there are: {known}.")

    def role_path(self, name: str) -> Path:
        """Where the role's takehome.yaml lies, or would lie."""
        return self.folder / "roles" / name / role.NAME

    # --- packs ------------------------------------------------------------------------------------

    def packs(self) -> list[PackRecord]:
        """All packs, in the order in which they were made."""
        paths = self.folder.glob(f"packs/*/{RECORD}")
        records = [_read_record(path) for path in paths]
        return sorted(records, key=lambda record: (record.made, record.pseudonym))

    def pack(self, pack: UUID) -> PackRecord:
        """One pack's record. TeamError when there is none: it was never made here, or forgotten."""
        try:
            return _read_record(self.pack_folder(pack) / RECORD)
        except FileNotFoundError:
            raise TeamError(f"There is no pack {pack} here, or it was forgotten.") from None

    def find(self, name: str) -> PackRecord:
        """The pack of a pseudonym, or with this id. TeamError when there is none."""
        for record in self.packs():
            if name in (record.pseudonym, str(record.pack)):
                return record
        raise TeamError(f"No pack here is called {name!r}: `hotloop takehome status` lists them.")

    def pack_folder(self, pack: UUID) -> Path:
        """Where the pack's files lie."""
        return self.folder / "packs" / str(pack)

    def pack_file(self, pack: UUID) -> Path:
        """The zip for the candidate."""
        return self.pack_folder(pack) / PACK

    def manifest(self, pack: UUID) -> Manifest:
        """The pack's manifest, verified. ForgedManifest when somebody has changed it."""
        return verify((self.pack_folder(pack) / MANIFEST).read_bytes(), self.public_key)

    def variant(self, pack: UUID) -> Variant:
        """What is this candidate's own in the module."""
        from hotloop.variants import Variant

        document: Any = json.loads((self.pack_folder(pack) / VARIANT).read_bytes())
        return Variant.from_json(document)

    def add_pack(self, record: PackRecord, name: str, files: dict[str, bytes]) -> None:
        """Keep a new pack: its files by name in its folder, and the candidate's sealed name."""
        folder = self.pack_folder(record.pack)
        folder.mkdir(mode=0o700, parents=True)
        for file, data in files.items():
            whole_file.replace(folder / file, data, 0o600)
        self.seal_name(record.pseudonym, name)
        # Last: without its record a pack does not exist.
        whole_file.replace(folder / RECORD, _json(record), 0o600)

    def start(self, pack: UUID, at: datetime) -> PackRecord:
        """Note the first download: the window runs from it. Later ones change nothing."""
        return self._change(pack, lambda now: {} if now.started else {"started": at})

    def extend(self, pack: UUID, deadline: datetime) -> PackRecord:
        """Set another deadline, and let one more submission in."""
        return self._change(pack, lambda _now: {"deadline": deadline, "reopened": True})

    # --- what comes back --------------------------------------------------------------------------

    def keep(self, submission: Submission, upload: Path) -> Path:
        """Keep what `open_submission` took from `upload`. The same zip twice is kept once."""
        pack = submission.manifest.pack
        folder = self.folder / "submissions" / str(pack)
        kept = folder / f"{submission.digest}.zip"
        hand_in = HandIn(digest=submission.digest, received=submission.received)

        def add(now: PackRecord) -> dict[str, Any]:
            if submission.digest in [one.digest for one in now.submitted]:
                return {}
            if now.submitted and not now.reopened:
                raise TeamError(f"{now.pseudonym} has handed in already.")
            data = upload.read_bytes()
            if hashlib.sha256(data).hexdigest() != submission.digest:
                raise TeamError("The upload has changed since it was opened.")
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            whole_file.replace(kept, data, 0o600)
            return {"submitted": [*now.submitted, hand_in], "reopened": False}

        self._change(pack, add)
        return kept

    def submissions(self, pack: UUID) -> list[Path]:
        """The zips that were taken, in the order in which they came; the last one counts."""
        folder = self.folder / "submissions" / str(pack)
        return [folder / f"{hand_in.digest}.zip" for hand_in in self.pack(pack).submitted]

    def report_folder(self, pack: UUID) -> Path:
        """Where report and scorecard lie; made where it is missing."""
        folder = self.folder / "reports" / str(pack)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def scorecard_path(self, pack: UUID) -> Path:
        """The filed scorecard: the name is revealed only when it is there."""
        return self.folder / "reports" / str(pack) / SCORECARD

    # --- names ------------------------------------------------------------------------------------

    def seal_name(self, pseudonym: str, name: str) -> None:
        """Keep who a candidate is, so that only `reveal` can say it."""
        sealed = self.key.seal(name, pseudonym)
        whole_file.replace(self.folder / "candidates" / pseudonym, sealed, 0o600)

    def reveal(self, pack: UUID, who: str) -> str:
        """The candidate's name, once the scorecard is filed. TeamError before; audited."""
        record = self.pack(pack)
        if not self.scorecard_path(pack).is_file():
            self.audit(who, f"asked for the name of {record.pseudonym} before the scorecard")
            raise TeamError(
                f"The scorecard of {record.pseudonym} is not filed yet: first "
                f"`hotloop takehome scorecard {record.pseudonym}`, then the name."
            )
        try:
            sealed = (self.folder / "candidates" / record.pseudonym).read_bytes()
            name = self.key.unseal(sealed, record.pseudonym)
        except FileNotFoundError:
            raise TeamError(f"The name of {record.pseudonym} is not here.") from None
        except ValueError as error:
            raise TeamError(f"{error}.") from None
        self.audit(who, f"revealed the name of {record.pseudonym}")
        return name

    def forget(self, pack: UUID, who: str) -> list[Path]:
        """Delete all that is kept of a candidate; what was deleted, by path.

        The pack's record goes first: whatever happens then, nothing takes it for a pack any more.
        """
        record = self.pack(pack)
        gone: list[Path] = []
        with self.alone():
            for path in (
                self.pack_folder(pack) / RECORD,
                self.folder / "candidates" / record.pseudonym,
                self.pack_folder(pack),
                self.folder / "submissions" / str(pack),
                self.folder / "reports" / str(pack),
            ):
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.exists():
                    path.unlink()
                else:
                    continue
                gone.append(path)
        self.audit(who, f"deleted all that was kept of pack {pack}")
        return gone

    def due(self, now: datetime) -> list[PackRecord]:
        """Packs whose time of keeping is over."""
        return [record for record in self.packs() if record.keep_until <= now]

    # --- audit ------------------------------------------------------------------------------------

    def audit(self, who: str, what: str) -> None:
        """Add a line to the audit log, which holds pseudonyms and never a name."""
        document = {"kind": "audit", "who": who[:LONGEST_NAME], "what": what[:500]}
        chain.append(self.folder / AUDIT, "audit", document, datetime.now(UTC))

    def audited(self) -> chain.Chain:
        """The audit log, with the places at which it does not hang together."""
        path = self.folder / AUDIT
        return chain.read(path.read_bytes() if path.exists() else b"", "audit")

    def alone(self) -> AbstractContextManager[None]:
        """Until it ends, nobody else changes what is kept here. It cannot be nested."""
        return whole_file.alone(self.folder / ".lock")

    def _change(self, pack: UUID, changed: Callable[[PackRecord], dict[str, Any]]) -> PackRecord:
        """Replace a record by what `changed` makes of it, alone in the folder."""
        with self.alone():
            record = self.pack(pack)
            if update := changed(record):
                document = {**record.model_dump(), **update}
                record = PackRecord.model_validate(document)
                whole_file.replace(self.pack_folder(pack) / RECORD, _json(record), 0o600)
            return record


def keep_until(manifest: Manifest) -> datetime:
    """When what is handed in for the pack is due to be deleted."""
    return manifest.expires + timedelta(days=manifest.keep_days)


def _read_record(path: Path) -> PackRecord:
    try:
        return PackRecord.model_validate_json(path.read_bytes())
    except ValidationError:
        raise TeamError(f"{path} is damaged: take it from your backup.") from None


def _json(document: Strict) -> bytes:
    return (json.dumps(document.model_dump(mode="json"), indent=1) + "\n").encode()
