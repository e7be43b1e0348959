"""`hotloop check`: judge the work in a folder, on this machine or on another one."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli import records_table
from hotloop.cli.answer import CommandResult, log, require_sandbox, wants_json, why_no_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.next_steps import numbered
from hotloop.cli.work import Work, work
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.learn.practice import verdicts
from hotloop.learn.remote import place
from hotloop.verdicts import words as verdict_words

if TYPE_CHECKING:
    from hotloop.learn.learning.next_steps import NextStep


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
            metavar="PROBLEM",
            help="A problem in place of a module, as `hotloop judge` reads it: your own folder "
            "with `problem.yaml` and `tasks.py`, or one of a public set. Then the first argument "
            "names a task of it.",
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
) -> CommandResult:
    """Judge your work in the sandbox.

    Where there is none, a CUDA kernel gets a practice verdict of the simulator instead.

    Exit code 1 if a task is not right yet, or if the judge failed.
    """
    # What only some of these need is imported where it is called.
    alone = predict or reproduce
    if alone and (source or seed or on or nsight or (predict and reproduce)):
        raise UserError("--predict and --repro go with no other option but --json.")
    if selftest:
        if source is None or what or folder or seed or on or nsight or alone:
            raise UserError("--selftest goes with --from DIR, and with no other option but --json.")
        from hotloop.cli import author_selftest

        return author_selftest.judged(source)
    _require_seed(seed)
    if source is not None:
        if on:
            raise UserError(
                "--on is for tasks of the curriculum: a problem with --from is judged here."
            )
        from hotloop.cli import problem

        return problem.checked(what, folder, source, seed, nsight=nsight)
    submission = work(what, folder)
    if alone:
        return _of_one_task(submission, reproduce=reproduce)
    if not submission.code:
        raise UserError(f"{what} is graded by a person: there is nothing that can be run.")
    there, practice = place.chosen(on), ""
    if there:
        records = _judge_remotely(submission, seed, there, nsight=nsight)
    elif gap := why_no_sandbox():
        from hotloop.cli import practice_verdicts

        submission, records, practice = practice_verdicts.judge(submission, seed, gap)
    else:
        records = _judge(submission, seed, nsight=nsight)
    own = not there and submission.pack is None
    return _answer(submission, records, nsight=nsight, own=own, practice=practice)


def _of_one_task(submission: Work, *, reproduce: bool) -> CommandResult:
    if len(submission.code) != 1:
        option = "--repro" if reproduce else "--predict"
        name = next(task.id for task in submission.module.tasks if task.kind == "code")
        raise UserError(
            f"{option} is about one task with code, such as {submission.module.id}.{name}."
        )
    require_sandbox()
    [task] = submission.code
    if reproduce:
        from hotloop.cli import repro

        return repro.reproduce(submission, task.id)
    return _predict(submission.module.id, task.id, submission.folder)


def _predict(module: str, task: str, folder: Path) -> CommandResult:
    """Ask about the task. With --json, print the questions with their answers instead of asking."""
    if not (wants_json() or _has_terminal()):
        raise UserError(
            "--predict asks you questions, and there is no terminal to answer in: run it in one, "
            f'call `predict("{module}.{task}")` in the notebook, or print the questions with '
            "their answers: --predict --json."
        )
    from hotloop.learn.predicting import game

    own = game.work(module, task, folder)
    with judging_line() as say:
        questions = game.questions(own, say)

    def play(as_json: bool) -> int:
        if not as_json:
            game.play(module, questions)
        return 0

    document = {"questions": [item.model_dump(mode="json") for item in questions]}
    return CommandResult(document, then=play)


def _has_terminal() -> bool:
    """Tests replace this function."""
    return sys.stdin.isatty()


def _require_seed(seed: str) -> None:
    if seed and re.fullmatch(r"[0-9a-f]{32}", seed) is None:
        raise UserError(f"{seed[:40]} is no seed: a record's has 32 characters from 0-9 and a-f.")


def _judge(submission: Work, seed: str, *, nsight: bool) -> dict[str, Record]:
    from hotloop.judge.client import JudgeProcess
    from hotloop.learn.learning.after_check import reading_ahead
    from hotloop.tasks.local_judging import judge_folder

    line = judging_line(verdicts.took_before(submission.keys))
    with JudgeProcess() as judge, reading_ahead(), line as say:
        return judge_folder(
            submission.folder,
            submission.module.id,
            [task.id for task in submission.code],
            judge=judge,
            on_progress=lambda text: say(f"judging: {text}"),
            variant=submission.variant(),
            given=submission.given,
            seed=seed,
            nsight=nsight,
        )


def _judge_remotely(submission: Work, seed: str, url: str, *, nsight: bool) -> dict[str, Record]:
    """Judge on another machine. url: as in `hotloop.learn.remote.judge_remotely.ask`."""
    from hotloop.learn.pack import work_files
    from hotloop.learn.remote import judge_remotely

    for name, why in work_files.left_out(submission.folder).items():
        log(f"{name} stays here: {why}")
    request = judge_remotely.request(
        submission.folder,
        submission.module.id,
        [task.id for task in submission.code],
        variant=submission.variant(),
        given=submission.given,
        seed=seed,
        nsight=nsight,
    )
    with judging_line(verdicts.took_before(submission.keys)) as say:
        return judge_remotely.ask(url, request, lambda text: say(f"{url}: {text}"))


def _answer(
    submission: Work, records: dict[str, Record], *, nsight: bool, own: bool, practice: str
) -> CommandResult:
    """Note what was judged, and show it.

    own: as in `verdicts.note`. practice: what is said of practice verdicts; "" if these are none.
    """
    variant = submission.variant()
    digest = "" if variant is None else variant.digest
    scores = records_table.scores(submission.module, submission.tasks, records)
    for name, record in records.items():
        verdicts.note(record, scores[name], "command", own=own, variant=digest)
        if submission.pack is not None:
            from hotloop.learn.pack import work_log

            work_log.note_check(submission.folder, record, scores[name])
    following = [] if submission.pack is not None else _following(submission, records)
    document = records_table.document(
        submission.module, submission.tasks, submission.folder, records, scores
    )
    document["next"] = [asdict(step) for step in following]
    document["practice"] = practice
    shown = [records_table.table(submission.tasks, document["tasks"], records)]
    profiles = records_table.profiles(records) if nsight else []
    calls = filter(None, map(verdict_words.how_to_reproduce, records.values()))
    lines = [Text(call.replace("`", ""), no_wrap=True) for call in calls]
    told = records_table.printed_lines(records)
    if practice:
        told.append(Text(practice))
    exit_code = int(records_table.failed(records))
    return CommandResult(
        document, *shown, *told, *profiles, *lines, *numbered(following), exit_code=exit_code
    )


def _following(submission: Work, records: dict[str, Record]) -> list[NextStep]:
    from hotloop.learn.learning.after_check import steps_after

    return steps_after([f"{submission.module.id}.{task}" for task in records])
