"""One archive of what a lease brought: as many files as fit, the most valuable first."""

import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

MOST_BYTES = 16 << 20


def pack(
    folder: Path, names: Iterable[str], target: Path, most_bytes: int = MOST_BYTES
) -> list[str]:
    """Write files of `folder` into a zip, in order of `names`; return those that did not fit."""
    left: list[str] = []
    room = most_bytes - 1024
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in names:
            content = (folder / name).read_bytes()
            # The name stands twice in a zip, each time in a header of less than 64 bytes.
            taken = len(zlib.compress(content, 6)) + 2 * (len(name.encode()) + 64)
            if taken > room:
                left.append(name)
                continue
            archive.writestr(name, content)
            room -= taken
    return left
