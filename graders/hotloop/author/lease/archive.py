"""One archive of what a lease brought: as many files as fit, the most valuable first."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from hotloop.core import whole_file

MOST_BYTES = 16 << 20


def pack(files: Mapping[str, Path], target: Path, most_bytes: int = MOST_BYTES) -> list[str]:
    """Write files into a zip under their names, in order; return those that did not fit.

    An archive that is there already is replaced at once, so that a kill leaves a whole one.
    """
    left: list[str] = []
    room = most_bytes - 1024
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, path in files.items():
            content = path.read_bytes()
            # The name stands twice in a zip, each time in a header of less than 64 bytes.
            taken = len(zlib.compress(content, 6)) + 2 * (len(name.encode()) + 64)
            if taken > room:
                left.append(name)
                continue
            archive.writestr(name, content)
            room -= taken
    whole_file.replace(target, whole.getvalue())
    return left
