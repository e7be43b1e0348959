"""`hotloop takehome init`, `new`, `extend`, `reveal` and `forget`: the team's side."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop import curriculum
from hotloop.cli import find
from hotloop.cli.answer import Json, UserError, answering
from hotloop.cli.takehome_folder import (
    TeamFolder,
    open_team,
    require_packages,
    sentences,
    who,
    why,
)
from hotloop.takehome.role import Role, read_role, starting_text
from hotloop.takehome.team import AlreadyInvited, PackRecord, Team
from hotloop.takehome.ways_to_start import requirement

_ROLE_ID = re.compile(r"[a-z][a-z0-9_-]{0,60}")

_AGAIN = (
    "Nothing was made: more time is given with `hotloop takehome extend`. If it is another person "
    "of the same name, or a second pack is meant, say --again."
)

_NEXT = """
Next: read {path}, strike out what you do not need, then
  hotloop takehome new {role} --name "…"
Keep a copy of {keys} where only the team can read it: without it no pack can be graded."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("init")(init)
    app.command("new")(new)
    app.command("extend")(extend)
    app.command("reveal")(reveal)
    app.command("forget")(forget)


def init(
    folder: Annotated[Path, typer.Argument(help="The team's folder, new or a team's already.")],
    module: Annotated[str, typer.Option(help="The module of the first role.")],
    role: Annotated[str, typer.Option(help="Its id; the module's if not given.")] = "",
    title: Annotated[str, typer.Option(help="What candidates read; the module's title.")] = "",
    as_json: Json = False,
) -> None:
    """Make a team's folder with its keys, and a takehome.yaml to begin with."""
    with answering(as_json) as answer:
        require_packages()
        found = find.module(module)
        with sentences():
            team = Team(folder) if (folder / "team.json").is_file() else Team.create(folder)
            path = _add_role(team, role or found.id, title or found.title, found)
        keys = team.folder / "keys"
        document = {"team": str(team.folder), "role": str(path), "keys": str(keys)}
        shown = f"{team.folder}: a team's folder" + _NEXT.format(
            path=path, role=role or found.id, keys=keys
        )
        answer.give(document, Text(shown))


def new(
    role: Annotated[str, typer.Argument(metavar="ROLE|MODULE", help="What the pack is for.")],
    name: Annotated[str, typer.Option(help="The candidate's name; sealed, and not in the pack.")],
    team: TeamFolder = Path(),
    accommodation: Annotated[
        float | None, typer.Option(min=1, max=10, help="Factor on this candidate's time.")
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Although somebody of that name has a pack of this role."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Copy the pack there too.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a pack for one candidate. A module without a role gets one, with all its tasks."""
    with answering(as_json) as answer:
        found = open_team(team)
        from hotloop.takehome.pack import make_pack
        from hotloop.variants import same_for_all

        with sentences():
            _require_room(output)
            wanted = _role(found, role)
            now = datetime.now(UTC)
            try:
                pack = make_pack(
                    found,
                    wanted,
                    name,
                    now=now,
                    accommodation=accommodation,
                    again=again,
                    who=who(),
                )
            except AlreadyInvited as error:
                raise UserError(f"{error} {_AGAIN}") from None
        path = _copied(pack.path, output, pack.pseudonym)
        alike = same_for_all(wanted.module, [task.task for task in wanted.tasks])
        document = {
            "pack": str(pack.manifest.pack),
            "pseudonym": pack.pseudonym,
            "role": wanted.role,
            "file": str(path),
            "until": pack.manifest.expires.isoformat(),
            "installs": requirement(wanted),
            "same_for_all": alike,
        }
        until = f"{pack.manifest.expires:%Y-%m-%d %H:%M}"
        lines = [
            f"{pack.pseudonym}: {path}",
            f"Send it, or let the portal do it. Work is taken until {until} UTC.",
        ]
        if not wanted.wheel and not wanted.install:
            lines.append(
                f"`make lab` in the pack installs {requirement(wanted)} from the candidate's "
                "package index. If it is not there, set `wheel` or `install` in takehome.yaml and "
                "make the pack again."
            )
        if alike:
            lines.append(
                f"The same for every candidate, but for names: {', '.join(alike)}. The published "
                "solution answers them; ask about them in the interview."
            )
        answer.give(document, Text("\n".join(lines)))


def extend(
    candidate: Annotated[str, typer.Argument(help="A pseudonym, or a pack's id.")],
    until: Annotated[
        str,
        typer.Option(
            metavar="DATE|DATE-AND-TIME",
            help="2030-01-31 for the end of that day, or 2030-01-31T18:00; in UTC.",
        ),
    ],
    team: TeamFolder = Path(),
    as_json: Json = False,
) -> None:
    """Set another date for a candidate, and let one more hand-in in."""
    with answering(as_json) as answer:
        found = open_team(team)
        moment = _moment(until)
        with sentences():
            record = found.extend(found.find(candidate).pack, moment)
            found.audit(who(), f"extended {record.pseudonym} to {moment:%Y-%m-%d %H:%M}")
        document = {"pseudonym": record.pseudonym, "until": moment.isoformat()}
        text = f"{record.pseudonym} may hand in until {moment:%Y-%m-%d %H:%M} UTC."
        answer.give(document, Text(text))


def reveal(
    candidate: Annotated[str, typer.Argument(help="A pseudonym, or a pack's id.")],
    team: TeamFolder = Path(),
    as_json: Json = False,
) -> None:
    """Say who a candidate is, once the scorecard is filed."""
    with answering(as_json) as answer:
        found = open_team(team)
        with sentences():
            record = found.find(candidate)
            name = found.reveal(record.pack, who())
        answer.give(
            {"pseudonym": record.pseudonym, "name": name}, Text(f"{record.pseudonym} is {name}")
        )


def forget(
    candidates: Annotated[
        list[str] | None, typer.Argument(help="Pseudonyms, or packs' ids.", show_default=False)
    ] = None,
    due: Annotated[bool, typer.Option("--due", help="All whose time of keeping is over.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    team: TeamFolder = Path(),
    as_json: Json = False,
) -> None:
    """Delete all that is kept of candidates: pack, work, report, scorecard and name."""
    with answering(as_json) as answer:
        found = open_team(team)
        with sentences():
            records = [found.find(name) for name in candidates or []]
            if due:
                records += [r for r in found.due(datetime.now(UTC)) if r not in records]
        if not records and not due:
            raise UserError("Name a candidate, or ask for all that is due with --due.")
        _require_consent(records, yes)
        with sentences():
            gone = {record.pseudonym: len(found.forget(record.pack, who())) for record in records}
            left = found.sweep(who())
        lines = [f"{name}: deleted" for name in gone]
        lines += [f"pack {pack}: a crash had left something of it; deleted" for pack in left]
        document = {"forgotten": list(gone), "left": [str(pack) for pack in left]}
        answer.give(document, Text("\n".join(lines or ["Nothing is due."])))


def _moment(text: str) -> datetime:
    """A day means its end, as it does in a role and in the portal."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)
        return datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UserError(
            f"{text!r} is no day such as 2030-01-31, and no time such as 2030-01-31T18:00."
        ) from None


def _require_consent(records: list[PackRecord], yes: bool) -> None:
    if not records or yes:
        return
    names = ", ".join(record.pseudonym for record in records)
    if not typer.confirm(f"Delete all that is kept of {names}, for good?", err=True):
        raise UserError("Nothing was deleted.")


def _role(team: Team, name: str) -> Role:
    """The role of that id, or the one of that module; a new one where there is none."""
    roles = team.roles()
    for role in roles:
        if role.role == name:
            return role
    of_module = [role for role in roles if role.module == name]
    if len(of_module) == 1:
        return of_module[0]
    if of_module:
        listed = ", ".join(role.role for role in of_module)
        raise UserError(f"Several roles use {name}: name one of {listed}.")
    if name not in [module.id for module in find.all_modules()]:
        known = [*(role.role for role in roles), *(m.id for m in find.all_modules())]
        raise UserError(find.unknown("role or module", name, known))
    module = find.module(name)
    return read_role(_add_role(team, module.id, module.title, module))


def _add_role(team: Team, role: str, title: str, module: curriculum.Module) -> Path:
    """Write a role's takehome.yaml. UserError when it is there already, or its id is unusable."""
    if not _ROLE_ID.fullmatch(role):
        raise UserError(f"{role!r} is no role's id: small letters, digits, _ and - only.")
    path = team.role_path(role)
    if path.exists():
        raise UserError(f"{path} is there already: change it, or choose another --role.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(starting_text(role, title, module), encoding="utf-8")
    read_role(path)
    team.audit(who(), f"made the role {role}")
    return path


def _require_room(output: Path | None) -> None:
    """Before the pack is made: tried again it would be a second one, and what is overwritten may
    be another candidate's.
    """
    if output is None or output.is_dir():
        return
    if output.exists():
        raise UserError(f"{output} is there already: name another file, or a folder.")
    if not output.parent.is_dir():
        raise UserError(f"There is no folder {output.parent}.")


def _copied(pack: Path, output: Path | None, pseudonym: str) -> Path:
    if output is None:
        return pack
    target = output / f"{pseudonym}.zip" if output.is_dir() else output
    try:
        shutil.copyfile(pack, target)
    except OSError as error:
        said = f"The pack is made, but cannot be copied to {target}: {why(error)}. It lies here:"
        raise UserError(f"{said} {pack}") from None
    return target
