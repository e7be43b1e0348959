"""Fills the templates: every file that a module needs, with one task that can be judged at once.

The result passes the contract tests, except for what only an author can write: more wrong answers,
more questions, and the module's prerequisites.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

from hotloop.author.external import forms
from hotloop.author.new_module import from_problem
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Tier

TEMPLATES = Path(__file__).parent / "template"
SUFFIX = ".template"

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class CannotMake(UserError):
    """The module cannot be created. The text is one sentence that says what to do."""


def make(
    name: str, title: str, track: str, tier: Tier, problem: forms.External | None = None
) -> list[Path]:
    """Write the files of the module, add it to its track, and return the files; overwrites nothing.

    problem: its tasks replace the template's. Raises CannotMake outside of a clone,
    for an invalid name or an unknown track, or if a file exists.
    """
    if not paths.in_clone():
        raise CannotMake("A module is made in a clone, not in an installed package.")
    if not _NAME.fullmatch(name):
        raise CannotMake(f"{name!r}: a module is named like a Python variable, in lower case.")
    written = dict(_filled(name, title, track, tier))
    if problem is not None:
        written = {
            path: from_problem.adapted(problem, path, text)
            for path, text in written.items()
            if _checks() not in path.parents and "wrong" not in path.parts
        }
    files = {path: text.encode() for path, text in written.items()}
    if problem is not None:
        for file, content in from_problem.solutions(problem, name):
            files[paths.solutions() / name / file] = content
        for file, content in from_problem.given_files(problem):
            files[paths.exercises() / name / file] = content
    if there := [path for path in files if path.exists()]:
        raise CannotMake(f"{there[0]} is there already: choose another name.")
    listed = _listed(name, track)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (paths.curriculum() / "curriculum.yaml").write_text(listed, encoding="utf-8")
    checks = [] if problem is None else from_problem.checks(problem, _checks() / name)
    curriculum.curriculum.cache_clear()
    return [*files, *checks]


def _filled(name: str, title: str, track: str, tier: str) -> Iterator[tuple[Path, str]]:
    words = {"id": name, "title": title, "track": track, "tier": tier}
    trees = {
        "checks": _checks() / name,
        "curriculum": paths.curriculum() / name,
        "solutions": paths.solutions() / name,
    }
    for source in sorted(TEMPLATES.rglob(f"*{SUFFIX}")):
        tree, *rest = source.relative_to(TEMPLATES).parts
        text = Template(source.read_text(encoding="utf-8")).substitute(words)
        yield trees[tree].joinpath(*rest).with_suffix(""), text


def _checks() -> Path:
    return paths.root() / "graders" / "hotloop" / "tasks" / "modules"


def _listed(name: str, track: str) -> str:
    """Return curriculum.yaml with the module added to the track's list; comments are kept."""
    known = [each.id for each in curriculum.curriculum().tracks]
    if track not in known:
        raise CannotMake(f"There is no track {track!r}; there are {', '.join(known)}.")
    text = (paths.curriculum() / "curriculum.yaml").read_text(encoding="utf-8")
    if name in curriculum.curriculum().order:
        return text
    entry = re.compile(
        rf"^(?P<head>  - id: {track}\n(?:    .*\n)*?    modules: \[)(?P<names>[^\]\n]*)\]",
        re.MULTILINE,
    )
    listed, count = entry.subn(rf"\g<head>\g<names>, {name}]", text, count=1)
    if not count:
        raise CannotMake(f"curriculum.yaml: write {name} into the modules of {track} yourself.")
    return listed
