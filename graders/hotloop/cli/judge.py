"""`hotloop judge`: judge submissions to a problem, or to a whole public set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hotloop.cli import public_rows
from hotloop.cli.answer import All, CommandResult, log, require_sandbox
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.author.external.suite import Progress, SuiteResult


def run(
    problem: Annotated[
        Path | None,
        typer.Argument(
            help="Your own folder with `problem.yaml` and `tasks.py`, a KernelBench file, a GPU "
            "MODE folder with `task.yml`, a definition of FlashInfer-Bench or SOL-ExecBench, a "
            "robust-kbench file, a KernelBench-Hard or LeetGPU folder.",
            show_default=False,
        ),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Submissions to it: a folder or file with the task's function, `ModelNew`, "
            "`custom_kernel`, `run`, `forward_fn`, `backward_fn`, `Model` or `solve`.",
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
) -> CommandResult:
    """Judge your own problem, or a public set's: KernelBench, GPU MODE, FlashInfer-Bench and more.

    The inputs are secret. A public problem is read where you have it, in a confined process; on a
    GPU the speed is measured against its own code. `tasks.py` of your own problem is run. Exit code
    1 if a submission is wrong, or the judge failed.
    """
    if suite is None and submissions is None:
        if problem is None or not files:
            raise UserError("Name a problem and a submission: hotloop judge PROBLEM FILE…")
        from hotloop.cli.problem import judged

        return judged(problem, files, everything=everything)
    if suite is None or submissions is None or problem is not None:
        raise UserError("A suite takes two folders: --suite DIR --submissions DIR.")
    return _suite(suite, submissions, results, ray, everything)


def _suite(
    folder: Path, submissions: Path, results: Path, ray: str, everything: bool
) -> CommandResult:
    require_sandbox()
    from hotloop.author.external import suite

    def log_row(progress: Progress, row: SuiteResult) -> None:
        log(f"{progress}: {row.problem}: {row.verdict}")

    problems = suite.problems(folder)
    return public_rows.answer(suite.run(problems, submissions, results, log_row, ray), everything)
