"""`hotloop takehome ats`: interfaces for an applicant tracking system."""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from pydantic import ValidationError
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.account import Database
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core import whole_file
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account


def run(
    folder: TeamFolder = Path(),
    api: Annotated[
        bool, typer.Option("--api", help="A key for the portal's own API, in place of the old one.")
    ] = False,
    greenhouse: Annotated[
        bool, typer.Option("--greenhouse", help="A key for Greenhouse, in place of the old one.")
    ] = False,
    webhook: Annotated[
        str, typer.Option(metavar="URL", help="Where events go; with a new secret for them.")
    ] = "",
    again: Annotated[bool, typer.Option("--again", help="Send again what was given up.")] = False,
    database: Database = "",
) -> CommandResult:
    """Set up the interfaces for an ATS, or say what they are.

    What was not delivered is listed. New keys are printed once. The portal reads them when it
    starts.
    """
    team = open_team(folder)
    from hotloop.service.settings import own_folder
    from hotloop.service.takehome.ats import settings

    own = own_folder(team.folder)
    path = own / settings.FILE
    try:
        current = settings.read(own) or settings.AtsSettings()
    except PermissionError as error:
        raise UserError(str(error)) from None
    document: dict[str, Any] = current.model_dump(mode="json", exclude_none=True)
    made: dict[str, str] = {}
    if api:
        document["api_key"] = made["api_key"] = settings.new_key()
    if greenhouse:
        made["greenhouse.key"] = settings.new_key()
        document["greenhouse"] = {**document.get("greenhouse", {}), "key": made["greenhouse.key"]}
    if webhook:
        made["webhook.secret"] = settings.new_secret()
        document["webhook"] = {"url": webhook, "secret": made["webhook.secret"]}
    if made:
        try:
            settings.AtsSettings.model_validate(document)
        except ValidationError:
            raise UserError(f"{webhook!r} is no https:// address.") from None
        text = yaml.safe_dump(document, sort_keys=False)
        whole_file.replace(path, text.encode(), 0o600)
        team.audit(account(), f"set up for an ATS: {', '.join(made)}")
    waiting, given_up = _deliveries(own, database, again=again)
    on = [name for name in ("api_key", "greenhouse", "webhook", "mail") if document.get(name)]
    lines = [f"{name}: {value}" for name, value in made.items()]
    lines += [f"On: {', '.join(on) or 'nothing'} ({path})."]
    if made:
        lines += ["Start the portal again, so that it reads them."]
    lines += [f"{waiting} events wait to be delivered."] * bool(waiting)
    lines += [f"Given up: {problem}" for problem in given_up]
    result = {"on": on, "made": made, "waiting": waiting, "given_up": given_up}
    return CommandResult(result, Text("\n".join(lines)), exit_code=int(bool(given_up)))


def _deliveries(folder: Path, database: str, *, again: bool) -> tuple[int, list[str]]:
    """Return how many events wait, and what was given up. again: let that wait once more."""
    from hotloop.service.tables import opened
    from hotloop.service.takehome.ats import events

    engine = opened(folder, database)
    try:
        if again:
            events.again(engine)
        return events.open_deliveries(engine)
    finally:
        engine.dispose()
