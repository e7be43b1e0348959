"""Hotloop's wheel for packs, made from the Hotloop that runs: of a clone, or as it is installed."""

import csv
import hashlib
import io
import subprocess
import sys
import sysconfig
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from hotloop.core import paths, whole_file
from hotloop.takehome.role import WHEEL
from hotloop.takehome.team import TeamError

TIMEOUT_S = 900
_INSTALLERS = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
"""Files that pip writes, and no wheel has."""


def make(folder: Path) -> Path:
    """Write the wheel into `folder`, and return its path. Raises TeamError if it cannot be made."""
    path = folder / WHEEL
    if paths.in_clone():
        _by_pip(folder)
    else:
        whole_file.replace(path, _as_installed())
    if not path.is_file():
        raise TeamError(f"No {WHEEL} could be made: run `make wheel` in a clone of Hotloop.")
    return path


def _by_pip(folder: Path) -> None:
    root = paths.root()
    prepare = ("-m", "hotloop.engines.simulate.preparation", "--ship", "build/wheel/simulator")
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(root))
    for command in (prepare, build):
        try:
            done = subprocess.run(
                [sys.executable, *command],
                check=False,
                cwd=root,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TeamError(f"Hotloop's wheel could not be built: {error}.") from None
        if done.returncode and command is build:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason"]
            raise TeamError(f"Hotloop's wheel could not be built: {last[0].rstrip('.')}.")


def _as_installed() -> bytes:
    """Return a wheel of the files that were installed. Raises TeamError if one of them is gone."""
    rows: list[tuple[str, str, str]] = []
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in _installed():
            try:
                data = path.read_bytes()
            except OSError:
                raise TeamError(f"{path} is gone: install Hotloop again.") from None
            digest = urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            rows.append((name, f"sha256={digest}", str(len(data))))
            archive.writestr(name, data)
        record = f"{_info()}/RECORD"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        archive.writestr(record, text.getvalue())
    return written.getvalue()


def _installed() -> Iterator[tuple[str, Path]]:
    """Yield names in the wheel with paths, without what pip made itself: commands and bytecode."""
    data = Path(sysconfig.get_path("data"))
    for file in metadata.distribution("hotloop").files or ():
        path = Path(str(file.locate()))
        if (file.name in _INSTALLERS and file.parts[0] == _info()) or file.suffix == ".pyc":
            continue
        if ".." not in file.parts:
            yield file.as_posix(), path
        elif (shared := path.resolve()).is_relative_to(data / "etc"):
            yield f"{_info()[: -len('.dist-info')]}.data/data/{shared.relative_to(data)}", path


def _info() -> str:
    return f"{'-'.join(WHEEL.split('-')[:2])}.dist-info"
