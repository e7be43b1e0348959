"""A learner's work: its folder, the module and tasks that it answers, and its variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.cli import find
from hotloop.core.user_error import UserError
from hotloop.learn.pack import MANIFEST
from hotloop.tasks import curriculum, variants
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.variants import Variant

if TYPE_CHECKING:
    from hotloop.learn.pack.manifest import PackFolder


@dataclass(frozen=True)
class Work:
    """What to judge. pack: the take-home in the folder; None for a module's exercise."""

    module: curriculum.Module
    tasks: Sequence[curriculum.Task]
    folder: Path
    pack: PackFolder | None = None

    @property
    def code(self) -> list[curriculum.Task]:
        """The tasks that the judge runs; a person grades the others."""
        return [task for task in self.tasks if task.kind == "code"]

    @property
    def keys(self) -> list[str]:
        """`module.task` of each task with code."""
        return [f"{self.module.id}.{task.id}" for task in self.code]

    @property
    def given(self) -> Mapping[str, str]:
        """SHA-256 by name of the files that a candidate started from; empty without a take-home."""
        return {} if self.pack is None else self.pack.manifest.files

    def variant(self) -> Variant | None:
        """Return the variant of the take-home, or of the class from which the folder was fetched.

        Raises UserError if its file is damaged.
        """
        if self.pack is not None:
            return self.pack.variant()
        try:
            return variants.beside(self.folder, self.module.id)
        except ValueError as error:
            raise UserError(str(error)) from None


def work(what: str | None, folder: Path | None) -> Work:
    """Return the work that the two arguments of `hotloop check` name.

    what: `module` or `module.task`, or the folder, as in other commands; if neither is given, what
    a take-home in this folder asks for, or the module that the folder is named after. Raises
    UserError, with similar names, if there is none.
    """
    if what is not None and folder is None and _is_folder(what):
        what, folder = None, Path(what)
    folder = folder or Path()
    if what is None and (pack := _pack(folder)) is not None:
        module = find.module(pack.manifest.module)
        tasks = [task for task in module.tasks if task.id in pack.manifest.tasks]
    else:
        module, tasks = find.tasks(what or folder.resolve().name)
    folder = work_folder(folder, module.id)
    pack = _pack(folder)
    is_of_module = pack is not None and pack.manifest.module == module.id
    return Work(module, tasks, folder, pack if is_of_module else None)


def work_folder(folder: Path, module: str) -> Path:
    """Return the folder with the notebook: `folder`, or the module's folder in it.

    Raises UserError if neither has one.
    """
    for candidate in (folder, folder / module):
        if (candidate / NOTEBOOK).is_file():
            return candidate.resolve()
    raise UserError(
        f"There is no {NOTEBOOK} in {folder.resolve()}: `hotloop start {module}` first."
    )


def _is_folder(what: str) -> bool:
    """Return whether the only argument is a folder, and not a module that has the same name."""
    return (Path(what) / NOTEBOOK).is_file() and what not in curriculum.names()


def _pack(folder: Path) -> PackFolder | None:
    if not (folder / MANIFEST).is_file():
        return None
    from hotloop.learn.pack import manifest  # signatures, which other folders do not need

    return manifest.find(folder)
