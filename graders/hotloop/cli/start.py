"""`hotloop start`: copy an exercise to work on."""

import filecmp
import shutil
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find, practice_verdicts
from hotloop.cli.answer import CommandResult
from hotloop.core import extras, paths
from hotloop.core.user_error import UserError
from hotloop.learn.remote import place
from hotloop.tasks import lesson_files, module_groups, practice
from hotloop.tasks.curriculum import Module


def run(
    module: Annotated[str, typer.Argument(help="Which module.", show_default=False)],
    folder: Annotated[
        Path | None, typer.Argument(help="Where to; ./MODULE if not given.", show_default=False)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start over; your files are moved to a backup folder.")
    ] = False,
) -> CommandResult:
    """Copy the exercise of a module and its lesson, to work on it."""
    chosen = find.module(module)
    target = (folder or Path(chosen.id)).resolve()
    files, backup = copy_exercise(paths.exercises() / chosen.id, target, force)
    lesson = lesson_files.beside_notebook(chosen.id)
    for name, content in lesson.items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_bytes(content)
    document = {
        "module": chosen.id,
        "folder": str(target),
        "files": files,
        "lesson": sorted(lesson),
        "backup": str(backup) if backup else None,
        "install": module_groups.of_module(chosen).commands,
    }
    read = f", and the lesson, {target / lesson_files.LESSON}" if lesson else ""
    lines = [f"{chosen.title}: {len(files)} files in {target}{read}"]
    if backup:
        lines.append(f"Your earlier files are in {backup}")
    next_ = f"hotloop lab {target}"
    if extras.missing("course"):
        next_ = f"work in your editor, then hotloop check {_first(chosen)} {target}"
    lines += [*_judged(chosen), *_preparation(chosen), f"Next: {next_}"]
    return CommandResult(document, Text("\n".join(lines)))


def _judged(module: Module) -> list[str]:
    """Return who judges the tasks, or what some of them need that is missing here."""
    if server := place.chosen():
        return [f"Judged by {server}, where you are logged in."]
    gap = extras.why_no_judge()
    count = len([task for task in module.tasks if task.kind == "code"])
    lacking = count if gap else len(module_groups.tasks_lacking(module))
    if not lacking:
        return []
    tasks = "all tasks" if lacking == count else f"{lacking} of {count} tasks"
    commands = module_groups.of_module(module).commands
    needed = f"To judge {tasks} here: {', '.join(commands)}"
    offer = practice_verdicts.offer([module]) if gap else ""
    return [offer, needed] if offer else [needed]


def _first(module: Module) -> str:
    """Return what to check first: the module, or the task that this machine has a verdict of."""
    kernels = practice.kernels(module)
    alone = kernels and extras.why_no_judge() and not place.chosen()
    return f"{module.id}.{kernels[0].id}" if alone else module.id


def _preparation(module: Module) -> list[str]:
    """Begin to build the simulator if it will judge here; return what to say of that."""
    uses = any("cuda" in module.needs_of(check) for task in module.tasks for check in task.checks)
    if not uses or extras.missing("cuda") or place.chosen():
        return []
    from hotloop.engines.simulate import preparation  # needs optional packages

    try:
        begins = preparation.begin()
    except (UserError, OSError) as problem:
        return [f"The simulator for CUDA kernels cannot be built yet: {problem}"]
    if not begins:
        return []
    return [
        f"The simulator for CUDA kernels is being built meanwhile, once: {preparation.EXPECTED}."
    ]


def copy_exercise(source: Path, target: Path, force: bool) -> tuple[list[str], Path | None]:
    """Copy the files of `source` to `target`; return their names, and the backup folder or None.

    Raises UserError if a file in the target differs from the exercise's and `force` is not set.
    With `force`, such files are moved into a new folder in `target`. Other files are left alone.
    """
    if not source.is_dir():
        raise UserError(f"There is no exercise at {source}: `hotloop author render` makes it.")
    if target.exists() and not target.is_dir():
        raise UserError(f"{target} is a file: name a folder instead.")
    names = sorted(
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    worked_on = [name for name in names if _differs(source / name, target / name)]
    if worked_on and not force:
        listed = ", ".join(worked_on)
        raise UserError(
            f"{target} already holds work ({listed}): "
            "name another folder, or start over with --force, which keeps a backup."
        )
    backup = _move_away(target, worked_on) if worked_on else None
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    return names, backup


def _differs(fresh: Path, there: Path) -> bool:
    if not there.exists() and not there.is_symlink():
        return False
    return not there.is_file() or not filecmp.cmp(fresh, there, shallow=False)


def _move_away(target: Path, names: list[str]) -> Path:
    backup = target / f"backup-{datetime.now():%Y%m%d-%H%M%S}"
    number = 1
    while backup.exists():
        number += 1
        backup = backup.with_name(f"{backup.name}-{number}")
    for name in names:
        (backup / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).rename(backup / name)
    return backup
