"""`hotloop progress`: the learner's standing from this machine's records, and next steps."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import All, CommandResult, log
from hotloop.cli.next_steps import numbered
from hotloop.cli.practice_page import practice_record
from hotloop.core.moment import written
from hotloop.learn.learning.next_steps import steps
from hotloop.learn.learning.standing import (
    MEANING,
    ConceptStanding,
    Level,
    ModuleStanding,
    Practised,
    ProgressOverview,
    TaskStanding,
    TrackStanding,
    overview,
)
from hotloop.learn.practice import predictions, store, verdicts
from hotloop.learn.predicting.scores import ConfidenceBin, calibration, drawn

_STYLES: dict[Level, str] = {
    "not begun": "dim",
    "placed": "blue",
    "begun": "yellow",
    "known": "green",
    "firm": "bold green",
}
_BARS: dict[Level, str] = {
    "not begun": "····",
    "placed": "▪···",
    "begun": "▪▪··",
    "known": "▪▪▪·",
    "firm": "▪▪▪▪",
}

_FIRST_STEPS = 3
"""Most next steps shown: more would not fit a screen."""


def run(
    track: Annotated[str | None, typer.Option("--track", help="Only this track, whole.")] = None,
    everything: All = False,
) -> CommandResult:
    """Show what you have done on this machine, and what is next."""
    standing = _read(track)
    tracks = [each for each in standing.tracks if track in (None, each.id)]
    concepts = [
        each
        for each in standing.concepts
        if any(track in (None, taught_in.module.track) for taught_in in each.modules)
    ]
    next_ = steps(standing, track)
    predicted = calibration((line.sure, line.right) for line in predictions.read())
    document = {
        "due": standing.due,
        "tracks": [_track(each) for each in tracks],
        "concepts": [_concept(each) for each in concepts],
        "next": [{"what": s.what, "why": s.why, "command": s.command} for s in next_],
        "predictions": [each.model_dump(mode="json") for each in predicted],
        "records": [str(store.path()), str(verdicts.path()), str(predictions.path())],
    }
    whole = everything or track is not None
    detail = [*_detail(tracks, concepts), *_predicted(predicted)] if whole else ()
    hint = (
        "hotloop interview asks the questions in a browser; hotloop lab MODULE opens a notebook."
        if whole
        else "--all shows each module and concept; --track those of a track. Questions: hotloop "
        "interview. A notebook: hotloop lab MODULE."
    )
    begin = [*numbered(next_ if whole else next_[:_FIRST_STEPS])]
    begin = begin or [Text("Nothing is next: all is done, and no question is due.")]
    return CommandResult(document, _modules_table(tracks, whole), *detail, *begin, Text(hint))


def _read(track: str | None) -> ProgressOverview:
    if track is not None:
        find.track(track)
    lines = verdicts.read()
    for fault in lines.faults:
        log(fault)
    return overview(practice_record(), lines.lines, datetime.now(UTC))


def _track(track: TrackStanding) -> dict[str, Any]:
    return {
        "id": track.id,
        "title": track.title,
        "questions": _questions(track.questions),
        "placed_at": written(track.placed_at) if track.placed_at else None,
        "start": track.start,
        "modules": [_module(each) for each in track.modules],
    }


def _module(module: ModuleStanding) -> dict[str, Any]:
    return {
        "id": module.module.id,
        "title": module.module.title,
        "tier": module.module.tier,
        "level": module.level,
        "tasks_done": module.done,
        "tasks_graded": len(module.graded),
        "questions": _questions(module.questions),
        "tasks": [_task(each) for each in module.tasks],
    }


def _task(task: TaskStanding) -> dict[str, Any]:
    return {
        "key": task.key,
        "title": task.task.title,
        "kind": task.task.kind,
        "done": task.done,
        "state": task.state,
        "last": task.last.model_dump(mode="json") if task.last else None,
        "best": task.best.model_dump(mode="json") if task.best else None,
    }


def _questions(questions: Practised) -> dict[str, Any]:
    return {
        "of": questions.of,
        "practised": questions.practised,
        "due": questions.due,
        "mean_mark": questions.mean,
    }


def _concept(concept: ConceptStanding) -> dict[str, Any]:
    return {
        "id": concept.concept.id,
        "title": concept.concept.title,
        "level": concept.level,
        "modules": [each.module.id for each in concept.modules],
    }


def _detail(
    tracks: list[TrackStanding], concepts: list[ConceptStanding]
) -> Iterator[RenderableType]:
    tried = [each for track in tracks for m in track.modules for each in m.tasks if each.last]
    if tried:
        yield _tasks_table(tried)
    yield _concepts_table(concepts)
    yield Text(MEANING, "dim")


def _predicted(bins: list[ConfidenceBin]) -> Iterator[Text]:
    if bins:
        yield Text("What you predicted about your own code", "bold")
        yield Text(f"{drawn(bins)}\n")


def _modules_table(tracks: list[TrackStanding], whole: bool) -> Table:
    """Return a table of the tracks and their modules: those that were begun, or all if `whole`."""
    table = Table("", "module", "tier", "tasks", "questions", "mean", box=SIMPLE_HEAD)
    table.pad_edge, table.collapse_padding = False, True
    for track in tracks:
        table.add_row("", Text(track.title, "bold"), "", "", *_practised(track.questions))
        for each in track.modules if whole else [m for m in track.modules if m.begun]:
            done = f"{each.done} of {len(each.graded)}"
            about = (each.module.id, each.module.tier, done, *_practised(each.questions))
            table.add_row(_bar(each.level), *about)
    return table


def _practised(questions: Practised) -> tuple[str, str]:
    mean = "" if questions.mean is None else f"{questions.mean:.1f}"
    return f"{questions.practised} of {questions.of}", mean


def _tasks_table(tasks: list[TaskStanding]) -> Table:
    # The state also says whether the points are instrumented.
    table = Table("task", "last verdict", "points", "on", box=SIMPLE_HEAD)
    for each in tasks:
        if each.last is None:
            continue
        points = f"{each.last.points:g} of {each.last.possible:g}"
        if each.last.pending:
            points += f", {each.last.pending:g} open"
        when = each.last.at.astimezone().date().isoformat()
        style = "green" if each.done else ""
        table.add_row(Text(each.key, style), each.state, points, when)
    return table


def _concepts_table(concepts: list[ConceptStanding]) -> Table:
    table = Table("", "concept", "", "taught in", box=SIMPLE_HEAD)
    for each in concepts:
        modules = ", ".join(module.module.id for module in each.modules)
        level = Text(each.level, _STYLES[each.level])
        table.add_row(_bar(each.level), each.concept.title, level, modules)
    return table


def _bar(level: Level) -> Text:
    return Text(_BARS[level], _STYLES[level])
