"""`hotloop judge`: submissions to a problem of KernelBench or GPU MODE, or to a whole set."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import All, Answer, UserError, first, log, require_sandbox
from hotloop.core.verdict import Verdict

if TYPE_CHECKING:
    from hotloop.external.suite import Row


def run(
    problem: Annotated[
        Path | None,
        typer.Argument(
            help="A KernelBench file, or a GPU MODE folder with `task.yml`.", show_default=False
        ),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Submissions to it: `ModelNew`, or `custom_kernel`.",
            show_default=False,
        ),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder of problems instead.", show_default=False),
    ] = None,
    submissions: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Submissions to the suite, named after its problems: 40_LayerNorm.py, "
            "40_LayerNorm/….py, or level_1_problem_40_sample_0_kernel.py.",
            show_default=False,
        ),
    ] = None,
    results: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Where a suite's results go, a JSON line each. What is there is not judged again.",
        ),
    ] = Path("results.jsonl"),
    everything: All = False,
) -> Answer:
    """Judge a problem of KernelBench or GPU MODE with secret inputs.

    The problem is read where you have it, in a confined process. Exit code 1 if a submission is
    wrong.
    """
    if suite is None and submissions is None:
        return _problem(problem, files or [], everything)
    if suite is None or submissions is None or problem is not None:
        raise UserError("A suite takes two folders: --suite DIR --submissions DIR.")
    return _suite(suite, submissions, results, everything)


def _problem(problem: Path | None, files: list[Path], everything: bool) -> Answer:
    if problem is None or not files:
        raise UserError("Name a problem and a submission: hotloop judge PROBLEM FILE…")
    require_sandbox()
    from hotloop.external import forms, judging, suite
    from hotloop.judge.client import JudgeProcess

    asked = forms.find(problem)
    if missing := [str(file) for file in files if not file.is_file()]:
        raise UserError(f"There is no {missing[0]}.")
    rows: list[Row] = []
    with JudgeProcess() as process, Console(stderr=True).status("") as status:
        for file in files:
            record = judging.judge(
                asked,
                file,
                process=process,
                on_progress=lambda text, file=file: status.update(f"{file.name}: {text}"),
            )
            rows.append(suite.Row.of(asked, file, record))
    return _answer(rows, everything)


def _suite(folder: Path, submissions: Path, results: Path, everything: bool) -> Answer:
    require_sandbox()
    from hotloop.external import suite

    def told(number: int, of: int, row: Row) -> None:
        log(f"{number} of {of}: {row.problem}: {row.verdict}")

    problems = suite.problems(folder)
    return _answer(suite.run(problems, submissions, results, told), everything)


def _answer(rows: list[Row], everything: bool) -> Answer:
    from hotloop.external.suite import share

    passed, low, high = share(rows)
    judged = [Verdict(row.verdict) for row in rows if not Verdict(row.verdict).pending]
    right = judged.count(Verdict.PASSED)
    document: dict[str, Any] = {
        "submissions": [asdict(row) for row in rows],
        "judged": len(judged),
        "right": right,
        "right_share": {"value": passed, "low": low, "high": high},
        "fast": None,
    }
    table = Table("problem", "submission", "verdict", "sentence")
    shown, rest = first(rows, everything)
    for row in shown:
        table.add_row(row.problem, Path(row.submission).name, row.verdict, Text(row.sentence))
    lines = [Text(f"{right} of {len(judged)} right; speed: not measured.")]
    if len(judged) > 1:
        said = f"{100 * passed:.0f} % ({100 * low:.0f} to {100 * high:.0f} %)"
        lines = [Text(f"{right} of {len(judged)} right: {said}; speed: not measured.")]
    return Answer(document, table, *rest, *lines, exit_code=int(right < len(judged)))
