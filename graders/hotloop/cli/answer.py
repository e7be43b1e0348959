"""How a command answers: text and tables for people, or with --json exactly one document.

With --json, everything else written to standard output while the command runs, also by child
processes and libraries, is redirected to standard error.
"""

import inspect
import json
import os
import platform
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from errno import ENOSPC
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hotloop.core import extras
from hotloop.core.user_error import UserError

USER_ERROR = 2
"""Exit code if the request cannot be served, such as for a wrong argument or a missing package."""

WIDTH = 110
"""Columns of a table that is written to a pipe or a file."""

SCREEN = 16
"""Rows of a listing that fit a screen of 24 lines, with its heading and the lines below it."""

_JSON = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document; logs go to standard error."),
]

_WANTS_JSON = ContextVar("as_json", default=False)

All = Annotated[bool, typer.Option("--all", help="List everything, not a screen of it.")]

Row = TypeVar("Row")


class CommandResult:
    """What a command prints.

    document: JSON data, for --json. shown: what is printed without --json. then: called after
    printing, with whether --json was given; returns the exit code.
    """

    def __init__(
        self,
        document: Any,
        *shown: RenderableType,
        exit_code: int = 0,
        then: Callable[[bool], int] | None = None,
    ) -> None:
        self.document = document
        self.shown = shown
        self.exit_code = exit_code
        self.then = then


def wants_json() -> bool:
    """Return whether the command that runs was called with --json."""
    return _WANTS_JSON.get()


def require(extra: str) -> None:
    """Raise UserError, with pip's command, if packages of the optional group are missing."""
    if gap := extras.missing(extra):
        raise UserError(f"{', '.join(gap)} not installed: {extras.remedy(extra)}")


def require_linux(what: str) -> None:
    """Raise UserError on another system. what: the subject of the error's sentence."""
    if sys.platform != "linux":
        raise UserError(f"{what} needs Linux, and this is {platform.system()}.")


def require_local() -> None:
    """Raise UserError, with an alternative, if this machine cannot run the judge."""
    if gap := extras.why_no_judge():
        raise UserError(gap)


def require_sandbox() -> None:
    """As `require_local`; also raise UserError if submitted code cannot be sandboxed."""
    if gap := why_no_sandbox():
        raise UserError(gap)


def why_no_sandbox() -> str:
    """Return why this machine can give no graded verdict, with what to do; "" if it can."""
    if gap := extras.why_no_judge():
        return gap
    from hotloop.sandbox.level import level  # for Linux only

    isolation, reason = level()
    if isolation != "none":
        return ""
    return f"{reason} Nothing untrusted is run without it; see `hotloop doctor`."


def require_consent(question: str, otherwise: str, *, yes: bool) -> None:
    """Ask, unless `yes`. Raises UserError with the sentence `otherwise` for another answer."""
    if not yes and not typer.confirm(question, err=True):
        raise UserError(otherwise)


def first(
    rows: Sequence[Row], everything: bool, hint: str = ""
) -> tuple[Sequence[Row], list[Text]]:
    """Return the rows that fit a screen, and a line that says how to see the others.

    hint: another way to see fewer, such as "name a module, or ".
    """
    left = len(rows) - SCREEN
    if everything or left <= 0:
        return rows, []
    return rows[:SCREEN], [Text(f"{left} more: {hint}--all lists them.")]


def listing(*columns: str) -> Table:
    """Return a table with one line per row, if the last cell of each row is `cut`."""
    table = Table(*columns, box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in table.columns[:-1]:
        column.no_wrap = True
    return table


def cut(text: str) -> Text:
    """Return text that is cut at the end of the line."""
    return Text(text, no_wrap=True, overflow="ellipsis")


def log(text: str) -> None:
    """Print one line of progress to standard error."""
    Console(stderr=True, highlight=False).print(escape(text), soft_wrap=True)


def with_json(command: Callable[..., CommandResult]) -> Callable[..., None]:
    """Return the command with the option --json; it prints the answer and exits with its code.

    A `UserError`, or a file that cannot be read or written, is printed as one sentence to standard
    error (and with --json as the document `{"error": sentence}`), with exit code 2.
    """

    def run(*, as_json: bool, **arguments: Any) -> None:
        _WANTS_JSON.set(as_json)
        answer = _answer(command, arguments, as_json)
        _print(answer, as_json)
        code = answer.exit_code or (answer.then(as_json) if answer.then is not None else 0)
        if code:
            raise typer.Exit(code)

    # Typer reads the options from the signature.
    signature = inspect.signature(command, eval_str=True)
    option = inspect.Parameter(
        "as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_JSON
    )
    parameters = {**signature.parameters, option.name: option}
    run.__signature__ = signature.replace(parameters=list(parameters.values()))  # pyright: ignore[reportFunctionMemberAccess]
    run.__annotations__ = {name: one.annotation for name, one in parameters.items()}
    run.__doc__ = command.__doc__
    return run


def _answer(
    command: Callable[..., CommandResult], arguments: Mapping[str, Any], as_json: bool
) -> CommandResult:
    try:
        with _stdout_to_stderr(as_json):
            return command(**arguments)
    except UserError as error:
        _refuse(str(error), as_json)
    except OSError as error:
        if error.filename is None and error.errno != ENOSPC:
            raise
        _refuse(f"{error.filename or 'A file'}: {error.strerror}.", as_json)
    except Exception as error:
        if sentence := _gradebooks_fault(error):
            _refuse(sentence, as_json)
        raise


def _gradebooks_fault(error: Exception) -> str:
    """Return what is wrong with a course's database, which nbgrader met; "" if nothing is."""
    # Only a command that has opened a course has imported these.
    retry = sys.modules.get("hotloop.course.attempts.database_retry")
    if retry is None or not isinstance(error, retry.DBAPIError):
        return ""
    return retry.sentence_of(error)


def _print(answer: CommandResult, as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer.document, indent=2, ensure_ascii=False), flush=True)
        return
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for part in answer.shown:
        # Lines to be copied, such as paths, must not be broken here; the terminal wraps them.
        console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


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
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(stdout, 1)
        os.close(stdout)
