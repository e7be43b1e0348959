"""A team's secret keys: for signing manifests, drawing variants and encrypting candidates' names.

Two files of 32 bytes, readable by their owner only. Nothing else in a team's folder is secret.
"""

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hotloop.core.user_error import UserError
from hotloop.core.whole_file import create_private

SIGNING = "signing.key"
VARIANTS = "variants.key"
LENGTH = 32

_SEALING = b"hotloop takehome: names of candidates"


class KeyMissing(UserError):
    """The folder has no usable keys. The text is one sentence that says what to do."""


@dataclass(frozen=True)
class TeamKey:
    """A team's keys. signing: Ed25519 private key. variants: secret for drawing variants."""

    signing: bytes = field(repr=False)
    variants: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        """Public key for verifying signatures."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.signing).public_key().public_bytes_raw()

    def sign(self, data: bytes) -> bytes:
        """Return the signature of `data`."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.signing).sign(data)

    def seal(self, text: str, about: str) -> bytes:
        """Encrypt `text`; it can be decrypted only with the key and the same `about`."""
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        nonce = secrets.token_bytes(12)
        sealed = ChaCha20Poly1305(self._sealing()).encrypt(nonce, text.encode(), about.encode())
        return nonce + sealed

    def unseal(self, sealed: bytes, about: str) -> str:
        """Decrypt a text. Raises ValueError if it was changed, or belongs to another `about`."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        cipher = ChaCha20Poly1305(self._sealing())
        try:
            return cipher.decrypt(sealed[:12], sealed[12:], about.encode()).decode()
        except InvalidTag:
            raise ValueError(f"the sealed name of {about} cannot be opened with this key") from None

    def _sealing(self) -> bytes:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        derivation = HKDF(hashes.SHA256(), LENGTH, salt=None, info=_SEALING)
        return derivation.derive(self.variants)


def is_signed(data: bytes, signature: bytes, public: bytes) -> bool:
    """True if `data` was signed with the private key of `public`."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def create(folder: Path) -> TeamKey:
    """Create missing key files, readable by their owner only; return the keys."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in (SIGNING, VARIANTS):
        with suppress(FileExistsError):
            create_private(folder / name, secrets.token_bytes(LENGTH))
    return load(folder)


def load(folder: Path) -> TeamKey:
    """Read the keys. Raises KeyMissing if they are missing or readable by others."""
    return TeamKey(_read(folder / SIGNING), _read(folder / VARIANTS))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            data = stream.read(LENGTH + 1)
    except OSError:
        raise KeyMissing(f"{path} cannot be read: take it from your backup.") from None
    if mode & 0o077:
        raise KeyMissing(f"Others may read {path}: `chmod 600` it, and think of who has read it.")
    if len(data) != LENGTH:
        raise KeyMissing(f"{path} is no key of {LENGTH} bytes: take it from your backup.")
    return data
