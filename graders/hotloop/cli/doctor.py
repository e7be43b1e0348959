"""`hotloop doctor`: what can be graded on this machine."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from hotloop import doctor
from hotloop.cli import find
from hotloop.cli.answer import Json, answering

_COLOURS = {
    doctor.State.OK: "green",
    doctor.State.LIMITED: "yellow",
    doctor.State.MISSING: "red",
}


def run(as_json: Json = False) -> None:
    """Say what this machine can do, what can be graded here, and what mends each gap."""
    with answering(as_json) as answer:
        find.all_modules()
        findings = doctor.examine()
        rungs = doctor.gradable(findings)
        document = {
            "findings": [asdict(finding) for finding in findings],
            "rungs": [asdict(rung) | {"gradable": not rung.lacking} for rung in rungs],
            "points": {
                name: {"here": here, "all": possible}
                for name, (here, possible) in doctor.summary(rungs).items()
            },
        }
        answer.give(document, _findings(findings), *_mending(findings), _rungs(rungs))


def _findings(findings: list[doctor.Finding]) -> Table:
    table = Table("", "state", "found")
    for finding in findings:
        state = Text(finding.state, _COLOURS[finding.state])
        table.add_row(finding.name, state, Text(finding.found))
    return table


def _mending(findings: list[doctor.Finding]) -> list[Text]:
    """The commands as whole lines, so that they can be copied."""
    gaps = [finding for finding in findings if finding.mend]
    if not gaps:
        return []
    lines = [f"  {finding.name}: {finding.mend}" for finding in gaps]
    return [Text("\n".join(["To mend:", *lines, ""]), no_wrap=True, overflow="ignore")]


def _rungs(rungs: list[doctor.Gradable]) -> Table:
    totals = doctor.summary(rungs)
    said = ", ".join(f"{name}: {here} of {total} points" for name, (here, total) in totals.items())
    table = Table("module", "task", "graded here", "not here", title=f"To be graded here: {said}")
    keys = dict.fromkeys((rung.module, rung.task) for rung in rungs)
    for module, task in keys:
        of_task = [rung for rung in rungs if (rung.module, rung.task) == (module, task)]
        here = ", ".join(rung.rung for rung in of_task if not rung.lacking)
        lacking = [f"{r.rung} ({', '.join(r.lacking)})" for r in of_task if r.lacking]
        table.add_row(module, task, here, ", ".join(lacking))
    return table
