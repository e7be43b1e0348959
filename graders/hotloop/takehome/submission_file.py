"""Makes the candidate's submission: one zip of the work, written atomically.

It can be made again at any time; nothing is sent. It contains the manifest unchanged, the files
that can be graded, notebooks without outputs, and the work log unless it is left out.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotloop.core import whole_file
from hotloop.core.user_error import UserError
from hotloop.learn.pack import MANIFEST, limits, manifest, work_files, work_log
from hotloop.learn.pack.manifest import ForgedManifest, Manifest, PackFolder
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import UNREADABLE_CELL, Cell, cells
from hotloop.worker.notebook import MAX_SOURCE, UnreadableNotebook

_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16


class CannotSubmit(UserError):
    """No submission can be made from this folder. The text is one sentence."""


def pack_in(folder: Path) -> PackFolder:
    """Return the pack that was unpacked into `folder`. Raises CannotSubmit if there is none."""
    try:
        pack = manifest.find(folder)
    except ForgedManifest as error:
        raise CannotSubmit(f"{error} Take {MANIFEST} from the pack again.") from None
    if pack is None:
        raise CannotSubmit(
            f"There is no pack in {folder.resolve()}: name the folder that you unpacked."
        )
    return pack


def submission_path(pack: PackFolder) -> Path:
    """Return the path of a pack's submission."""
    return pack.folder / f"submission-{pack.manifest.pseudonym}.zip"


def make_submission(folder: Path, *, with_work_log: bool = True) -> Path:
    """Write the submission into the pack's folder. Raises CannotSubmit with the reason."""
    pack = pack_in(folder)
    has_log = with_work_log and pack.manifest.work_log != "no"
    if has_log:
        work_log.note(pack.folder, "submitted")
    work = _work(pack.folder)
    _require_asked(pack.manifest, work)
    entries = {MANIFEST: pack.signed, **work}
    log = pack.folder / work_log.NAME
    if has_log and log.is_file():
        entries[work_log.NAME] = log.read_bytes()[: work_log.LONGEST]
    if fault := limits.together_fault(entries):
        raise CannotSubmit(fault)
    if sum(map(len, entries.values())) > limits.MAX_TOTAL:
        raise CannotSubmit(f"All files together are larger than {limits.MAX_TOTAL >> 20} MiB.")
    target = submission_path(pack)
    data = zipped(entries)
    if len(data) > limits.MAX_UPLOAD:
        raise CannotSubmit(f"The submission is larger than {limits.MAX_UPLOAD >> 20} MiB.")
    try:
        whole_file.replace(target, data)
    except OSError as error:
        why = error.strerror or str(error)
        raise CannotSubmit(f"{target} cannot be written: {why}.") from None
    return target


def zipped(entries: Mapping[str, bytes]) -> bytes:
    """Return a zip in the form that `archive` accepts; equal files give equal bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = _PLAIN_FILE
            entry.compress_type = zipfile.ZIP_DEFLATED
            most = limits.MAX_RATIO // 2 * len(zlib.compress(data))
            if len(data) > max(limits.SMALL, most):
                # What compresses so well would be refused as a zip bomb.
                entry.compress_type = zipfile.ZIP_STORED
            archive.writestr(entry, data)
    return stream.getvalue()


def _work(folder: Path) -> dict[str, bytes]:
    work: dict[str, bytes] = {}
    for name, data in work_files.read(folder).items():
        try:
            content = _without_outputs(data) if name.endswith(".ipynb") else data
        except UnreadableNotebook as error:
            raise CannotSubmit(f"{name}: {error}") from None
        if len(content) > limits.MAX_FILE:
            raise CannotSubmit(
                f"{name} is larger than {limits.MAX_FILE >> 20} MiB even without its outputs: move "
                "data out of its cells."
            )
        work[limits.FILES + name] = content
    return work


def _without_outputs(notebook: bytes) -> bytes:
    """Return the notebook's cells with their ids, without outputs: everything is run again."""
    sources = cells(notebook, most=limits.MAX_NOTEBOOK)
    if any(cell.source == UNREADABLE_CELL for cell in sources):
        raise UnreadableNotebook(
            f"A cell is no text, or longer than {MAX_SOURCE >> 10} KiB: shorten it."
        )
    document = {
        "cells": [_without_output(cell, number) for number, cell in enumerate(sources)],
        "metadata": dict[str, Any](),
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _without_output(cell: Cell, number: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "cell_type": cell.kind or "markdown",
        "id": cell.cell_id or f"cell-{number}",
        "metadata": {"nbgrader": {"grade_id": cell.grade_id}} if cell.grade_id else {},
        "source": cell.source.splitlines(keepends=True),
    }
    if cell.kind == "code":
        document |= {"execution_count": None, "outputs": []}
    return document


def _require_asked(signed: Manifest, work: Mapping[str, bytes]) -> None:
    """Require all files that the tasks ask to edit, so that no work is forgotten."""
    module = curriculum.load_module(signed.module)
    files = {name for task in signed.tasks for name in module.task(task).files}
    if missing := sorted(
        (files & signed.files.keys()) - {n.removeprefix(limits.FILES) for n in work}
    ):
        raise CannotSubmit(
            f"{', '.join(missing)} cannot be handed in, or is not there, and a task asks for it. "
            "If you have not worked on it, take it from the pack again."
        )
