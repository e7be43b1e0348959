"""A site's secret, from which links and the forms of strangers are derived, and digests."""

from __future__ import annotations

import base64
import hmac
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from hotloop.whole_file import create_private

NAME = "secret.key"
LENGTH = 32


def load(folder: Path) -> bytes:
    """The secret that a folder holds; drawn where there is none yet."""
    path = folder / NAME
    with suppress(FileExistsError):
        create_private(path, secrets.token_bytes(LENGTH))
    data = path.read_bytes()
    if len(data) != LENGTH or path.stat().st_mode & 0o077:
        raise PermissionError(f"{path} is no key of {LENGTH} bytes, or others may read it")
    return data


def derive(secret: bytes, *about: str) -> str:
    """256 bits that nobody knows without the secret, as text that fits into a URL."""
    message = "\n".join(("hotloop portal", *about)).encode()
    return base64.urlsafe_b64encode(hmac.digest(secret, message, "sha256")).rstrip(b"=").decode()


def digest(token: str) -> str:
    """What is stored in a token's place."""
    return sha256(token.encode()).hexdigest()
