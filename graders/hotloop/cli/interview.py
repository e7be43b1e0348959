"""`hotloop interview`: practice interview questions on a local page."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from hotloop.cli.answer import CommandResult
from hotloop.cli.practice_page import Browser, practice_record, served
from hotloop.cli.questions_choice import InLanguage, Level, Track, chosen
from hotloop.learn.bank.selection import QuestionSelection


def run(
    module: Annotated[
        str | None, typer.Argument(help="Only questions of this module.", show_default=False)
    ] = None,
    track: Track = None,
    level: Level = None,
    language: InLanguage = "en",
    minutes: Annotated[int, typer.Option(min=1, help="How long a session may take.")] = 30,
    browser: Browser = True,
) -> CommandResult:
    """Practice interview questions in the browser.

    What is due is asked first, then new questions. Your marks stay on this machine. Where it has no
    browser, forward the port of the address that is printed (`ssh -L PORT:127.0.0.1:PORT MACHINE`),
    and open the address on your own machine.
    """
    entries = chosen(QuestionSelection(track, level, module, language=language))
    state, now = practice_record(), datetime.now(UTC)
    wish = {"track": track, "module": module, "level": level, "language": language}
    return served(
        "index.html",
        {**wish, "minutes": str(minutes)},
        browser,
        due=sum(state.is_due(entry.key, now) for entry in entries),
        questions=len(entries),
        marks=len(state.reviews),
    )
