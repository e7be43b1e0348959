"""`hotloop modules`: list modules and their tasks."""

from itertools import groupby
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, cut, listing
from hotloop.tasks import curriculum


def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODULE]...", help="Show their tasks.", show_default=False),
    ] = None,
) -> CommandResult:
    """List the modules, or the tasks of some with points and times."""
    chosen = [find.module(name) for name in names] if names else curriculum.modules()
    shown = map(_tasks, chosen) if names else _modules(chosen)
    return CommandResult({"modules": [_document(module) for module in chosen]}, *shown)


def _document(module: curriculum.Module) -> dict[str, Any]:
    return {
        "id": module.id,
        "title": module.title,
        "track": module.track,
        "tier": module.tier,
        "summary": module.summary,
        "minutes": module.minutes,
        "points": module.points,
        "needs": module.needs,
        "tasks": [_task(task) for task in module.tasks],
    }


def _task(task: curriculum.Task) -> dict[str, Any]:
    names = {"id", "title", "kind", "minutes", "difficulty", "importance"}
    checks = [
        {"id": check.id, "points": check.points, "needs_gpu": check.needs_gpu, "what": check.asked}
        for check in task.checks
    ]
    return {**task.model_dump(include=names), "points": task.points, "checks": checks}


def _modules(chosen: list[curriculum.Module]) -> tuple[Table, Text]:
    """Return a table with one line per module, grouped by track."""
    table = listing("module", "tier", "hours", "points", "title")
    for track, modules in groupby(chosen, lambda module: module.track):
        table.add_row(Text(track, "bold"))
        for module in modules:
            about = (module.tier, curriculum.hours(module.tasks), str(module.points))
            table.add_row(f"  {module.id}", *about, cut(module.title))
    return table, Text("`hotloop modules MODULE` shows tasks, `hotloop start MODULE` begins them.")


def _tasks(module: curriculum.Module) -> Table:
    table = listing("task", "minutes", "points", "with a GPU", "what")
    table.title = f"{module.id}: {module.title} ({module.track}, {module.tier})"
    table.title_justify = "left"
    for title, tasks in module.tasks_by_part:
        if title:
            hours = f"about {curriculum.hours(tasks)} hours"
            table.add_row("", "", "", "", Text(f"{title}, {hours}", "bold"))
        for task in tasks:
            gpu = sum(check.points for check in task.checks if check.needs_gpu)
            about = (str(task.minutes), str(task.points), str(gpu or ""))
            table.add_row(task.id, *about, cut(task.title))
    return table
