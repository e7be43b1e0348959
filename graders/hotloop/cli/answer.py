"""How a command answers: a table for people, or with --json exactly one document.

With --json, whatever else writes to standard output while the command runs, child processes and
libraries included, is sent to standard error, so that the document stays alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.text import Text

from hotloop import extras
from hotloop.core.paths import SolutionsMissing

USER_ERROR = 2
"""Exit code when the request cannot be served as it was made."""

WIDTH = 110
"""Columns of a table that goes into a pipe or a file."""

Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document; logs go to standard error."),
]


class UserError(Exception):
    """The request cannot be served. The text is one sentence that says what to do."""


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


def log(text: str) -> None:
    """One line of progress on standard error."""
    Console(stderr=True, highlight=False).print(escape(text), soft_wrap=True)


@contextmanager
def answering(as_json: bool) -> Generator[Answer]:
    """Run a command's body; then print its answer and leave with its exit code.

    `UserError`, or that solutions are missing, becomes one sentence on standard error (and with
    --json the document `{"error": sentence}`), and exit code 2.
    """
    answer = Answer(as_json)
    try:
        with _stdout_to_stderr(as_json):
            yield answer
    except (UserError, SolutionsMissing) as error:
        log(f"hotloop: {error}")
        if as_json:
            print(json.dumps({"error": str(error)}, ensure_ascii=False), flush=True)
        raise typer.Exit(USER_ERROR) from None
    answer.print()
    if answer.exit_code:
        raise typer.Exit(answer.exit_code)


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
