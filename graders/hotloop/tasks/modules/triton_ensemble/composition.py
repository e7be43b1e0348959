"""A folder that combines files of a submission with files of the check.

Each task is judged on its own subject: the other files needed to run it come from the check, so
that a mistake in one task costs no points in another.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.files import lay_out
from hotloop.judge.session import Session
from hotloop.sandbox.scratch import scratch

Content = Path | Callable[[], bytes]
"""A file of the check, or what makes its content."""


@dataclass(frozen=True)
class Composition:
    """folder: of the submission, copied whole; "" for none.

    theirs: files of the submission, by their name in the new folder. Each must have been handed in.
    ours: files of the check, likewise. They are copied last and replace files of the same name.
    Hidden folders are not copied, and links are not followed.
    """

    folder: str = ""
    theirs: Mapping[str, str] = field(default_factory=dict[str, str])
    ours: Mapping[str, Content] = field(default_factory=dict[str, Content])

    def put_together(self, session: Session) -> Path:
        """Return the folder; it ends with the session. Raises Ruling if a file is missing."""
        files = _visible(session.files.below(self.folder)) if self.folder else {}
        for name, source in self.theirs.items():
            files[name] = session.files.read_text(source).encode()
        _require_room(files, self.ours)
        target = session.keep(scratch())
        lay_out(files, target)
        for name, content in self.ours.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            data = content.read_bytes() if isinstance(content, Path) else content()
            (target / name).write_bytes(data)
        return target


def _require_room(theirs: Collection[str], ours: Collection[str]) -> None:
    """Raise Ruling if a submitted file has the name of a folder of the check, or the reverse."""
    for name in sorted(_folders(ours).intersection(theirs)):
        raise Ruling(Verdict.COMPILE_ERROR, f"{name!r} must be a folder, and is a file.")
    for name in sorted(_folders(theirs).intersection(ours)):
        raise Ruling(Verdict.COMPILE_ERROR, f"{name!r} must be a file, and is a folder.")


def _folders(names: Collection[str]) -> set[str]:
    return {str(folder) for name in names for folder in PurePosixPath(name).parents}


def _visible(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Drop files of hidden folders, such as .ipynb_checkpoints, which is no model.

    A hidden file stays: a version of an ensemble may have nothing but .gitkeep.
    """
    return {
        name: content
        for name, content in files.items()
        if not any(part.startswith(".") for part in name.split("/")[:-1])
    }
