"""Makes the pack for one candidate.

It contains the starter files of the chosen tasks in the candidate's variant, its constants and
names, one page of instructions, files to start with, and the signed manifest. It contains no
solution in any form, no check and no key: `check(…)` is part of Hotloop, which the candidate
installs. The wheel that a team puts into its packs has no model answers of questions either.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from hotloop import __version__
from hotloop.core.yaml_lines import place
from hotloop.judge.grader_digest import grader_digest
from hotloop.learn.pack import MANIFEST, manifest, work_files, work_summary
from hotloop.learn.pack.manifest import Manifest
from hotloop.takehome import assistants, pack_wheel
from hotloop.takehome import team as teams
from hotloop.takehome.instructions import filled, instructions_html, instructions_markdown
from hotloop.takehome.role import TakehomeRole
from hotloop.takehome.starter import starter_files
from hotloop.takehome.submission_file import zipped
from hotloop.takehome.team import AlreadyInvited, PackRecord, Team, TeamError
from hotloop.tasks.variants import NAME as VARIANT

if TYPE_CHECKING:
    from hotloop.tasks.variants import Variant

_JOINERS = "\u200c\u200d"
"""Invisible joiners, which names in Persian and Indian scripts need."""

INSTRUCTIONS = "instructions.html"
"""Name of the instructions in the pack, as a page for browsers."""

DRAWS = 50
"""Most draws of a variant before one is used that shares a task's answer with another one."""


@dataclass(frozen=True)
class Pack:
    """A pack. path: of the zip, in the team's folder."""

    path: Path
    manifest: Manifest

    @property
    def pseudonym(self) -> str:
        """The candidate's pseudonym."""
        return self.manifest.pseudonym


def make_pack(
    team: Team,
    role: TakehomeRole,
    name: str,
    *,
    now: datetime,
    accommodation: float | None = None,
    again: bool = False,
    who: str = "team",
) -> Pack:
    """Make a new candidate's pack and store it in the team's folder.

    name: stored encrypted, and not part of the pack. accommodation: replaces the role's factor; the
    pack expires later by the time that the window gains, so that late starters have it too. again:
    make a second pack for the same name. who: for the audit log. Raises TeamError if the name is
    invalid or the role cannot be passed, AlreadyInvited if the name has a pack of this role and
    `again` is False.
    """
    name = _clean(name)
    _require_passable(role)
    wheel = pack_wheel.of_role(team, role)
    factor = role.accommodation if accommodation is None else accommodation
    expires = role.expires_at(now)
    if expires <= now:
        raise TeamError(_over(team, role, expires))
    expires += timedelta(hours=role.window_hours * (factor - 1))
    with team.alone():
        if not again and team.is_invited(name, role.role):
            # The error reveals that the name exists, so the audit log records the attempt.
            team.audit(who, f"made no pack of {role.role}: somebody of that name has one")
            raise AlreadyInvited(f"Somebody of this name has a pack of {role.role} already.")
        pseudonym, variant = _draw(team, role)
        files = starter_files(role.definition(), [task.id for task in role.chosen()], variant)
        document = json.dumps(variant.to_json(), indent=1, ensure_ascii=False)
        files[VARIANT] = f"{document}\n".encode()
        unsigned = Manifest(
            pack=uuid4(),
            pseudonym=pseudonym,
            role=role.role,
            title=role.title,
            module=role.module,
            hotloop=__version__,
            grader_digest=grader_digest(role.module),
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
            contact=role.contact,
            privacy_notice=role.privacy_notice,
        )
        _keep(team, role, unsigned, files, wheel, name, now)
    team.audit(who, f"made pack {unsigned.pack} of {role.role} for {pseudonym}")
    return Pack(team.pack_file(unsigned.pack), unsigned)


def _require_passable(role: TakehomeRole) -> None:
    """Require that no chosen task depends on one that is not chosen.

    This is checked here and not when reading a role, so that packs made earlier stay valid.
    """
    sentences = [
        f"{name} goes on from what {' and '.join(missing)} makes: ask for both, or for neither."
        for name, missing in role.lacking().items()
    ]
    if sentences:
        raise TeamError(f"{role.role}/takehome.yaml: {' '.join(sentences)}")


def _over(team: Team, role: TakehomeRole, expires: datetime) -> str:
    path = team.role_path(role.role)
    where = place(path, ["expires"]) if path.is_file() else role.role
    return (
        f"{where}: `expires: {role.expires}` lasts until {expires:%Y-%m-%d %H:%M} UTC, which "
        "leaves no time: set a later date."
    )


def _keep(
    team: Team,
    role: TakehomeRole,
    unsigned: Manifest,
    files: dict[str, bytes],
    wheel: bytes,
    name: str,
    now: datetime,
) -> None:
    signed = manifest.sign(unsigned, team.key).to_bytes()
    record = PackRecord(
        pack=unsigned.pack,
        pseudonym=unsigned.pseudonym,
        role=role.role,
        made=now.astimezone(UTC),
        keep_until=teams.keep_until(unsigned),
        reviewers=role.reviewers,
    )
    data = zipped(_contents(role, unsigned, files, signed, wheel))
    stored = {teams.PACK: data, MANIFEST: signed, VARIANT: files[VARIANT]}
    team.add_pack(record, name, stored)


def _contents(
    role: TakehomeRole, unsigned: Manifest, files: dict[str, bytes], signed: bytes, wheel: bytes
) -> dict[str, bytes]:
    """Return all files of the zip, in a folder named after the pseudonym."""
    text = instructions_markdown(role, unsigned)
    contents = {
        **files,
        MANIFEST: signed,
        "INSTRUCTIONS.md": text.encode(),
        INSTRUCTIONS: instructions_html(text, role.title).encode(),
        "Makefile": filled("Makefile", role).encode(),
        "Containerfile": filled("Containerfile", role).encode(),
    }
    if role.wheel:
        contents[role.wheel] = wheel
    if unsigned.assistants == "expected":
        contents[assistants.NOTES] = assistants.TEMPLATE.encode()
        files = {**files, assistants.NOTES: contents[assistants.NOTES]}
    if unsigned.work_log != "no":
        work = {file: data for file, data in files.items() if file not in work_files.NOT_WORK}
        contents[work_summary.NAME] = work_summary.summary(work)
    return {f"{unsigned.pseudonym}/{file}": data for file, data in contents.items()}


def _draw(team: Team, role: TakehomeRole) -> tuple[str, Variant]:
    """Draw a pseudonym with its variant.

    Of several draws it takes the one whose largest overlap with an earlier candidate's variant, in
    tasks that both have, is smallest; then the one with the smallest total overlap.
    """
    from hotloop.tasks.variants import draw, same_answers

    packs = team.packs()
    taken = {record.pseudonym for record in packs}
    chosen = {task.task for task in role.tasks}
    manifests = [team.manifest(record.pack) for record in packs]
    earlier = [
        (team.variant(other.pack), chosen & other.tasks.keys())
        for other in manifests
        if other.module == role.module
    ]
    draws: dict[tuple[int, int, str], Variant] = {}
    for _ in range(DRAWS):
        pseudonym = draw_pseudonym(taken)
        variant = draw(role.module, team.key.variants, pseudonym)
        shared = [len(tasks & set(same_answers(variant, other))) for other, tasks in earlier]
        draws[max(shared, default=0), sum(shared), pseudonym] = variant
        if not sum(shared):
            break
    (_, _, pseudonym), variant = min(draws.items(), key=lambda one: one[0])
    return pseudonym, variant


def _clean(name: str) -> str:
    """Normalize a name to one line.

    Raises TeamError if it is empty, too long or has hidden characters.
    """
    name = " ".join(unicodedata.normalize("NFC", name).split(" ")).strip()
    if not name or len(name) > teams.LONGEST_NAME:
        raise TeamError(f"A candidate's name has 1 to {teams.LONGEST_NAME} characters.")
    if any(unicodedata.category(sign).startswith("C") for sign in name if sign not in _JOINERS):
        raise TeamError("The name holds signs that cannot be seen: type it anew.")
    return name


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
    """Draw a pseudonym that is not in `taken`."""
    for _ in range(ATTEMPTS):
        number = 10 + secrets.randbelow(90)
        pseudonym = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}-{number}"
        if pseudonym not in taken:
            return pseudonym
    raise RuntimeError(f"{len(taken)} pseudonyms are taken: begin another team's folder")
