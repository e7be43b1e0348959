"""The exercise's files for download, one by one and as one archive."""

import shutil
import zipfile
from pathlib import Path

from hotloop.core import paths
from hotloop.site.markdown import folded, table
from hotloop.tasks import curriculum

FOLDER = "files"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""A fixed time stamp in the archive, so that the same files give the same bytes."""


def put(module: curriculum.Module, target: Path) -> list[str]:
    """Copy the files into the module's pages at `target`; return the text that links to them.

    The list is empty if the exercise has no files.
    """
    source = paths.exercises() / module.id
    files = sorted(p for p in source.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    if not files:
        return []
    folder = target / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{module.id}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files:
            name = path.relative_to(source).as_posix()
            entry = zipfile.ZipInfo(f"{module.id}/{name}", _LONG_AGO)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    rows = [(_link(path, source, folder), _size(path)) for path in files]
    return [
        f"[All files in one archive]({FOLDER}/{archive.name}){{ .md-button }} {_size(archive)}",
        "",
        *folded("abstract", f"{len(files)} files, one by one", table(("file", "size"), rows)),
    ]


def _link(path: Path, source: Path, folder: Path) -> str:
    """Copy the file and link to it; a Markdown file or a README is only in the archive.

    mkdocs would turn it into a page of the site.
    """
    name = path.relative_to(source).as_posix()
    if path.suffix == ".md" or path.name == "README":
        return f"`{name}`, in the archive"
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / name)
    return f"[`{name}`]({FOLDER}/{name})"


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 0.1):.1f} kB"
