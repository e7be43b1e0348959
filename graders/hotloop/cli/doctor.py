"""`hotloop doctor`: what can be graded on this machine, and how to fix what cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli import environments, find, practice_verdicts
from hotloop.cli.answer import All, CommandResult, log, require_local
from hotloop.core import extras
from hotloop.core.user_error import UserError
from hotloop.learn import doctor
from hotloop.learn.remote import place
from hotloop.tasks import curriculum, module_groups

_COLORS = {
    doctor.FindingState.OK: "green",
    doctor.FindingState.LIMITED: "yellow",
    doctor.FindingState.MISSING: "red",
}


def run(
    module: Annotated[
        str | None,
        typer.Argument(help="Show what can be graded of its tasks.", show_default=False),
    ] = None,
    gpu: Annotated[
        bool,
        typer.Option("--gpu", help="Test in 4 minutes whether speed can be judged on the GPU."),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="With --gpu: write what was found to this JSON file, step by step."),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option(
            metavar=f"[{'|'.join(environments.NAMES)}]",
            help="Install it in its own environment, as it conflicts with Hotloop's packages.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="With --install: where to make it; else in your cache.")
    ] = None,
    everything: All = False,
) -> CommandResult:
    """Say what can be graded here, and how to fix each gap.

    With --gpu the exit code is 0, or the number of the first broken step plus one.
    """
    if install is not None and not (module or gpu):
        return environments.install(install, folder)
    if install is not None or folder is not None:
        raise UserError("--install goes with --folder only, and --folder with --install.")
    if gpu:
        require_local()
        from hotloop.author.selftest import run as selftest

        results = selftest.run(lambda result: log(result.line()), report)
        steps = [asdict(result) for result in results]
        broken = [result.name for result in results if result.state == "broken"]
        conclusion = "Speed can be judged on this GPU."
        if broken:
            conclusion = (
                f"Speed cannot be judged on this GPU until this is fixed: {', '.join(broken)}."
            )
        return CommandResult(
            {"steps": steps}, Text(conclusion), exit_code=selftest.exit_code(results)
        )
    chosen = None if module is None else find.module(module).id
    server, gap = place.chosen(), extras.why_no_judge()
    findings = doctor.examine()
    checks = doctor.gradable(findings)
    points = doctor.summary(checks)
    document = {
        "findings": [asdict(finding) for finding in findings],
        "checks": [asdict(check) | {"gradable": not check.lacking} for check in checks],
        "points": {
            name: {"here": here, "all": possible} for name, (here, possible) in points.items()
        },
        "judged_by": server or ("" if gap else place.HERE),
        "install": [] if chosen is None else _commands(chosen),
    }
    if gap and not everything:
        named = curriculum.modules() if module is None else [find.module(module)]
        offer = practice_verdicts.offer(named)
        return CommandResult(document, *_client(server, gap, chosen, offer))
    shown: list[RenderableType] = [Text(_served(server))] if server else []
    if chosen is None:
        fine = [one.name for one in findings if one.state is doctor.FindingState.OK]
        state = _findings(findings) if everything else Text(f"ok: {', '.join(fine)}")
        totals = ", ".join(
            f"{name} {here} of {possible}" for name, (here, possible) in points.items()
        )
        hint = "For tasks name a module, or say --all."
        shown += [
            state,
            _gaps(findings),
            Text(f"Points that can be graded here: {totals}. {hint}"),
        ]
    if chosen is not None or everything:
        shown.append(_checks([check for check in checks if chosen in (None, check.module)]))
    if chosen is not None:
        shown.append(_line(f"All tasks of {chosen}: {', '.join(_commands(chosen))}"))
    return CommandResult(document, *shown)


def _client(server: str, gap: str, module: str | None, offer: str) -> list[Text]:
    """Say who judges for a machine that cannot, instead of all that it lacks.

    offer: what it judges all the same, for practice.
    """
    about = "" if module is None else f" To judge {module} there: {', '.join(_commands(module))}."
    if server:
        return [_line(f"{_served(server)} Nothing is missing here for that.")]
    graded = _line(
        f"{'For a graded verdict: ' if offer else ''}{gap}{'' if gap.endswith('.') else '.'}{about}"
        " In a class, `hotloop login` makes its service the judge. All that judging here would "
        "need: hotloop doctor --all"
    )
    return [_line(offer), graded] if offer else [graded]


def _served(server: str) -> str:
    return f"Your work is judged by {server}, where you are logged in (`--on here`: here)."


def _commands(module: str) -> list[str]:
    return module_groups.of_module(find.module(module)).commands


def _line(text: str) -> Text:
    """Return text that is not broken, since it has commands to copy."""
    return Text(text, no_wrap=True, overflow="ignore")


def _findings(findings: Sequence[doctor.DoctorFinding]) -> Table:
    table = Table("", "state", "found", box=SIMPLE_HEAD)
    for finding in findings:
        state = Text(finding.state, _COLORS[finding.state])
        table.add_row(finding.name, state, Text(finding.found))
    return table


def _gaps(findings: Sequence[doctor.DoctorFinding]) -> Text:
    """List the commands that fix each gap, unwrapped so that they can be copied."""
    gaps = [one for one in findings if one.state is not doctor.FindingState.OK]
    one_for_all = extras.remedy("NAME")
    groups = [one.name for one in gaps if one.fix == one_for_all.replace("NAME", one.name)]
    lines = [f"  {one.name}: {one.fix or one.found}" for one in gaps if one.name not in groups]
    if groups:
        lines.append(f"  {one_for_all}, for NAME in")
        lines += wrap(", ".join(groups), width=76, initial_indent="    ", subsequent_indent="    ")
    return Text("\n".join(["To fix:", *lines, ""]), no_wrap=True, overflow="ignore")


def _checks(checks: Sequence[doctor.Gradable]) -> Table:
    table = Table("task", "graded here", "not here", box=SIMPLE_HEAD)
    for module, task in dict.fromkeys((check.module, check.task) for check in checks):
        of_task = [check for check in checks if (check.module, check.task) == (module, task)]
        here = ", ".join(check.check for check in of_task if not check.lacking)
        lacking = [f"{r.check} ({', '.join(r.lacking)})" for r in of_task if r.lacking]
        table.add_row(f"{module}.{task}", here, ", ".join(lacking))
    return table
