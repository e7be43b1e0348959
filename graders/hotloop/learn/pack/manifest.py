"""The manifest of a pack: signed by the team, part of the pack, and handed in with the work.

It lists the tasks that count, the deadline and the digests of all files. Of the variant it contains
only the digest. A candidate can read all of it but cannot change it unnoticed.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationError, model_validator

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.moment import Moment
from hotloop.core.user_error import UserError
from hotloop.learn.pack import MANIFEST, keys
from hotloop.learn.pack.keys import TeamKey
from hotloop.learn.pack.notice import Contact, PrivacyNotice
from hotloop.tasks.variants import NAME as VARIANT
from hotloop.tasks.variants import Variant

LONGEST = 256 * 1024
"""Most bytes of a signed manifest."""

RoleId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,60}$")]
Pseudonym = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,12}-[a-z]{2,12}-[0-9]{2,4}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}$")]
WorkLogRule = Literal["yes", "no", "optional"]
Assistants = Literal["forbidden", "declared", "expected"]
"""Rule for AI assistants: not allowed; to be declared in the notebook; expected, and looked at."""

_DOMAIN = b"hotloop takehome manifest 1\n"
"""Prefix of the signed bytes, so that no other signature is valid for a manifest."""


class ForgedManifest(UserError):
    """Not a manifest that this team has signed. The text is one sentence."""


class PackTask(Strict):
    """Weight of a task, and the candidate's time for it, including accommodation."""

    weight: Annotated[float, Field(gt=0, le=1000)]
    minutes: Annotated[float, Field(gt=0)]


class Manifest(Strict):
    """Content of a manifest.

    grader_digest: of judge and checks when the pack was made. variant: the variant's digest.
    window_hours: time from first download to hand-in, including accommodation. files: content of
    the pack by SHA-256. keep_days: how long the team keeps the submission. contact, privacy_notice:
    the role's when the pack was made, so that a candidate keeps what they agreed to.
    """

    format: Literal[1] = 1
    pack: UUID
    pseudonym: Pseudonym
    role: RoleId
    title: Text
    module: Identifier
    hotloop: Text
    grader_digest: Digest
    tasks: Annotated[dict[Identifier, PackTask], Field(min_length=1, max_length=100)]
    variant: Digest | Literal[""]
    not_before: Moment
    expires: Moment
    window_hours: Annotated[float, Field(gt=0)]
    accommodation: Annotated[float, Field(ge=1, le=10)]
    files: Annotated[dict[FileName, Digest], Field(max_length=1000)]
    work_log: WorkLogRule
    assistants: Assistants
    keep_days: Annotated[int, Field(ge=1)]
    contact: Contact
    privacy_notice: PrivacyNotice

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.expires <= self.not_before:
            raise ValueError("`expires` must lie behind `not_before`")
        return self

    def deadline(self, started: datetime | None = None) -> datetime:
        """Return the deadline for handing in. started: first download, None if unknown."""
        if started is None:
            return self.expires
        return min(self.expires, started + timedelta(hours=self.window_hours))

    def body(self) -> bytes:
        """Return the bytes to sign, the same for equal manifests."""
        document = self.model_dump(mode="json")
        return _DOMAIN + json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


class SignedManifest(Strict):
    """The manifest file. signature: Ed25519, in base64."""

    manifest: Manifest
    signature: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{86}==$")]

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        return (json.dumps(self.model_dump(mode="json"), indent=1) + "\n").encode()


@dataclass(frozen=True)
class PackFolder:
    """An unpacked pack on the candidate's machine; nothing in it has been verified."""

    folder: Path
    manifest: Manifest
    signed: bytes

    def variant(self) -> Variant:
        """Read the candidate's variant. Raises ForgedManifest if it does not match the manifest.

        A candidate who changes both affects only this feedback: the team grades with its own
        variant.
        """
        try:
            document = json.loads((self.folder / VARIANT).read_text(encoding="utf-8"))
            variant = Variant.from_json(document)
        except (OSError, ValueError):
            variant = None
        if variant is None or variant.digest != self.manifest.variant:
            raise ForgedManifest(f"{VARIANT} is damaged: take it from your pack again.")
        return variant


def sign(manifest: Manifest, key: TeamKey) -> SignedManifest:
    """Return the manifest with the team's signature."""
    signature = base64.b64encode(key.sign(manifest.body())).decode()
    return SignedManifest(manifest=manifest, signature=signature)


def verify(data: bytes, public_key: bytes) -> Manifest:
    """Return the manifest in `data`. Raises ForgedManifest if invalid or not signed by that key."""
    signed = read(data)
    try:
        signature = base64.b64decode(signed.signature, validate=True)
    except binascii.Error:
        raise ForgedManifest("The manifest's signature is not base64.") from None
    if not keys.is_signed(signed.manifest.body(), signature, public_key):
        raise ForgedManifest("The manifest was changed, or another team has signed it.")
    return signed.manifest


def read(data: bytes) -> SignedManifest:
    """Parse a manifest without verifying it. Raises ForgedManifest if it is invalid."""
    if len(data) > LONGEST:
        raise ForgedManifest(f"The manifest is longer than {LONGEST} bytes.")
    try:
        return SignedManifest.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:80]
        raise ForgedManifest(f"The manifest is not of this format ({where or 'file'}).") from None


def find(folder: Path) -> PackFolder | None:
    """Return the pack in `folder`, unverified, or None if there is no manifest.

    Raises ForgedManifest if the manifest cannot be read.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        data = stream.read(LONGEST + 1)
    return PackFolder(folder.resolve(), read(data).manifest, data)
