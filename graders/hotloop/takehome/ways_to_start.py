"""The two ways to start that a pack brings: `make lab`, and a container."""

from __future__ import annotations

from pathlib import Path

from hotloop import __version__
from hotloop.takehome.role import Role


def requirement(role: Role) -> str:
    """What pip installs: the role's own, the wheel in the pack, or this version of Hotloop."""
    if role.install:
        return role.install
    module = role.definition()
    needs = {
        need for task in role.chosen() for rung in task.rungs for need in module.needs_of(rung)
    }
    extras = ",".join(["course", *sorted(needs)])
    return f"./{role.wheel}[{extras}]" if role.wheel else f"hotloop[{extras}]=={__version__}"


def makefile(role: Role) -> str:
    """`make lab` and what else is done in a pack."""
    return _filled("Makefile", role)


def containerfile(role: Role) -> str:
    """An image to work in."""
    return _filled("Containerfile", role)


def _filled(name: str, role: Role) -> str:
    text = (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
    copied = f"COPY {role.wheel} ./\n" if role.wheel else ""
    return text.replace("@copy the wheel@\n", copied).replace("@requirement@", requirement(role))
