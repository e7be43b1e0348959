"""A site's secret key, tokens derived from it, and digests."""

from __future__ import annotations

import base64
import hmac
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from hotloop.core.whole_file import create_private

NAME = "secret.key"
LENGTH = 32


def load(folder: Path) -> bytes:
    """Return the key in a folder; generate it if it is missing.

    Raises PermissionError if the file has another length or is readable by others.
    """
    path = folder / NAME
    with suppress(FileExistsError):
        create_private(path, secrets.token_bytes(LENGTH))
    data = path.read_bytes()
    if len(data) != LENGTH or path.stat().st_mode & 0o077:
        raise PermissionError(f"{path} is no key of {LENGTH} bytes, or others may read it")
    return data


def derive(secret: bytes, *about: str) -> str:
    """Derive 256 bits from the secret with HMAC-SHA256, as URL-safe text."""
    message = "\n".join(("hotloop portal", *about)).encode()
    return base64.urlsafe_b64encode(hmac.digest(secret, message, "sha256")).rstrip(b"=").decode()


def digest(token: str) -> str:
    """Return the SHA-256 of a token, to be stored instead of the token."""
    return sha256(token.encode()).hexdigest()
