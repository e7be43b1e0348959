"""`hotloop questions`: list the interview questions, show some, or export them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer
from rich.console import RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import All, CommandResult, cut, first, listing, require
from hotloop.cli.questions_choice import (
    ForRole,
    InLanguage,
    InRound,
    Level,
    Module,
    Numbers,
    OfKind,
    Track,
    chosen,
)
from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export.labels import LABELS, Labels
from hotloop.learn.bank.interviews import roles_of, round_of
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.bank.selection import QuestionSelection
from hotloop.learn.bank.wording import Language, Wording, blocks, wording

Format = Literal["anki", "qti", "gift", "kit"]
SUFFIXES: dict[Format, str] = {"anki": ".apkg", "qti": ".zip", "gift": ".gift", "kit": ".html"}


def run(
    keys: Annotated[
        list[str] | None,
        typer.Argument(help="Keys or ids of questions to show.", show_default=False),
    ] = None,
    track: Track = None,
    level: Level = None,
    module: Module = None,
    kind: OfKind = None,
    role: ForRole = None,
    round_: InRound = None,
    language: InLanguage = "en",
    numbers: Numbers = False,
    seed: Annotated[
        str | None,
        typer.Option(help="Draws other numbers, where a question has some.", show_default=False),
    ] = None,
    export: Annotated[
        Format | None,
        typer.Option(
            "--export",
            metavar="|".join(get_args(Format)),
            help="Write them for Anki, as QTI 1.2, as GIFT, or as a kit to print for interviewers.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to export to; hotloop.… if not given.")
    ] = None,
    everything: All = False,
) -> CommandResult:
    """List the interview questions, show some, or export them.

    Without keys it lists those that fit the options, and with keys it shows the questions whole.
    """
    entries = chosen(
        QuestionSelection(
            track=track,
            level=level,
            module=module,
            kind=kind,
            role=role,
            round=round_,
            language=language,
            numeric=numbers,
            keys=tuple(keys or ()),
        )
    )
    if export is not None:
        return _export(entries, language, export, out or Path(f"hotloop{SUFFIXES[export]}"))
    if keys:
        return _show(entries, language, seed)
    listed, more = first(entries, everything, "name a --role, --round or --level, or ")
    document = [_summary(entry, language) for entry in entries]
    return CommandResult({"questions": document}, _table(listed, language), *more)


def _export(
    entries: list[CatalogEntry], language: Language, form: Format, path: Path
) -> CommandResult:
    require("bank")
    path.write_bytes(_written(form, entries, language))
    document = {
        "file": str(path),
        "format": form,
        "language": language,
        "questions": [entry.key for entry in entries],
    }
    return CommandResult(document, Text(f"{len(entries)} questions: {path}"))


def _show(entries: list[CatalogEntry], language: Language, seed: str | None) -> CommandResult:
    documents: list[dict[str, Any]] = []
    shown: list[RenderableType] = []
    for entry in entries:
        words, drawn = wording(entry, language), None
        if entry.question.numeric is not None:
            drawn = numeric.draw(entry.question.numeric, seed or entry.key, words.numeric)
        documents.append(_document(entry, words, drawn))
        shown += _shown(entry, words, drawn)
    return CommandResult({"questions": documents}, *shown)


def _written(form: Format, entries: list[CatalogEntry], language: Language) -> bytes:
    if form == "anki":
        from hotloop.learn.bank.export import anki

        return anki.package(entries, language, time.time())
    if form == "kit":
        from hotloop.learn.bank.export import kit

        return kit.page(entries, language).encode()
    from hotloop.learn.bank.export import gift, qti

    if form == "qti":
        return qti.package(entries, language)
    return gift.text(entries, language).encode()


def _summary(entry: CatalogEntry, language: Language) -> dict[str, Any]:
    question = entry.question
    return {
        "key": entry.key,
        "title": wording(entry, language).title,
        "track": entry.track,
        "module": entry.module,
        "kind": question.kind,
        "roles": list(roles_of(entry)),
        "round": round_of(entry),
        "level": question.level,
        "minutes": question.minutes,
        "languages": list(entry.languages),
        "links": question.links,
        "proofs": len(entry.proofs),
        "numeric": question.numeric is not None,
    }


def _document(entry: CatalogEntry, words: Wording, drawn: Instance | None) -> dict[str, Any]:
    proofs = [
        {"program": proof.path.name, "source": proof.source, "output": proof.output}
        for proof in entry.proofs
    ]
    return {
        **_summary(entry, words.language),
        **asdict(words),
        "numeric": None if drawn is None else numeric.document(drawn),
        "proofs": proofs,
        "sources": entry.question.sources,
    }


def _table(entries: Sequence[CatalogEntry], language: Language) -> Table:
    """Return a table with one line per question, grouped by module."""
    labels = LABELS[language]
    table = listing("id", "level", labels.minutes, "question")
    for group, members in groupby(entries, lambda entry: entry.module or entry.track):
        table.add_row(Text(group, "bold"))
        for entry in members:
            about = (labels.levels[entry.question.level], str(entry.question.minutes))
            title = wording(entry, language).title
            table.add_row(f"  {entry.question.id}", *about, cut(title))
    return table


def _shown(entry: CatalogEntry, words: Wording, drawn: Instance | None) -> Iterator[RenderableType]:
    labels, question = LABELS[words.language], entry.question
    about = f"{labels.levels[question.level]}, {question.minutes} {labels.minutes}; {entry.key}"
    yield Text(words.title, "bold")
    yield Text(about, "dim")
    yield from (_block(part.text) for part in blocks(words.prompt))
    if drawn is not None:
        yield _block(drawn.ask)
        yield _block(f"{drawn.shown}. {drawn.explain}")
    for heading, texts in _sections(words, labels):
        yield Text(heading, "bold")
        yield _answer(words) if heading == labels.answer else _block("\n".join(texts))
    for proof in entry.proofs:
        yield Text(proof.path.name, "bold")
        yield _block(proof.output or "–")
    if question.links:
        yield Text(f"{labels.practise}: {', '.join(question.links)}")


def _sections(words: Wording, labels: Labels) -> Iterator[tuple[str, list[str]]]:
    yield labels.probes, [f"• {text}" for text in words.probes]
    yield labels.strategy, [f"{place}. {text}" for place, text in enumerate(words.strategy, 1)]
    yield labels.say, [words.say]
    yield labels.answer, [words.answer]
    yield (
        labels.weak_answers,
        [f"• “{says}” {labels.reveals} {reveals}" for says, reveals in words.weak_answers],
    )
    yield labels.follow_ups, [f"{place}. {text}" for place, text in enumerate(words.follow_ups, 1)]
    yield labels.rubric, [f"{mark}  {words.rubric[mark]}" for mark in range(5)]


def _answer(words: Wording) -> Padding:
    """Return the model answer, which has lists, code and bold words."""
    return Padding(Markdown(words.answer), (0, 0, 1, 2))


def _block(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 1, 2))
