"""Seals of hand-ins that a class's service lays into the exchange for its learners.

Such a folder belongs to the service's account, not to the learner's. That it is theirs all the same
is said by the end of its name: a message authentication code of the rest of the name and of all
that is in the folder. A folder that is renamed or changed has none, and neither has one that
somebody else has made, as the key lies in the course's own folder.
"""

import base64
import hmac
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from hotloop.core.user_error import UserError
from hotloop.core.whole_file import create_private
from hotloop.course.hand_in import MAX_FILES, MAX_TOTAL, read_ordinary

FILE = "hand_ins.key"
_BYTES = 18
"""Of a code in a name: 24 characters."""


def key(root: Path) -> bytes:
    """Return the key of the course at `root`; make it if there is none.

    Raises UserError if this account cannot.
    """
    path = root / FILE
    try:
        with suppress(FileExistsError):
            if not path.exists():
                create_private(path, secrets.token_bytes(32))
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}. The service that takes hand-ins and who collects them both "
            "read this file, and the first of them makes it: let them run as one account, or let "
            "their group read it."
        ) from None


def seal(key: bytes, name: str, files: Mapping[str, bytes]) -> str:
    """Return the seal of a hand-in. name: of its folder, without the seal. files: by path."""
    digests = [f"{path}\0{sha256(data).hexdigest()}" for path, data in sorted(files.items())]
    code = hmac.digest(key, "\n".join([name, *digests]).encode(), "sha256")
    return base64.urlsafe_b64encode(code[:_BYTES]).decode()


def is_sealed(key: bytes, folder: Path) -> bool:
    """Return whether the service has laid this folder, under this name, as it is now."""
    name, _, end = folder.name.rpartition("+")
    files = _contents(folder)
    return files is not None and hmac.compare_digest(
        seal(key, name, files).encode(), end.encode("utf-8", "surrogateescape")
    )


def _contents(folder: Path) -> dict[str, bytes] | None:
    """Return all files by path; None for what the service lays in no folder, such as links."""
    files: dict[str, bytes] = {}
    left = MAX_TOTAL
    for place, folders, names in os.walk(folder):
        for name in [*folders, *names]:
            path = Path(place, name)
            if path.is_symlink():
                return None
        for name in names:
            path = Path(place, name)
            data = read_ordinary(path, left)
            if data is None or len(data) > left or len(files) > MAX_FILES:
                return None
            left -= len(data)
            files[path.relative_to(folder).as_posix()] = data
    return files
