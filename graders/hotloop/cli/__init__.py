"""The `hotloop` command.

One file per command, in a folder per group; each command returns a
`hotloop.cli.answer.CommandResult`.
"""

import logging
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

from hotloop import __version__
from hotloop.cli.commands import GROUPS, HOTLOOP, Commands

# Imported before anything that reads notebooks.
from hotloop.core import no_iri_grammar  # noqa: F401 # pyright: ignore[reportUnusedImport]


class _LogLines(logging.Formatter):
    """Formats a record of the log for a terminal.

    Ours begin with `hotloop`, as the lines of `hotloop.cli.answer` do. Of others' only the first
    line is shown: what they failed at is raised too, and their tracebacks hide what a command says.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines."""
        if record.name.startswith(f"{HOTLOOP}."):
            return super().format(logging.makeLogRecord({**record.__dict__, "name": HOTLOOP}))
        return f"{record.name}: {record.getMessage()}".partition("\n")[0]


app = typer.Typer(
    name=HOTLOOP,
    cls=Commands,
    help=GROUPS[HOTLOOP].help,
    # Without boxes, the help page fits a screen.
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction]
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    handler = logging.StreamHandler(sys.stderr)
    # The level is set on the handler, because nbgrader sets its own loggers to INFO.
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_LogLines("%(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    warnings.filterwarnings("ignore", module=r"nbgrader\.")


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # The output has characters that the default encoding of a pipe on Windows lacks.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
