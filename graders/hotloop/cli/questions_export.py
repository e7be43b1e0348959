"""`hotloop questions export`: for Anki, for a learning management system, or on paper."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer
from rich.text import Text

from hotloop.bank.catalog import Entry
from hotloop.bank.selection import Selection
from hotloop.bank.wording import Language
from hotloop.cli.answer import Json, UserError, answering, require
from hotloop.cli.questions_choice import InLanguage, Level, Module, Numbers, Track, chosen

Format = Literal["anki", "qti", "gift", "kit"]
SUFFIXES: dict[Format, str] = {"anki": ".apkg", "qti": ".zip", "gift": ".gift", "kit": ".html"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(run)


def run(
    keys: Annotated[
        list[str] | None,
        typer.Argument(help="Only these, in this order; all that fit when left out."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help=", ".join(get_args(Format)))] = "anki",
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to write; hotloop.… when left out.")
    ] = None,
    track: Track = None,
    level: Level = None,
    module: Module = None,
    language: InLanguage = "en",
    numbers: Numbers = False,
    as_json: Json = False,
) -> None:
    """Write questions as an Anki package, QTI 1.2, GIFT, or a kit to print for an interviewer."""
    with answering(as_json) as answer:
        require("bank")
        found = chosen(Selection(track, level, module, language, numbers, tuple(keys or ())))
        path = out or Path(f"hotloop{SUFFIXES[form]}")
        try:
            path.write_bytes(_written(form, found, language))
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}.") from None
        document = {
            "file": str(path),
            "format": form,
            "language": language,
            "questions": [entry.key for entry in found],
        }
        answer.give(document, Text(f"{len(found)} questions: {path}"))


def _written(form: Format, entries: list[Entry], language: Language) -> bytes:
    if form == "anki":
        from hotloop.bank.export import anki

        return anki.package(entries, language, time.time())
    if form == "kit":
        from hotloop.bank.export import kit

        return kit.page(entries, language).encode()
    from hotloop.bank.export import gift, qti

    if form == "qti":
        return qti.package(entries, language)
    return gift.text(entries, language).encode()
