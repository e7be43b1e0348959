"""`hotloop takehome submit`: write the file that a candidate hands in."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import moment
from hotloop.cli.takehome.status import window
from hotloop.learn.pack import work_files
from hotloop.learn.pack.manifest import Manifest
from hotloop.takehome import submission_file


def run(
    folder: Annotated[Path, typer.Argument(help="The folder that you unpacked.")] = Path(),
    work_log: Annotated[
        bool, typer.Option("--work-log/--without-work-log", help="Hand the work log in too.")
    ] = True,
) -> CommandResult:
    """Write the file that you hand in.

    Nothing is sent; make it as often as you like.
    """
    pack = submission_file.pack_in(folder)
    path = submission_file.make_submission(folder, with_work_log=work_log)
    files = sorted(work_files.read(folder))
    left_out = work_files.left_out(folder)
    manifest = pack.manifest
    has_log = work_log and (folder / "work_log.jsonl").is_file()
    document = {
        "submission": str(path),
        "pseudonym": manifest.pseudonym,
        "files": files,
        "left_out": left_out,
        "work_log": has_log and manifest.work_log != "no",
        "until": manifest.expires.isoformat(),
        "window_hours": manifest.window_hours,
    }
    lines = [f"{path}: {len(files)} files"]
    lines += [f"left out: {name}, because {why}" for name, why in left_out.items()]
    lines.append(_log_sentence(manifest, has_log))
    lines.append(f"Hand this file in by {moment(manifest.expires)} UTC.{window(manifest)}")
    return CommandResult(document, Text("\n".join(line for line in lines if line)))


def _log_sentence(manifest: Manifest, has_log: bool) -> str:
    if manifest.work_log == "no":
        return ""
    if has_log:
        return "The work log goes with it (`make submit WORK_LOG=no` leaves it out)."
    if manifest.work_log == "yes":
        return "The work log is left out; the team asked for it, and the report will say so."
    return "The work log is left out."
