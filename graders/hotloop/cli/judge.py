"""`hotloop judge`: judge submissions to a problem of a public set, or to a whole set."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import All, Answer, first, log, require_sandbox
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.verdicts.words import is_failure

if TYPE_CHECKING:
    from hotloop.author.external.suite import Row


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
    ray: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Judge a suite on the nodes of a Ray cluster: auto, HOST:PORT, ray://HOST:PORT, "
            "or local to start one here.",
        ),
    ] = "",
    everything: All = False,
) -> Answer:
    """Judge a problem of KernelBench, GPU MODE or FlashInfer-Bench with secret inputs.

    The problem is read where you have it, in a confined process. On a GPU the speed is measured
    against the problem's own code. Exit code 1 if a submission is wrong, or the judge failed.
    """
    if suite is None and submissions is None:
        return _problem(problem, files or [], everything)
    if suite is None or submissions is None or problem is not None:
        raise UserError("A suite takes two folders: --suite DIR --submissions DIR.")
    return _suite(suite, submissions, results, ray, everything)


def _problem(problem: Path | None, files: list[Path], everything: bool) -> Answer:
    if problem is None or not files:
        raise UserError("Name a problem and a submission: hotloop judge PROBLEM FILE…")
    require_sandbox()
    from hotloop.author.external import forms, judging, suite
    from hotloop.judge.client import JudgeProcess

    asked = forms.find(problem)
    if missing := [str(file) for file in files if not file.is_file()]:
        raise UserError(f"There is no {missing[0]}.")
    rows: list[Row] = []
    with JudgeProcess() as process, Console(stderr=True).status("") as status:
        for file in files:
            record = judging.judge(
                judging.ExternalJob.of(asked, file),
                process=process,
                on_progress=lambda text, file=file: status.update(f"{file.name}: {text}"),
            )
            rows.append(suite.Row.of(asked, file, record))
    return _answer(rows, everything)


def _suite(folder: Path, submissions: Path, results: Path, ray: str, everything: bool) -> Answer:
    require_sandbox()
    from hotloop.author.external import suite

    def told(number: int, of: int, row: Row) -> None:
        log(f"{number} of {of}: {row.problem}: {row.verdict}")

    problems = suite.problems(folder)
    return _answer(suite.run(problems, submissions, results, told, ray), everything)


def _answer(rows: list[Row], everything: bool) -> Answer:
    from hotloop.author.external import suite

    found = suite.summary(rows)
    document: dict[str, Any] = {"submissions": [asdict(row) for row in rows], **found}
    heads = ("problem", "submission", "verdict", "× bytes", "× eager", "× compiled", "limit")
    table = Table(*heads, "sentence")
    shown, rest = first(rows, everything)
    for row in shown:
        table.add_row(
            row.problem,
            Path(row.submission).name,
            row.verdict,
            "–" if row.moves is None else f"{row.moves:.2f}",
            _ratio(row.ratio, row.ratio_interval),
            _ratio(row.compiled_ratio, row.compiled_interval),
            "–" if row.limit_share is None else f"{100 * row.limit_share:.0f} %",
            Text(row.sentence),
        )
    pending = len(rows) - found["judged"]
    lines = [Text(f"{found['right']} of {len(rows)} right: {suite.share(rows)}")]
    if pending:
        lines.append(Text(f"{pending} not judged: neither right nor wrong; see the sentences."))
    for p in suite.FAST if found["speed_measured"] else ():
        against = f"eager {suite.fast(rows, p)}, compiled {suite.fast(rows, p, compiled=True)}"
        lines.append(Text(f"fast_{p:g}: {against}"))
    if not found["speed_measured"]:
        why = next((row.speed for row in rows if row.right), "none is right")
        lines.append(Text(f"Speed: {why}"))
    failed = any(is_failure(Verdict(row.verdict)) for row in rows)
    return Answer(document, table, *rest, *lines, exit_code=int(failed))


def _ratio(ratio: float | None, interval: tuple[float, float] | None) -> str:
    if ratio is None or interval is None:
        return "–"
    return f"{ratio:.2f} ({interval[0]:.2f} to {interval[1]:.2f})"
