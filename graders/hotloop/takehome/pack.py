"""Makes the pack that one candidate gets.

It holds the starter files of the chosen tasks in the candidate's variant, its constants and names,
one page of instructions, ways to start, and the signed manifest. It holds no solution, no edit of
one, no check and no key: what `check(…)` does comes with Hotloop, which the candidate installs.
"""

from __future__ import annotations

import hashlib
import io
import json
import unicodedata
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from hotloop import __version__
from hotloop.judge.service import module_digest
from hotloop.takehome import assistants, manifest, seen, work_files
from hotloop.takehome import team as teams
from hotloop.takehome.handing_in import zipped
from hotloop.takehome.instructions import (
    containerfile,
    instructions_html,
    instructions_markdown,
    makefile,
)
from hotloop.takehome.manifest import Manifest
from hotloop.takehome.role import Role
from hotloop.takehome.starter import starter_files
from hotloop.takehome.team import AlreadyInvited, PackRecord, Team, TeamError
from hotloop.yaml_lines import place

if TYPE_CHECKING:
    from hotloop.variants import Variant
import secrets
from collections.abc import Collection

_JOINERS = "\u200c\u200d"
"""They cannot be seen, and names in Persian and in Indian scripts are spelled with them."""

DRAWS = 50
"""How often a variant is drawn before one is given out that shares a task with another one."""


@dataclass(frozen=True)
class Pack:
    """path: the zip, in the team's folder."""

    path: Path
    manifest: Manifest

    @property
    def pseudonym(self) -> str:
        """What the candidate is called from now on."""
        return self.manifest.pseudonym


def make_pack(
    team: Team,
    role: Role,
    name: str,
    *,
    now: datetime,
    accommodation: float | None = None,
    again: bool = False,
    who: str = "team",
) -> Pack:
    """A new candidate's pack, kept in the team's folder. TeamError when the name is none, or the
    role asks what nobody could pass; AlreadyInvited when somebody of that name has a pack of this
    role, unless `again` is meant.

    name: sealed, and nowhere in the pack. accommodation: in place of the role's factor; the pack
    expires later by as much as it makes the window longer, so that who begins late has it too.
    who: for the audit log.
    """
    name = _clean(name)
    _require_passable(role)
    wheel = _wheel(team, role)
    factor = role.accommodation if accommodation is None else accommodation
    expires = role.expires_at(now)
    if expires <= now:
        raise TeamError(_over(team, role, expires))
    expires += timedelta(hours=role.window_hours * (factor - 1))
    with team.alone():
        _require_new(team, role, name, again, who)
        pseudonym, variant = _draw(team, role)
        files = starter_files(role.definition(), [task.id for task in role.chosen()], variant)
        files[manifest.VARIANT] = _json(variant.to_json())
        unsigned = Manifest(
            pack=uuid4(),
            pseudonym=pseudonym,
            role=role.role,
            title=role.title,
            module=role.module,
            hotloop=__version__,
            module_digest=module_digest(role.module),
            tasks=role.pack_tasks(factor),
            variant=variant.digest,
            not_before=now,
            expires=expires,
            window_hours=role.window_hours * factor,
            accommodation=factor,
            files={file: hashlib.sha256(data).hexdigest() for file, data in files.items()},
            work_log=role.rule,
            assistants=role.assistants,
            keep_days=role.keep_days,
        )
        _keep(team, role, unsigned, files, wheel, name, now)
    team.audit(who, f"made pack {unsigned.pack} of {role.role} for {pseudonym}")
    return Pack(team.pack_file(unsigned.pack), unsigned)


def _require_passable(role: Role) -> None:
    """What is asked works without what is not. Here, and not when a role is read: what was sent
    before stays good.
    """
    said = [
        f"{name} goes on from what {' and '.join(missing)} makes: ask for both, or for neither."
        for name, missing in role.lacking().items()
    ]
    if said:
        raise TeamError(f"{role.role}/takehome.yaml: {' '.join(said)}")


def _wheel(team: Team, role: Role) -> bytes:
    """What the candidate installs; empty where the role names no wheel. TeamError for one that is
    not there, of another version, or with what a candidate must not have.
    """
    if not role.wheel:
        return b""
    path = team.folder / role.wheel
    if not role.wheel.startswith(f"hotloop-{__version__}-"):
        raise TeamError(f"{role.wheel} is not of version {__version__}, which makes the pack.")
    try:
        data = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        raise TeamError(f"There is no wheel {path}: copy it there, or take `wheel` out.") from None
    if any(name.startswith("hotloop/_data/solutions/") for name in names):
        raise TeamError(f"{path} holds the solutions: put the plain wheel there.")
    return data


def _over(team: Team, role: Role, expires: datetime) -> str:
    path = team.role_path(role.role)
    where = place(path, ["expires"]) if path.is_file() else role.role
    return (
        f"{where}: `expires: {role.expires}` lasts until {expires:%Y-%m-%d %H:%M} UTC, which "
        "leaves no time: set a later date."
    )


def _require_new(team: Team, role: Role, name: str, again: bool, who: str) -> None:
    """Whoever asks learns that there is such a name: the audit log says that it was asked."""
    if again or not team.is_invited(name, role.role):
        return
    team.audit(who, f"made no pack of {role.role}: somebody of that name has one")
    raise AlreadyInvited(f"Somebody of this name has a pack of {role.role} already.")


def _keep(
    team: Team,
    role: Role,
    found: Manifest,
    files: dict[str, bytes],
    wheel: bytes,
    name: str,
    now: datetime,
) -> None:
    signed = manifest.sign(found, team.key).to_bytes()
    record = PackRecord(
        pack=found.pack,
        pseudonym=found.pseudonym,
        role=role.role,
        made=now.astimezone(UTC),
        keep_until=teams.keep_until(found),
    )
    data = zipped(_contents(role, found, files, signed, wheel))
    kept = {teams.PACK: data, manifest.NAME: signed, manifest.VARIANT: files[manifest.VARIANT]}
    team.add_pack(record, name, kept)


def _contents(
    role: Role, found: Manifest, files: dict[str, bytes], signed: bytes, wheel: bytes
) -> dict[str, bytes]:
    """All files of the zip, in one folder that is named after the pseudonym."""
    text = instructions_markdown(role, found)
    contents = {
        **files,
        manifest.NAME: signed,
        "INSTRUCTIONS.md": text.encode(),
        "instructions.html": instructions_html(text, role.title).encode(),
        "Makefile": makefile(role).encode(),
        "Containerfile": containerfile(role).encode(),
    }
    if role.wheel:
        contents[role.wheel] = wheel
    if found.assistants == "expected":
        contents[assistants.NOTES] = assistants.TEMPLATE.encode()
        files = {**files, assistants.NOTES: contents[assistants.NOTES]}
    if found.work_log != "no":
        work = {file: data for file, data in files.items() if file not in work_files.NOT_WORK}
        contents[seen.NAME] = seen.summary(work)
    return {f"{found.pseudonym}/{file}": data for file, data in contents.items()}


def _draw(team: Team, role: Role) -> tuple[str, Variant]:
    """A pseudonym, and the variant that goes with it. Of several the one whose largest overlap with
    an earlier candidate's is smallest, in tasks that both have to do; then the one that shares the
    fewest with all of them.
    """
    from hotloop.variants import draw, same_answers

    packs = team.packs()
    taken = {record.pseudonym for record in packs}
    chosen = {task.task for task in role.tasks}
    manifests = [team.manifest(record.pack) for record in packs]
    earlier = [
        (team.variant(other.pack), chosen & other.tasks.keys())
        for other in manifests
        if other.module == role.module
    ]
    found: dict[tuple[int, int, str], Variant] = {}
    for _ in range(DRAWS):
        pseudonym = draw_pseudonym(taken)
        variant = draw(role.module, team.key.variants, pseudonym)
        shared = [len(tasks & set(same_answers(variant, other))) for other, tasks in earlier]
        found[max(shared, default=0), sum(shared), pseudonym] = variant
        if not sum(shared):
            break
    (_, _, pseudonym), variant = min(found.items(), key=lambda one: one[0])
    return pseudonym, variant


def _clean(name: str) -> str:
    """The name in one line. TeamError when nothing is left, or signs that cannot be seen."""
    name = " ".join(unicodedata.normalize("NFC", name).split(" ")).strip()
    if not name or len(name) > teams.LONGEST_NAME:
        raise TeamError(f"A candidate's name has 1 to {teams.LONGEST_NAME} characters.")
    if any(unicodedata.category(sign).startswith("C") for sign in name if sign not in _JOINERS):
        raise TeamError("The name holds signs that cannot be seen: type it anew.")
    return name


def _json(document: object) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


_ADJECTIVES = (
    "amber brisk broad bright calm candid clear copper coral crisp early even fair fleet fond "
    "frosty gentle glad golden hazel hidden humble indigo jolly keen kind level light lively "
    "lucid mellow merry mild misty modest neat nimble noble olive open patient pearl plain polite "
    "prompt proud quick quiet ready rosy ruby rustic sandy scarlet serene silver sober solid "
    "steady sunny swift tidy timely upbeat vivid warm wise witty"
)
_ANIMALS = (
    "badger beaver bison bittern bunting buzzard civet condor coot crane curlew dipper dolphin "
    "dormouse dove dunlin eagle egret falcon ferret finch fulmar gannet gecko godwit goose grebe "
    "grouse gull hare harrier hedgehog heron hobby hoopoe ibex ibis jackdaw kestrel kite lark "
    "lemur linnet lynx magpie marten merlin moose newt ocelot oriole osprey otter ouzel owl panda "
    "petrel pipit plover puffin quail raven robin salmon seal shrike siskin skylark snipe "
    "sparrow starling stoat stork swallow swan swift tapir teal tern thrush tortoise turtle vole "
    "wagtail warbler weasel whale whimbrel widgeon wombat wren zebra"
)
ADJECTIVES = tuple(_ADJECTIVES.split())
ANIMALS = tuple(_ANIMALS.split())
ATTEMPTS = 1000


def draw_pseudonym(taken: Collection[str]) -> str:
    """A pseudonym that is not among those `taken`."""
    for _ in range(ATTEMPTS):
        number = 10 + secrets.randbelow(90)
        pseudonym = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}-{number}"
        if pseudonym not in taken:
            return pseudonym
    raise RuntimeError(f"{len(taken)} pseudonyms are taken: begin another team's folder")
