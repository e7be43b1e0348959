"""`hotloop takehome restore`: restore a backup to a new folder, and look at all of it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import require_packages


def run(
    backup: Annotated[Path, typer.Argument(help="The file that `backup` wrote.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    later: Annotated[
        Path | None,
        typer.Option(
            help="A later audit.jsonl: deletes again whoever was deleted after the backup.",
            show_default=False,
        ),
    ] = None,
) -> CommandResult:
    """Restore a backup, and look at everything in it.

    Exit code 1 if something is damaged.
    """
    require_packages()
    from hotloop.takehome.backup import restore

    restored = restore(backup, folder, later)
    lines = [
        f"{folder}: {restored.packs} packs; keys, hand-ins, reports and audit log were looked at."
    ]
    lines += [f"{name} was deleted after the backup, and is again." for name in restored.deleted]
    if later is None:
        lines.append("Whoever was deleted after this backup is back: name a later audit.jsonl.")
    document = {"folder": str(folder), **vars(restored)}
    shown = (Text("\n".join(lines)), Text("\n".join(restored.problems), "red"))
    return CommandResult(document, *shown, exit_code=int(bool(restored.problems)))
