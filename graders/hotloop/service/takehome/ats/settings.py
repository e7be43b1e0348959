"""The interfaces that a team uses: `ats.yaml` in the portal's folder.

api_key: hlk_…              of the portal's own API
greenhouse:
  key: hlk_…                which Greenhouse sends as user name, and gets back
webhook:
  url: https://ats.example.org/hooks/hotloop
  secret: whsec_…           signs events, by Standard Webhooks
mail:                       sends the link to candidates of Greenhouse
  host: smtp.example.org
  sender: hiring@example.org
"""

from __future__ import annotations

import base64
import binascii
import secrets
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from hotloop.core.document import Strict, Text
from hotloop.core.yaml_lines import load
from hotloop.service.secure_url import SecureUrl

FILE = "ats.yaml"

Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{32,170}$")]
"""A key; Greenhouse takes fewer than 171 characters."""


def _signing(secret: str) -> str:
    if not secret.startswith("whsec_"):
        raise ValueError("whsec_ and 24 to 64 bytes in base64")
    try:
        length = len(base64.b64decode(secret.removeprefix("whsec_"), validate=True))
    except binascii.Error:
        length = 0
    if not 24 <= length <= 64:
        raise ValueError("whsec_ and 24 to 64 bytes in base64")
    return secret


class Greenhouse(Strict):
    """callback_hosts: where results may be announced, with their subdomains."""

    key: Key
    callback_hosts: list[Text] = Field(default_factory=lambda: ["greenhouse.io"])


class Webhook(Strict):
    """Where events go."""

    url: SecureUrl
    secret: Annotated[str, AfterValidator(_signing)]


class Mail(Strict):
    """A server that sends mail, by SMTP with STARTTLS where it offers that."""

    host: Text
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    sender: Text
    user: str = ""
    password: str = ""


class AtsSettings(Strict):
    """Content of ats.yaml; what is missing is off."""

    api_key: Key | None = None
    greenhouse: Greenhouse | None = None
    webhook: Webhook | None = None
    mail: Mail | None = None


def read(folder: Path) -> AtsSettings | None:
    """Return the settings in the portal's folder, or None if there are none.

    Raises CurriculumError for an invalid file, PermissionError if others may read it.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    if path.stat().st_mode & 0o077:
        raise PermissionError(f"{path} holds keys, and others may read it: chmod 600 {path}")
    return load(path, AtsSettings)


def new_key() -> str:
    """Return a new key for a caller of the API."""
    return f"hlk_{secrets.token_urlsafe(32)}"


def new_secret() -> str:
    """Return a new secret that signs events."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"
