"""`hotloop takehome feedback`: tell a candidate what the team found."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account


def run(
    candidate: Annotated[str, typer.Argument(help="A pseudonym, or a pack's id.")],
    folder: TeamFolder = Path(),
    draft: Annotated[
        Path | None,
        typer.Option(help="Write a text to begin with here, to edit.", show_default=False),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="Publish this text (Markdown).", show_default=False)
    ] = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Also show points and verdicts by task.")
    ] = False,
    to: Annotated[
        Path | None, typer.Option(help="Write the page to send here.", show_default=False)
    ] = None,
) -> CommandResult:
    """Tell a candidate what was good and what was not.

    The portal shows it behind the candidate's link.
    """
    team = open_team(folder)
    from hotloop.takehome import feedback
    from hotloop.takehome.instructions import instructions_html

    record = team.find(candidate)
    if draft is not None:
        _write(draft, feedback.draft(team, record.pack) or "Thank you for your work.\n")
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{file} cannot be read: {error}.") from None
        feedback.publish(team, record.pack, text, account(), measured=measured)
    published = feedback.read(team, record.pack)
    if to is not None:
        if published is None:
            raise UserError("There is no feedback yet: publish it with --file.")
        manifest = team.manifest(record.pack)
        _write(to, instructions_html(feedback.markdown(published, manifest), manifest.title))
    document = {
        "pseudonym": record.pseudonym,
        "draft": str(draft) if draft else None,
        "page": str(to) if to else None,
        "feedback": published.model_dump(mode="json") if published else None,
    }
    said = "There is no feedback yet."
    if published is not None:
        said = f"Published {published.published:%Y-%m-%d %H:%M} UTC by {published.by}."
    if draft is not None:
        said = f"Edit {draft}, then: hotloop takehome feedback {candidate} --file {draft}"
    return CommandResult(document, Text(said))


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise UserError(f"{path} exists already: name another file.") from None
