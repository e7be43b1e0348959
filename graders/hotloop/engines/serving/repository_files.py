"""The files of a model repository, with or without following symbolic links."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path


def holds(question: Callable[[], bool]) -> bool:
    """Return the answer about a path; False if no file can have its name, such as a long one."""
    with suppress(OSError, ValueError):
        return question()
    return False


@dataclass(frozen=True)
class RepositoryFiles:
    """root: the repository. follow_links: False where the server sees a copy without links."""

    root: Path
    follow_links: bool

    def is_file(self, path: Path) -> bool:
        """True if the server sees a regular file there."""
        return holds(path.is_file) and self._is_visible(path)

    def is_folder(self, path: Path) -> bool:
        """True if the server sees a folder there."""
        return holds(path.is_dir) and self._is_visible(path)

    def absence(self, path: Path) -> str:
        """Return why the server sees no file at a path."""
        if self.follow_links:
            is_link = holds(path.is_symlink)
            return "it is a link that leads to no file" if is_link else "it is missing"
        # A link could lead out of the submission, so none is part of the copy that is served.
        return "it is missing (a link is not followed here: put the file itself there)"

    def named(self, model: str, *parts: str) -> Path | None:
        """Return the path of a file that a configuration names; None if outside the repository."""
        # The server joins the parts as text, so that one with a leading slash is relative too.
        path = normpath("/".join((model, *parts)))
        return None if path.startswith(("..", "/")) or "\0" in path else self.root / path

    def _is_visible(self, path: Path) -> bool:
        if self.follow_links:
            return True
        below = (path, *path.parents[: len(path.relative_to(self.root).parts) - 1])
        return not any(part.is_symlink() for part in below)
