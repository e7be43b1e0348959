"""`hotloop modules`: what there is to learn."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from hotloop import curriculum
from hotloop.cli import find
from hotloop.cli.answer import Json, answering


def run(as_json: Json = False) -> None:
    """List the modules with their tasks, points and times."""
    with answering(as_json) as answer:
        found = find.all_modules()
        answer.give({"modules": [_document(m) for m in found]}, *map(_table, found))


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
    return {
        "id": task.id,
        "title": task.title,
        "kind": task.kind,
        "minutes": task.minutes,
        "difficulty": task.difficulty,
        "importance": task.importance,
        "points": task.points,
        "rungs": [
            {"id": rung.id, "points": rung.points, "needs_gpu": rung.needs_gpu, "what": rung.what}
            for rung in task.rungs
        ],
    }


def _table(module: curriculum.Module) -> Table:
    title = f"{module.id}: {module.title} ({module.track}, {module.tier})"
    table = Table(title=title, title_justify="left")
    table.add_column("task", no_wrap=True)
    table.add_column("what")
    for heading in ("minutes", "points", "with a GPU"):
        table.add_column(heading, justify="right")
    for task in module.tasks:
        gpu = sum(rung.points for rung in task.rungs if rung.needs_gpu)
        table.add_row(task.id, task.title, str(task.minutes), str(task.points), str(gpu or ""))
    table.add_section()
    gpu = sum(r.points for task in module.tasks for r in task.rungs if r.needs_gpu)
    table.add_row("", "", str(module.minutes), str(module.points), str(gpu or ""))
    return table
