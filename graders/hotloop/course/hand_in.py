"""Reads an untrusted hand-in once, with everything that its execution needs.

It is completed by the released files. After that neither the gradebook nor the course's folders are
needed, so any process on any machine can execute it. Nothing in the course is changed.
"""

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from hotloop.course.repair import repair
from hotloop.judge.notebook_release import Release
from hotloop.tasks.notebook_cells import NOTEBOOK, writable
from hotloop.tasks.variants import NAME as VARIANT
from hotloop.worker.notebook import MAX_NOTEBOOK

SUBMITTED = "submitted"
TIMESTAMP = "timestamp.txt"
"""nbgrader's file with the time of a submission."""
NO_TIME = "not a time, or in a zone that the course does not know"
SECRET = "submission_secret.txt"
"""nbgrader's secret in the name of a released page; only collected submissions have one."""

MAX_FILES = 500
MAX_FILE = 16 << 20
MAX_TOTAL = 64 << 20
"""In bytes. Files over these limits are left out, and the learner is told."""
MAX_NAME = 1000
"""Most bytes of a path, so that it fits below any folder."""
MAX_SHOWN = 1 << 20
"""Most bytes of a learner's files that pages show."""
MAX_NOTES = 20
MAX_TIMESTAMP = 200
"""In bytes."""

MAX_NOTEBOOKS = 10
"""Most notebooks to read, if there are several."""

IGNORED_FOLDERS = frozenset({".ipynb_checkpoints", "__pycache__", ".git", ".venv", "__MACOSX"})
_NOTEBOOK_NAME = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)
_NO_FILE = frozenset({errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.ENXIO})
"""Errors that a hand-in can cause, by links, sockets and deep folders. Permissions are a case of
their own (`_is_closed`); others are the machine's."""
_NO_WORK = "no work"
_STRANGE = "not an ordinary file, or too long"
_CLOSED = "its permissions forbid reading it"
_IN_THE_WAY = "it is in the way of a file of the exercise"


@dataclass(frozen=True)
class HandIn:
    """One submission.

    files: by path, as sandbox and judge see them. notebook: repaired, in nbformat 4 without
    outputs; None if no notebook is graded. own: paths of the learner's files other than the
    notebook. unreadable: why the notebook cannot be read, or "". notes: sentences for the learner.
    handed_in: time as nbgrader recorded it, or "". tasks: to judge; empty for all. variant:
    `Variant.to_json()` of the candidate's or class's variant. digests: as `course_files` in `Job`.
    persons: judged tasks that a person must look at.
    """

    student: str
    module: str
    files: Mapping[str, bytes]
    notebook: Mapping[str, Any] | None = None
    own: Collection[str] = ()
    unreadable: str = ""
    notes: Sequence[str] = ()
    handed_in: str = ""
    tasks: Sequence[str] = ()
    variant: Mapping[str, Any] | None = None
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    persons: Sequence[str] = ()

    @property
    def key(self) -> str:
        """Name in logs and between processes."""
        return f"{self.student}/{self.module}"

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Code cells in order: grade id of an automatically graded cell, or "", and source."""
        notebook = self.notebook or {"cells": []}
        return [
            (_judged_id(cell), cell["source"])
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        ]

    @property
    def shown(self) -> dict[str, str]:
        """Text of the learner's own files, for pages, cut at MAX_SHOWN."""
        texts: dict[str, str] = {}
        left = MAX_SHOWN
        for name in self.own:
            data = self.files[name][:left]
            if b"\0" not in data:
                texts[name] = writable(data.decode("utf-8", "replace"))
                left -= len(data)
        return texts

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that can affect a verdict."""
        files = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        document = [self.module, self.cells, files, self.unreadable, sorted(self.tasks)]
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def is_folder(path: Path) -> bool:
    """True for a folder, and for what may be one and cannot be looked at: reading it says why."""
    try:
        return path.is_dir()
    except OSError:
        return True


def read(root: Path, student: str, release: Release, tasks: Collection[str] = ()) -> HandIn:
    """Read what `student` handed in for a released module, in the course at `root`.

    Raises OSError if this process cannot read it.
    """
    folder = root / SUBMITTED / student / release.module
    files, notes = ordinary_files(folder, {*release.given, NOTEBOOK})
    found = find_notebook(folder, release)
    notes += found.notes
    handed_in = time_of(folder / TIMESTAMP)
    if not handed_in and os.path.lexists(folder / TIMESTAMP):
        notes += notes_on([(TIMESTAMP, NO_TIME)])
    return complete(student, release, files, found.data, notes, handed_in, tuple(sorted(tasks)))


def complete(
    student: str,
    release: Release,
    files: Mapping[str, bytes],
    notebook: bytes | None,
    notes: Sequence[str] = (),
    handed_in: str = "",
    tasks: Sequence[str] = (),
) -> HandIn:
    """Combine a hand-in's files with the released ones, and repair its notebook.

    notebook: the file's content; None if none was handed in.
    """
    repaired = repair(notebook, release, {**files, **release.given})
    document = json.dumps(repaired.notebook)
    return HandIn(
        student,
        release.module,
        {**files, **release.given, NOTEBOOK: document.encode()},
        json.loads(document),
        _own(files, release),
        repaired.unreadable,
        tuple(map(writable, [*repaired.notes, *notes])),
        handed_in,
        tasks,
        json.loads(release.given[VARIANT]) if VARIANT in release.given else None,
        release.digests,
        tuple(repaired.persons),
    )


def ordinary_files(
    folder: Path, places: Collection[str] = ()
) -> tuple[dict[str, bytes], list[str]]:
    """Return regular files below `folder` by path, and notes on those left out.

    places: as in `entries`.
    """
    files: dict[str, bytes] = {}
    left_out: list[tuple[str, str]] = []
    for path, why in entries(folder, places):
        name = path.relative_to(folder).as_posix()
        data = None if why else read_ordinary(path, MAX_FILE)
        if data is None or len(data) > MAX_FILE:
            left_out.append((name, why or _STRANGE))
        else:
            files[name] = data
    return files, notes_on(left_out)


def notes_on(left_out: Iterable[tuple[str, str]]) -> list[str]:
    """Return sentences for the learner on names that are left out, each with the reason."""
    notes = [f"“{name}” was left out: {why}." for name, why in left_out if why != _NO_WORK]
    return notes[:MAX_NOTES]


def entries(folder: Path, places: Collection[str] = ()) -> Iterator[tuple[Path, str]]:
    """Yield everything below `folder`, each with the reason why it is left out, or "".

    nbgrader's timestamp is no part of it. Links are not followed. places: paths of files to be put
    next to them. Files that clash with their folders, or are in a folder with the name of one of
    them, are left out too.
    """
    folders = {parent.as_posix() for place in places for parent in PurePosixPath(place).parents}
    count = total = 0
    for path in _paths(folder):
        name = path.relative_to(folder).as_posix()
        if _is_no_work(path.name):
            yield path, _NO_WORK
            continue
        status = path.lstat()
        count += 1
        if not stat.S_ISLNK(status.st_mode) and not _is_open(path) and _is_closed(path):
            yield path, _CLOSED
        elif (
            not stat.S_ISREG(status.st_mode)
            or status.st_size > min(MAX_FILE, MAX_TOTAL - total)
            or count > MAX_FILES
            or not is_text(name)
            or len(name.encode()) > MAX_NAME
        ):
            yield path, _STRANGE
        elif name in folders or any(p.as_posix() in places for p in PurePosixPath(name).parents):
            yield path, _IN_THE_WAY
        else:
            total += status.st_size
            yield path, ""


def _is_no_work(name: str) -> bool:
    """True for what tools and macOS leave beside a learner's files."""
    return name in IGNORED_FOLDERS or name.startswith("._") or name == ".DS_Store"


def is_text(name: str) -> bool:
    """False for a name that is not UTF-8, which databases and digests cannot handle."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class FoundNotebook:
    """The notebook to grade. data: None if there is none. notes: sentences on all others."""

    data: bytes | None
    notes: Sequence[str] = ()


def find_notebook(folder: Path, release: Release) -> FoundNotebook:
    """Choose the notebook to grade: the one with the released name, if it was worked in.

    Otherwise it is the one with the most answers, since JupyterLab, browsers and file managers
    rename, copy and move notebooks.
    """
    names = notebooks(folder)
    if not names:
        return FoundNotebook(None)
    data = {name: read_ordinary(folder / name) for name in names[:MAX_NOTEBOOKS]}
    chosen = names[0]
    if len(names) > 1:
        answers = {name: repair(found, release).answers for name, found in data.items()}
        if chosen != NOTEBOOK or not answers[chosen]:
            chosen = max(answers, key=lambda name: answers[name])
    notes = [f"“{name}” was not graded: one notebook is. Hand in only “{NOTEBOOK}”."
             for name in names if name != chosen]  # fmt: skip
    if chosen != NOTEBOOK:
        why = f", since “{NOTEBOOK}” has no answer" if NOTEBOOK in names else ""
        notes.insert(0, f"It was handed in as “{chosen}” and graded as “{NOTEBOOK}”{why}.")
    return FoundNotebook(data[chosen], notes[:MAX_NOTES])


def notebooks(folder: Path) -> list[str]:
    """Return the paths of all notebooks below `folder`, the one with the released name first."""
    names = [
        path.relative_to(folder).as_posix()
        for path in _paths(folder)
        if is_notebook(path.name) and not _is_no_work(path.name) and not path.is_dir()
    ]
    return sorted(names, key=lambda name: (name != NOTEBOOK, name.count("/"), name))


def is_notebook(name: str) -> bool:
    """True for a name of a notebook, also as browsers and other systems change it."""
    return _NOTEBOOK_NAME.search(name) is not None


def read_ordinary(path: Path, limit: int = MAX_NOTEBOOK) -> bytes | None:
    """Read up to `limit` + 1 bytes of a regular file; None for links, pipes and others.

    None also for a file that its owner has closed. Raises OSError if a file is there and this
    process cannot read it for another reason.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        _raise_ours(error)
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as stream:
        return stream.read(limit + 1)


def _own(files: Collection[str], release: Release) -> tuple[str, ...]:
    """Return the learner's own files; those that are needed whole come first."""
    # nbgrader would publish any other notebook as it was handed in.
    own = [name for name in files if name not in release.given and not is_notebook(name)]
    return tuple(sorted(own, key=lambda name: (name != SECRET, name not in release.own, name)))


def _judged_id(cell: Mapping[str, Any]) -> str:
    about = cell["metadata"].get("nbgrader", {})
    return str(about["grade_id"]) if about.get("grade") and not about.get("solution") else ""


def time_of(path: Path) -> str:
    """Return the time in nbgrader's file of a course's hand-in, in UTC; "" if it is not a time."""
    # A process that only executes has no course, and needs none of this.
    from hotloop.course.attempts.database import zone
    from hotloop.course.timestamps import FORMAT, moment

    data = read_ordinary(path, MAX_TIMESTAMP) or b""
    text = data.decode("utf-8", "replace").strip() if len(data) <= MAX_TIMESTAMP else ""
    time = moment(text, zone(path.parents[3]))
    return f"{time:{FORMAT}}" if time is not None else ""


def _raise_ours(error: OSError) -> None:
    if error.errno in _NO_FILE:
        return
    if error.errno != errno.EACCES or not _is_closed(Path(os.fsdecode(error.filename))):
        raise error


def _is_closed(path: Path) -> bool:
    """Return True if the learner's permissions keep this process from a file, else the machine's.

    A learner can choose the permissions of what is handed in, so they must not make a hand-in
    pending. They are the learner's if not even the owner may read, and if the owner is not the one
    of the folder `submitted`: a course whose grader runs under a wrong account loses no points.
    """
    submitted = next((parent for parent in path.parents if parent.name == SUBMITTED), None)
    for place in (path, *path.parents):
        if place == submitted:
            return False
        try:
            status = place.lstat()
        except PermissionError:
            continue  # a folder above it is closed
        except OSError:
            return False
        needed = stat.S_IRUSR | (stat.S_IXUSR if stat.S_ISDIR(status.st_mode) else 0)
        if status.st_mode & needed != needed:
            return True
        if submitted is not None and status.st_uid not in {submitted.lstat().st_uid, os.geteuid()}:
            return not _is_open(place)
    return False


def _is_open(path: Path) -> bool:
    needed = os.R_OK | os.X_OK if path.is_dir() else os.R_OK
    return os.access(path, needed, effective_ids=True)


def _is_end(folder: Path) -> bool:
    """Return True for a link to a folder, and for a folder that its learner has closed."""
    return folder.is_symlink() or (not _is_open(folder) and _is_closed(folder))


def _paths(folder: Path) -> Iterator[Path]:
    """Yield files, links to folders, and folders that are no work or closed, without content."""
    for name, folders, files in os.walk(folder, onerror=_raise_ours):
        here = Path(name)
        ends = {f for f in folders if f in IGNORED_FOLDERS or _is_end(here / f)}
        folders[:] = sorted(set(folders) - ends)
        skipped = {TIMESTAMP} if here == folder else set[str]()
        yield from (here / entry for entry in sorted(ends.union(files) - skipped))
