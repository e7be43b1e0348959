"""`hotloop questions list` and `hotloop questions show`: the interview questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hotloop.bank import numeric
from hotloop.bank.catalog import Entry
from hotloop.bank.export.labels import LABELS, Labels
from hotloop.bank.numeric import Instance
from hotloop.bank.selection import Selection
from hotloop.bank.wording import Language, Wording, wording
from hotloop.cli import questions_export
from hotloop.cli.answer import Json, answering
from hotloop.cli.questions_choice import InLanguage, Level, Module, Numbers, Track, chosen

app = typer.Typer(help="The interview questions: list, show, export.", no_args_is_help=True)
questions_export.register(app)


@app.command("list")
def list_questions(
    track: Track = None,
    level: Level = None,
    module: Module = None,
    language: InLanguage = "en",
    numbers: Numbers = False,
    as_json: Json = False,
) -> None:
    """List the questions, all or those that fit."""
    with answering(as_json) as answer:
        found = chosen(Selection(track, level, module, language, numbers))
        document = [_summary(entry, language) for entry in found]
        answer.give({"questions": document}, _table(found, language))


@app.command("show")
def show_question(
    key: Annotated[str, typer.Argument(help="The question's key, or its id.")],
    language: InLanguage = "en",
    seed: Annotated[
        str | None, typer.Option(help="Draws other numbers, where the question has some.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show one question with its answer, its marks and what its proofs print."""
    with answering(as_json) as answer:
        (entry,) = chosen(Selection(language=language, keys=(key,)))
        said = wording(entry, language)
        drawn = None
        if entry.question.numeric is not None:
            drawn = numeric.draw(entry.question.numeric, seed or entry.key, said.numeric)
        answer.give(_document(entry, said, drawn), *_shown(entry, said, drawn))


def _summary(entry: Entry, language: Language) -> dict[str, Any]:
    question = entry.question
    return {
        "key": entry.key,
        "title": wording(entry, language).title,
        "track": entry.track,
        "module": entry.module,
        "level": question.level,
        "minutes": question.minutes,
        "languages": list(entry.languages),
        "links": question.links,
        "proofs": len(entry.proofs),
        "numeric": question.numeric is not None,
    }


def _document(entry: Entry, said: Wording, drawn: Instance | None) -> dict[str, Any]:
    proofs = [
        {"program": proof.path.name, "source": proof.source, "output": proof.output}
        for proof in entry.proofs
    ]
    return {
        **_summary(entry, said.language),
        **asdict(said),
        "numeric": None if drawn is None else numeric.document(drawn),
        "proofs": proofs,
        "sources": entry.question.sources,
    }


def _table(entries: list[Entry], language: Language) -> Table:
    labels = LABELS[language]
    table = Table("key", "level", labels.minutes, "question", box=SIMPLE_HEAD)
    for entry in entries:
        question = entry.question
        about = (labels.levels[question.level], str(question.minutes))
        table.add_row(Text(entry.key), *about, Text(wording(entry, language).title))
    return table


def _shown(entry: Entry, said: Wording, drawn: Instance | None) -> Iterator[RenderableType]:
    labels, question = LABELS[said.language], entry.question
    about = f"{labels.levels[question.level]}, {question.minutes} {labels.minutes}; {entry.key}"
    yield Text(said.title, "bold")
    yield Text(about, "dim")
    yield _block(said.prompt)
    if drawn is not None:
        yield _block(drawn.ask)
        yield _block(f"{drawn.shown}. {drawn.explain}")
    for heading, texts in _sections(said, labels):
        yield Text(heading, "bold")
        yield _block("\n".join(texts))
    for proof in entry.proofs:
        yield Text(proof.path.name, "bold")
        yield _block(proof.output or "–")
    if question.links:
        yield Text(f"{labels.practise}: {', '.join(question.links)}")


def _sections(said: Wording, labels: Labels) -> Iterator[tuple[str, list[str]]]:
    yield labels.probes, [f"• {text}" for text in said.probes]
    yield labels.strategy, [f"{place}. {text}" for place, text in enumerate(said.strategy, 1)]
    yield labels.answer, [said.answer]
    yield (
        labels.weak_answers,
        [f"• “{says}” {labels.reveals} {reveals}" for says, reveals in said.weak_answers],
    )
    yield labels.follow_ups, [f"{place}. {text}" for place, text in enumerate(said.follow_ups, 1)]
    yield labels.rubric, [f"{mark}  {said.rubric[mark]}" for mark in range(5)]


def _block(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 1, 2))
