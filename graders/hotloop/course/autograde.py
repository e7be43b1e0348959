"""Makes nbgrader's `autograde`, and its formgrader button, work like `hotloop course grade`.

That is for modules; an instructor's own assignments are graded by nbgrader's own steps. nbgrader
copies a submission's files and converts its notebook in two passes. In the first pass a module's
submission is read, run and entered; the graded notebook is what nbgrader then writes.
"""

import os
import stat
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import NotebookExporter

from hotloop.course import nodes
from hotloop.course.attempts.attempt import now
from hotloop.course.book import filled
from hotloop.course.grade import grade_one
from hotloop.course.hand_in import (
    MAX_NAME,
    NO_TIME,
    SUBMITTED,
    TIMESTAMP,
    entries,
    notes_on,
    time_of,
)
from hotloop.course.scores import Counting
from hotloop.course.settings import Grading
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK

SET_ASIDE = "set_aside"


class GradedNotebook(NotebookExporter):
    """`Autograde.exporter_class`: replaces the submitted notebook by the graded one."""

    def from_filename(
        self, filename: str, resources: Any = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Grade a module's submission; in the second pass its copy is graded already."""
        root = Path(cast(Any, self.parent).coursedir.root)
        names = resources["nbgrader"]
        is_module = names["assignment"] in curriculum.names()
        if is_module:
            # nbgrader registers its steps before each pass; what is graded already needs none.
            self._preprocessors = []
        if not is_module or Path(filename).relative_to(root).parts[0] != SUBMITTED:
            return super().from_filename(filename, resources=resources, **kw)
        settings = Grading(config=self.config)
        place = names["student"], names["assignment"]
        again = bool(cast(Any, self.parent).force)
        attempt = grade_one(root, settings, *place, _notes.pop(place, ()), again=again)
        resources["metadata"] = {"name": Path(filename).stem, "path": str(Path(filename).parent)}
        notebook = nodes.of(filled(attempt, Counting.of(root).worth(attempt.module)))
        return cast(Any, super()).from_notebook_node(notebook, resources=resources, **kw)


def intake(*, notebooks: list[str], **_: Any) -> None:
    """`Autograde.pre_convert_hook`: prepare one submission; `notebooks` are its paths.

    nbgrader follows symbolic links when it copies a submission, and later copies the result into
    the learner's feedback, so a link to the gradebook would reveal its content. Pipes and name
    clashes make it give up on the learner. So everything that is not graded is moved away.
    """
    if not notebooks:
        return
    folder = Path(notebooks[0]).parent
    set_aside(folder.parents[2], folder.parent.name, folder.name)
    if folder.name in curriculum.names():
        # Also if the file is missing: this replaces nbgrader's handling of missing notebooks.
        notebooks[:] = [str(folder / NOTEBOOK)]
    else:
        notebooks[:] = [name for name in notebooks if Path(name).is_file()]


def set_aside(root: Path, student: str, assignment: str) -> None:
    """Move what is not graded out of a submission's folder; nothing is deleted."""
    folder = root / SUBMITTED / student / assignment
    away = root / SET_ASIDE / student / assignment / f"{now():%Y%m%dT%H%M%S%fZ}"
    left_out = irregular(folder, root / "source" / assignment)
    for number, (path, _) in enumerate(left_out):
        name = str(path.relative_to(folder))
        target = away / (name if len(os.fsencode(name)) <= MAX_NAME else str(number))
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)  # a folder that its learner has closed cannot be moved
        path.rename(target)
    _notes[student, assignment] = notes_on(
        (path.relative_to(folder).as_posix(), why) for path, why in left_out
    )


def irregular(folder: Path, source: Path) -> list[tuple[Path, str]]:
    """Return the entries of `folder` that nbgrader must not copy, each with the reason.

    These are what `hand_in` leaves out, and a timestamp that nbgrader cannot parse. Notebooks stay,
    since nbgrader does not copy them, and one that is too long is better called so than missing.
    """
    released = {path.relative_to(source).as_posix() for path, _ in entries(source)}
    left_out = [
        (path, why)
        for path, why in entries(folder, released)
        if why and not (path.suffix == ".ipynb" and stat.S_ISREG(path.lstat().st_mode))
    ]
    timestamp = folder / TIMESTAMP
    if os.path.lexists(timestamp) and not time_of(timestamp):
        left_out.append((timestamp, NO_TIME))
    return left_out


_notes: dict[tuple[str, str], list[str]] = {}
"""Notes on what was set aside of a submission, until it is graded in this process."""
