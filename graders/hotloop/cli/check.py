"""`hotloop check`: judge a folder's work on this machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hotloop import curriculum, problem
from hotloop.cli import find
from hotloop.cli.answer import Json, UserError, answering
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.local_judging import NOTEBOOK, judge_folder
from hotloop.practice import verdicts
from hotloop.sandbox.level import level
from hotloop.takehome import manifest, work_log
from hotloop.takehome.manifest import PackFolder
from hotloop.variants import Variant


def run(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODULE|MODULE.TASK]",
            help="What is checked; if not given, what the folder is named after, or what a "
            "take-home asks for.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
    seed: Annotated[
        str,
        typer.Option(
            help="That of an earlier record: the judge asks with the same inputs again. Then check "
            "once more without it, as a grading draws others.",
            show_default="drawn anew",
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Judge your work in the sandbox; exit code 1 if a task is not right yet."""
    with answering(as_json) as answer:
        if what is not None and _is_folder(what):
            what, folder = None, Path(what)
        module, tasks = find.tasks(what) if what else _asked_in(folder)
        folder = _work(folder, module.id)
        code = [task for task in tasks if task.kind == "code"]
        if not code:
            raise UserError(f"{what} is graded by a person: there is nothing that can be run.")
        require_sandbox()
        records = _judge(folder, module, code, _seed(seed), _pack(folder, module.id))
        for name, record in records.items():
            points = problem.settle(module, name, record)
            verdicts.note(record, points, "command")
            work_log.note_check(folder, record, points)
        rows = [_row(module, task, records.get(task.id)) for task in tasks]
        judged = [rung.verdict for record in records.values() for rung in record.rungs]
        failed = any(v is not Verdict.PASSED and not v.pending for v in judged)
        document = {"module": module.id, "folder": str(folder), "tasks": rows}
        answer.give(document, _table(module, rows), exit_code=int(failed))


def _is_folder(what: str) -> bool:
    """Whether somebody has named the folder only, as other commands want it."""
    return (Path(what) / NOTEBOOK).is_file() and what not in {m.id for m in find.all_modules()}


def _asked_in(folder: Path) -> tuple[curriculum.Module, list[curriculum.Task]]:
    """The chosen tasks of a take-home, or all of the module that the folder is named after."""
    pack = _pack(folder)
    if pack is None:
        return find.tasks(folder.resolve().name)
    module = find.module(pack.manifest.module)
    return module, [task for task in module.tasks if task.id in pack.manifest.tasks]


def _pack(folder: Path, module: str = "") -> PackFolder | None:
    """The take-home in the folder; None without one, or where it is about another module."""
    try:
        pack = manifest.find(folder)
    except manifest.ForgedManifest as error:
        raise UserError(str(error)) from None
    return pack if pack is None or module in {"", pack.manifest.module} else None


def _work(folder: Path, module: str) -> Path:
    """The folder that holds the notebook: the one given, or the started one in it."""
    for candidate in (folder, folder / module):
        if (candidate / NOTEBOOK).is_file():
            return candidate.resolve()
    raise UserError(
        f"There is no {NOTEBOOK} in {folder.resolve()}: `hotloop start {module}` first."
    )


def require_sandbox() -> None:
    """UserError, with the command that mends it, where code cannot be confined."""
    isolation, reason = level()
    if isolation == "none":
        raise UserError(f"{reason} Nothing untrusted is run without it; see `hotloop doctor`.")


def _seed(said: str) -> str:
    if said and re.fullmatch(r"[0-9a-f]{32}", said) is None:
        raise UserError(f"{said[:40]} is no seed: a record's has 32 characters from 0-9 and a-f.")
    return said


def _judge(
    folder: Path,
    module: curriculum.Module,
    tasks: list[curriculum.Task],
    seed: str,
    pack: PackFolder | None,
) -> dict[str, Record]:
    with Console(stderr=True).status("") as status:
        return judge_folder(
            folder,
            module.id,
            [task.id for task in tasks],
            on_progress=lambda text: status.update(f"judging: {text}"),
            variant=None if pack is None else _variant(pack),
            given=None if pack is None else pack.manifest.files,
            seed=seed,
        )


def _variant(pack: PackFolder) -> Variant:
    try:
        return pack.variant()
    except manifest.ForgedManifest as error:
        raise UserError(str(error)) from None


def _row(module: curriculum.Module, task: curriculum.Task, record: Record | None) -> dict[str, Any]:
    score = problem.settle(module, task.id, record)
    written = "Graded by a person." if task.kind == "written" else ""
    return {
        "task": task.id,
        "verdict": record.verdict if record else None,
        "sentence": record.sentence if record else written,
        "points": score.points,
        "pending": score.pending,
        "possible": score.possible,
        "record": record.to_json() if record else None,
    }


def _table(module: curriculum.Module, rows: list[dict[str, Any]]) -> Table:
    table = Table("task", "rung", "verdict", "points", "sentence")
    for column in table.columns[:4]:
        column.no_wrap = True
    for row in rows:
        points = f"{row['points']:g} of {row['possible']:g}"
        if row["pending"]:
            points += f", {row['pending']:g} open"
        table.add_row(row["task"], "", row["verdict"] or "", points, Text(row["sentence"]))
        worth = {rung.id: rung.points for rung in module.task(row["task"]).rungs}
        rungs = row["record"]["rungs"] if row["record"] else ()
        for rung in rungs if len(rungs) > 1 else ():
            open_ = Verdict(rung["verdict"]).pending
            earned = f"{worth.get(rung['rung'], 0) * rung['earned']:g}"
            sentence = Text(rung["sentence"])
            table.add_row("", rung["rung"], rung["verdict"], "open" if open_ else earned, sentence)
        table.add_section()
    return table
