"""`hotloop takehome status`: a candidate's time and tasks, or a team's list of packs."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import All, CommandResult, first
from hotloop.cli.takehome.folder import moment, open_team, team_at
from hotloop.learn.pack.manifest import ForgedManifest, Manifest
from hotloop.learn.pack.work_log import WorkLog
from hotloop.takehome import audit_log, submission_file
from hotloop.takehome import team as teams
from hotloop.takehome.instructions import percentages
from hotloop.tasks import curriculum


def run(
    folder: Annotated[
        Path, typer.Argument(help="The folder that you unpacked, or a team's.")
    ] = Path(),
    everything: All = False,
) -> CommandResult:
    """Say what is graded, and how much time is left.

    In a team's folder, list the candidates.
    """
    if (team_at(folder) / teams.DESCRIPTION).is_file():
        return _of_team(team_at(folder), everything)
    return CommandResult(*_of_candidate(folder, submission_file.pack_in(folder).manifest))


def _of_candidate(folder: Path, manifest: Manifest) -> tuple[Any, RenderableType, RenderableType]:
    log = WorkLog.open(folder)
    last = {entry.task: entry for entry in (log.entries if log else ()) if entry.task}
    total = sum(task.weight for task in manifest.tasks.values())
    percent = percentages({name: task.weight for name, task in manifest.tasks.items()})
    shown = Table("task", "time", "counts", "last check", "on a GPU", box=SIMPLE_HEAD)
    rows: list[dict[str, Any]] = []
    module = curriculum.load_module(manifest.module)
    for name, task in manifest.tasks.items():
        entry = last.get(name)
        verdict = str(entry.verdict) if entry and entry.verdict else None
        gpu = [check.id for check in module.task(name).checks if check.needs_gpu]
        share = task.weight / total
        row = {"task": name, "minutes": task.minutes, "share": share, "gpu": gpu}
        rows.append({**row, "verdict": verdict})
        minutes = f"{task.minutes:g} min"
        shown.add_row(name, minutes, f"{percent[name]} %", verdict or "–", ", ".join(gpu) or "–")
    hours_since = None
    if log is not None and log.entries:
        hours_since = round((datetime.now(UTC) - log.entries[0].at).total_seconds() / 3600, 2)
    document = {
        "pseudonym": manifest.pseudonym,
        "title": manifest.title,
        "until": manifest.expires.isoformat(),
        "contact": manifest.contact,
        "window_hours": manifest.window_hours,
        "hours_left": round(_hours_left(manifest), 2),
        "hours_since_first_entry": hours_since,
        "tasks": rows,
        "work_log": None if log is None else len(log.entries),
    }
    began = f"The work log began {_duration(hours_since)} ago." if hours_since is not None else ""
    lines = [
        f"{manifest.title}, as {manifest.pseudonym}",
        f"Hand in by {moment(manifest.expires)} UTC: {_left(manifest)}.{window(manifest)}",
        f"Contact: {manifest.contact}",
        began,
        "What is graded on a GPU needs none here." if any(row["gpu"] for row in rows) else "",
        "No work log is kept." if log is None else f"The work log has {len(log.entries)} entries.",
    ]
    return document, shown, Text("\n".join(line for line in lines if line))


def _of_team(folder: Path, everything: bool) -> CommandResult:
    """List every candidate; damaged files of one do not hide the others."""
    team = open_team(folder)
    now = datetime.now(UTC)
    shown = Table("candidate", "role", "made", "until", "state", box=SIMPLE_HEAD)
    rows: list[dict[str, Any]] = []
    lines: list[tuple[str, ...]] = []
    records, faults = team.readable_packs()
    damaged = {name: str(fault) for name, fault in sorted(faults.items())}
    for record in records:
        try:
            until = record.until(team.manifest(record.pack))
        except (ForgedManifest, OSError) as fault:
            damaged[record.pseudonym] = str(fault)
            continue
        state = _state(team, record, until, now)
        # Later it would only say who had more time, possibly for health reasons.
        shown_until = until if record.awaited else None
        rows.append(
            {
                "pack": str(record.pack),
                "pseudonym": record.pseudonym,
                "role": record.role,
                "made": record.made.isoformat(),
                "until": shown_until.isoformat() if shown_until else None,
                "due": record.keep_until <= now,
                "state": state,
            }
        )
        deadline = moment(shown_until) if shown_until else "–"
        lines.append((record.pseudonym, record.role, moment(record.made), deadline, state))
    breaks = audit_log.breaks(team.audited())
    problems = [f"{name}: {problem}" for name, problem in damaged.items()]
    problems += [f"{teams.AUDIT}: {fault}" for fault in breaks]
    document = {
        "team": str(team.folder),
        "packs": rows,
        "damaged": damaged,
        "audit_breaks": breaks,
    }
    listed, more = first(lines, everything)
    for line in listed:
        shown.add_row(*line)
    return CommandResult(
        document, shown, *more, Text("\n".join(problems), "red"), exit_code=int(bool(problems))
    )


def _state(team: teams.Team, record: teams.PackRecord, until: datetime, now: datetime) -> str:
    if record.keep_until <= now:
        return "due to be deleted"
    from hotloop.takehome.hand_in_status import outcome_of

    came = outcome_of(team, record)
    if came.problem:
        return "graded, but a file of it is damaged"
    if came.is_filed:
        return "scorecard filed"
    if came.score is not None:
        return "graded"
    if record.submitted:
        return "handed in"
    if until < now:
        return "expired"
    return "started" if record.started else "sent"


def _left(manifest: Manifest) -> str:
    hours = _hours_left(manifest)
    if hours <= 0:
        return "that is over; ask the team for another date"
    return f"{_duration(hours)} are left"


def _hours_left(manifest: Manifest) -> float:
    return (manifest.expires - datetime.now(UTC)).total_seconds() / 3600


def window(manifest: Manifest) -> str:
    """Say that the download sets the deadline, which only the portal knows; "" if it cannot."""
    longest = manifest.expires - manifest.not_before
    if manifest.window_hours >= longest.total_seconds() / 3600:
        return ""
    return (
        f" If you downloaded the pack by a link, you have {manifest.window_hours:g} hours from the "
        "download: the page behind the link says until when."
    )


def _duration(hours: float) -> str:
    return f"{hours:.0f} hours" if hours < 72 else f"{hours / 24:.0f} days"
