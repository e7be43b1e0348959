"""`hotloop author proofs`: run the programs that back answers and lessons, and record outputs."""

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, log
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.learn.bank import proofs

_WORDS = {
    "same": ("as recorded", "green"),
    "new": ("not recorded", "yellow"),
    "changed": ("prints something else", "red"),
    "failed": ("fails", "red"),
    "lacking": ("cannot run here", "yellow"),
}


def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="`module`, `questions` or `module.program`; all when left out."),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Write what they print beside them.")
    ] = False,
) -> CommandResult:
    """Run the proofs; compare what they print with the record."""
    if not paths.in_clone():
        raise UserError("The proofs use the solutions of a clone: run them from there.")
    try:
        programs = proofs.programs(names or ())
    except KeyError as error:
        raise UserError(f"{error.args[0]}: ask for `module` or `module.program`.") from None
    outcomes = [_outcome(path, record) for path in programs]
    wrong = {"failed"} if record else {"failed", "changed", "new"}
    code = 1 if any(outcome.state in wrong for outcome in outcomes) else 0
    document = [{"proof": o.name, "state": o.state, "sentence": o.sentence} for o in outcomes]
    return CommandResult(document, _table(outcomes, record), exit_code=code)


def _outcome(path: Path, record: bool) -> proofs.ProofResult:
    log(proofs.name_of(path))
    return proofs.record(path) if record else proofs.compare(path)


def _table(outcomes: list[proofs.ProofResult], record: bool) -> Table:
    table = Table("proof", "", "", box=SIMPLE_HEAD)
    for outcome in outcomes:
        words, color = _WORDS[outcome.state]
        if record and outcome.state in {"new", "changed"}:
            words, color = "recorded", "green"
        table.add_row(outcome.name, Text(words, color), Text(outcome.sentence))
    return table
