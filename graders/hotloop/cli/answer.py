"""How a command answers: a table for people, or with --json exactly one document.

With --json, whatever else writes to standard output while the command runs, child processes and
libraries included, is sent to standard error, so that the document stays alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hotloop import extras
from hotloop.core.user_error import UserError
from hotloop.sandbox.level import level

USER_ERROR = 2
"""Exit code when the request cannot be served as it was made."""

WIDTH = 110
"""Columns of a table that goes into a pipe or a file."""

SCREEN = 16
"""Rows of a listing that fit a screen of 24 lines, with its heading and what stands below."""

Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document; logs go to standard error."),
]

All = Annotated[bool, typer.Option("--all", help="List everything, not a screen of it.")]

Row = TypeVar("Row")


class Answer:
    """What a command has to say. `give` is called once, at the end."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.exit_code = 0
        self.document: Any = None
        self._shown: tuple[RenderableType, ...] = ()

    def give(self, document: Any, *shown: RenderableType, exit_code: int = 0) -> None:
        """Set the answer: `document` is plain JSON data, `shown` is what a person sees."""
        self.document = document
        self._shown = shown
        self.exit_code = exit_code

    def print(self) -> None:
        """Write the answer to standard output, in the asked form."""
        if self.as_json:
            print(json.dumps(self.document, indent=2, ensure_ascii=False), flush=True)
            return
        console = Console(width=None if sys.stdout.isatty() else WIDTH)
        for part in self._shown:
            # What must stay one line, such as a path to be copied, is broken by the terminal only.
            console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


def require(extra: str) -> None:
    """UserError, with pip's command, when packages of the optional group are missing."""
    if gap := extras.missing(extra):
        raise UserError(f"{', '.join(gap)} not installed: {extras.remedy(extra)}")


def require_sandbox() -> None:
    """UserError, with the command that says how to fix it, where code cannot be confined."""
    isolation, reason = level()
    if isolation == "none":
        raise UserError(f"{reason} Nothing untrusted is run without it; see `hotloop doctor`.")


def first(
    rows: Sequence[Row], everything: bool, hint: str = ""
) -> tuple[Sequence[Row], list[Text]]:
    """The rows that fit a screen, and a line that says how to see the others.

    hint: another way to see fewer, such as "name a module, or ".
    """
    left = len(rows) - SCREEN
    if everything or left <= 0:
        return rows, []
    return rows[:SCREEN], [Text(f"{left} more: {hint}--all lists them.")]


def listing(*columns: str) -> Table:
    """A table whose rows are one line each, if the last cell of each is `cut`."""
    table = Table(*columns, box=SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[:-1]:
        column.no_wrap = True
    return table


def cut(text: str) -> Text:
    """What is cut where the line ends."""
    return Text(text, no_wrap=True, overflow="ellipsis")


def log(text: str) -> None:
    """One line of progress on standard error."""
    Console(stderr=True, highlight=False).print(escape(text), soft_wrap=True)


@contextmanager
def answering(as_json: bool) -> Generator[Answer]:
    """Run a command's body; then print its answer and leave with its exit code.

    A `UserError`, or a file that cannot be read or written, becomes one sentence on standard error
    (and with --json the document `{"error": sentence}`), and exit code 2.
    """
    answer = Answer(as_json)
    try:
        with _stdout_to_stderr(as_json):
            yield answer
    except UserError as error:
        _refuse(str(error), as_json)
    except OSError as error:
        if error.filename is None and error.errno != ENOSPC:
            raise
        _refuse(f"{error.filename or 'A file'}: {error.strerror}.", as_json)
    answer.print()
    if answer.exit_code:
        raise typer.Exit(answer.exit_code)


def _refuse(sentence: str, as_json: bool) -> NoReturn:
    log(f"hotloop: {sentence}")
    if as_json:
        print(json.dumps({"error": sentence}, ensure_ascii=False), flush=True)
    raise typer.Exit(USER_ERROR) from None


@contextmanager
def _stdout_to_stderr(active: bool) -> Generator[None]:
    if not active:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
