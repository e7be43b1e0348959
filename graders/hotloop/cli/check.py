"""`hotloop check`: judge the work in a folder, on this machine or on another one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from hotloop.cli import beside, find, predicting, repro
from hotloop.cli.answer import Answer, log, require_local, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.work import work_folder
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.learn.pack import manifest, work_files, work_log
from hotloop.learn.pack.manifest import PackFolder
from hotloop.learn.practice import verdicts
from hotloop.learn.remote import asking, place
from hotloop.tasks import curriculum, own_problem
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.problem import JudgedTask, Problem, load_problem, settle
from hotloop.tasks.variants import Variant
from hotloop.tasks.variants import beside as variant_beside
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.profile import Profile


@dataclass(frozen=True)
class _Selected:
    """What to judge. source: the folder of a problem outside the curriculum; None for a module."""

    problem: Problem[Any]
    tasks: Sequence[JudgedTask]
    folder: Path
    pack: PackFolder | None = None
    source: Path | None = None


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
    folder: Annotated[
        Path | None, typer.Argument(help="The folder with your work.", show_default="this one")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="A problem of your own in place of a module: a folder with `problem.yaml` and "
            "`tasks.py`, whose code is run. Then the first argument names a task of it.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        str,
        typer.Option(
            help="That of an earlier record: the judge asks with the same inputs again. Then check "
            "once more without it, as a grading draws others.",
            show_default="drawn anew",
        ),
    ] = "",
    on: Annotated[
        str,
        typer.Option(
            "--on",
            metavar="URL",
            help="Judge on another machine, such as one with a GPU: https://host of a class's "
            "service, ssh://user@host with Hotloop, ssh://user@host/~/folder/.venv where that is "
            "in an environment, or `here`.",
            show_default="where you are logged in, else here",
        ),
    ] = "",
    nsight: Annotated[
        bool,
        typer.Option(
            "--nsight", help="Also profile your kernels with Nsight Compute, on a GPU with `ncu`."
        ),
    ] = False,
    selftest: Annotated[
        bool,
        typer.Option(
            "--selftest",
            help="With --from: judge the answers beside the problem. `answer/` must pass, and each "
            "folder in `wrong/` must fail the check that its name begins with.",
        ),
    ] = False,
    predict: Annotated[
        bool,
        typer.Option(
            "--predict",
            help="For a task that passes: one place of your code is changed, and you say what the "
            "judge finds.",
        ),
    ] = False,
    reproduce: Annotated[
        bool,
        typer.Option(
            "--repro",
            help="For a task that fails: write a program that calls your code with the failed "
            "check's input, and prints what was expected and what it got.",
        ),
    ] = False,
) -> Answer:
    """Judge your work in the sandbox.

    Exit code 1 if a task is not right yet, or if the judge failed.
    """
    alone = predict or reproduce
    if alone and (source or seed or on or nsight or (predict and reproduce)):
        raise UserError("--predict and --repro go with no other option but --json.")
    if selftest:
        if source is None or what or folder or seed or on or nsight or alone:
            raise UserError("--selftest goes with --from DIR, and with no other option but --json.")
        return beside.judged(source)
    if what is not None and folder is None and _is_folder(what, source):
        what, folder = None, Path(what)
    work = folder or Path()
    asked = _in_module(what, work) if source is None else _in_problem(what, work, source)
    code = [task for task in asked.tasks if task.kind == "code"]
    if alone:
        return _of_one_task(asked, code, reproduce=reproduce)
    if not code:
        raise UserError(f"{what} is graded by a person: there is nothing that can be run.")
    there = "" if source is not None and not on else place.chosen(on)
    if there:
        records = _judge_there(asked, code, _seed(seed), there, nsight=nsight)
    else:
        require_sandbox()
        records = _judge(asked, code, _seed(seed), nsight=nsight)
    variant = _variant(asked)
    digest = "" if variant is None else variant.digest
    for name, record in records.items() if source is None else ():
        points = settle(asked.problem, name, record)
        own = not there and asked.pack is None
        verdicts.note(record, points, "command", own=own, variant=digest)
        work_log.note_check(asked.folder, record, points)
    rows = [_row(asked.problem, task, records.get(task.id)) for task in asked.tasks]
    judged = [rung.verdict for record in records.values() for rung in record.rungs]
    failed = any(verdict_words.is_failure(verdict) for verdict in judged)
    document = {"module": asked.problem.id, "folder": str(asked.folder), "tasks": rows}
    profiles = _profiles(records) if nsight else []
    shown = [_table(asked.problem, rows, records), *profiles]
    if source is not None:
        shown += beside.faults(records, source)
    else:
        calls = filter(None, map(verdict_words.how_to_reproduce, records.values()))
        shown += [Text(call.replace("`", ""), no_wrap=True) for call in calls]
    return Answer(document, *shown, exit_code=int(failed))


def _of_one_task(asked: _Selected, code: Sequence[JudgedTask], *, reproduce: bool) -> Answer:
    if len(code) != 1:
        option = "--repro" if reproduce else "--predict"
        name = next(task.id for task in asked.problem.tasks if task.kind == "code")
        raise UserError(f"{option} is about one task with code, such as {asked.problem.id}.{name}.")
    require_sandbox()
    [task] = code
    if reproduce:
        return repro.reproduce(asked.problem, task.id, asked.folder, asked.pack, _variant(asked))
    return predicting.predict(asked.problem.id, task.id, asked.folder)


def _in_module(what: str | None, folder: Path) -> _Selected:
    module, tasks = find.tasks(what) if what else _asked_in(folder)
    folder = work_folder(folder, module.id)
    return _Selected(module, tasks, folder, _pack(folder, module.id))


def _in_problem(what: str | None, folder: Path, source: Path) -> _Selected:
    """Return what to judge of a problem outside the curriculum.

    Raises UserError if the problem's two files do not match, or an answer's file is missing.
    """
    require_local()
    problem = load_problem(source)
    try:
        tasks = [problem.task(what)] if what else problem.tasks
    except KeyError as error:
        raise UserError(error.args[0]) from None
    for task in tasks:
        own_problem.require_checks(problem, task, source)
        if not (folder / task.files[-1]).is_file():
            raise UserError(f"There is no {task.files[-1]} in {folder.resolve()}.")
    return _Selected(problem, tasks, folder.resolve(), source=source)


def _is_folder(what: str, source: Path | None) -> bool:
    """Return whether the only argument is a folder, as in other commands, and not a task."""
    if source is not None:
        files = [task.files[-1] for task in load_problem(source).tasks if task.id == what]
        return Path(what).is_dir() and not any(Path(name).is_file() for name in files)
    return (Path(what) / NOTEBOOK).is_file() and what not in {m.id for m in curriculum.modules()}


def _asked_in(folder: Path) -> tuple[curriculum.Module, list[curriculum.Task]]:
    """Return the chosen tasks of a take-home, or all of the module with the folder's name."""
    pack = _pack(folder)
    if pack is None:
        return find.tasks(folder.resolve().name)
    module = find.module(pack.manifest.module)
    return module, [task for task in module.tasks if task.id in pack.manifest.tasks]


def _pack(folder: Path, module: str = "") -> PackFolder | None:
    """Return the take-home in the folder; None if there is none, or if it is of another module."""
    pack = manifest.find(folder)
    return pack if pack is None or module in {"", pack.manifest.module} else None


def _seed(said: str) -> str:
    if said and re.fullmatch(r"[0-9a-f]{32}", said) is None:
        raise UserError(f"{said[:40]} is no seed: a record's has 32 characters from 0-9 and a-f.")
    return said


def _judge(
    asked: _Selected, tasks: Sequence[JudgedTask], seed: str, *, nsight: bool
) -> dict[str, Record]:
    from hotloop.judge.client import JudgeProcess
    from hotloop.tasks.local_judging import judge_folder

    pack = asked.pack
    # An author is told in a line where the problem failed; --json has the traceback.
    process = JudgeProcess(quiet=asked.source is not None)
    with process as judge, judging_line(_took_before(asked, tasks)) as say:
        return judge_folder(
            asked.folder,
            asked.problem.id,
            [task.id for task in tasks],
            judge=judge,
            on_progress=lambda text: say(f"judging: {text}"),
            variant=_variant(asked),
            given=None if pack is None else pack.manifest.files,
            seed=seed,
            source=asked.source,
            nsight=nsight,
        )


def _judge_there(
    asked: _Selected, tasks: Sequence[JudgedTask], seed: str, url: str, *, nsight: bool
) -> dict[str, Record]:
    """Judge on another machine, as `_judge` does on this one."""
    if asked.source is not None:
        raise UserError(
            "--on is for tasks of the curriculum: a problem with --from is judged here."
        )
    for name, why in work_files.left_out(asked.folder).items():
        log(f"{name} stays here: {why}")
    request = asking.request(
        asked.folder,
        asked.problem.id,
        [task.id for task in tasks],
        variant=_variant(asked),
        given={} if asked.pack is None else asked.pack.manifest.files,
        seed=seed,
        nsight=nsight,
    )
    with judging_line(_took_before(asked, tasks)) as say:
        return asking.ask(url, request, lambda text: say(f"{url}: {text}"))


def _took_before(asked: _Selected, tasks: Sequence[JudgedTask]) -> float:
    return verdicts.took_before(f"{asked.problem.id}.{task.id}" for task in tasks)


def _variant(asked: _Selected) -> Variant | None:
    """Return the variant of the take-home, or of the class from which the folder was fetched."""
    if asked.source is not None:
        return None
    if asked.pack is not None:
        return asked.pack.variant()
    try:
        return variant_beside(asked.folder, asked.problem.id)
    except ValueError as error:
        raise UserError(str(error)) from None


def _profiles(records: Mapping[str, Record]) -> list[Table | Text]:
    """Show what Nsight Compute measured of each rung on a GPU, or why it did not."""
    shown: list[Table | Text] = []
    for name, record in records.items():
        for rung in record.rungs:
            profile = Profile.of(rung.evidence)
            if profile is None:
                continue
            title = f"{name}.{rung.rung}, Nsight Compute"
            if profile.why_not:
                shown.append(Text(f"{title}: {profile.why_not}"))
                continue
            table = Table(*profile.columns, title=title)
            for row in profile.rows:
                table.add_row(*row)
            shown.append(table)
    return shown or [Text("Nothing was profiled: no check that measures GPU speed was judged.")]


def _row(problem: Problem[Any], task: JudgedTask, record: Record | None) -> dict[str, Any]:
    score = settle(problem, task.id, record)
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


def _table(
    problem: Problem[Any], rows: list[dict[str, Any]], records: Mapping[str, Record]
) -> Table:
    table = Table("task", "check", "verdict", "points", "sentence")
    for column in table.columns[:4]:
        column.no_wrap = True
    for row in rows:
        points = f"{row['points']:g} of {row['possible']:g}"
        if row["pending"]:
            points += f", {row['pending']:g} open"
        record = records.get(row["task"])
        verdict = "" if record is None else verdict_words.of_task(record)
        grey = "bright_black" if verdict == verdict_words.NOT_STARTED else ""
        sentence = Text(row["sentence"])
        table.add_row(row["task"], "", Text(verdict, grey), points, sentence, style=grey)
        worth = {rung.id: rung.points for rung in problem.task(row["task"]).rungs}
        if record is None or len(record.rungs) == 1 or grey:
            table.add_section()
            continue
        for rung in record.rungs:
            said, sentence = verdict_words.of_rung(rung, record)
            earned = f"{worth.get(rung.rung, 0) * rung.earned:g}"
            shown = "open" if rung.verdict.pending else earned
            table.add_row("", rung.rung, said, shown, Text(sentence))
        table.add_section()
    return table
