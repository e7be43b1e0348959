"""Makes an nbgrader course out of exercises: sources, gradebook, released assignments."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from hotloop import curriculum
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.course import exchange
from hotloop.course.config import course_api, course_config, load_config, write_config

COURSE_ID = "hotloop"


class NotPrepared(UserError):
    """nbgrader could not make an assignment; the text holds its log."""


def prepare(root: Path, modules: Sequence[str], course_id: str = COURSE_ID) -> list[Path]:
    """Put the modules' exercises into the course at `root` and release them.

    Returns the released folders. KeyError for a module that does not exist.
    """
    root.mkdir(parents=True, exist_ok=True)
    write_config(root, course_id)
    names = [curriculum.load_module(module).id for module in modules]
    for name in names:
        shutil.copytree(paths.exercises() / name, root / "source" / name, dirs_exist_ok=True)
    api = course_api(course_config(root, course_id))
    return [_release(root, api, name) for name in names]


def release_anew(root: Path, module: str) -> None:
    """Make a released assignment anew, and hand it out anew where it was handed out.

    Its text changes with the due date; what learners have fetched stays as it is.
    """
    api = releasing(root)
    _release(root, api, module)
    exchange_root, course_id = exchange.of(api.config)
    if (exchange_root / course_id / "outbound" / module).is_dir():
        hand_out(api, module)


def releasing(root: Path) -> Any:
    """Nbgrader for the course at `root`: what is handed out takes the place of what was before."""
    config = load_config(root)
    config.ExchangeReleaseAssignment.force = True
    return course_api(config)


def hand_out(api: Any, module: str) -> None:
    """Put a released assignment into the exchange. NotPrepared where nbgrader could not."""
    result = cast(dict[str, Any], api.release_assignment(module))
    if not result["success"]:
        raise NotPrepared(f"nbgrader did not release {module!r}: {result.get('log')}")


def _release(root: Path, api: Any, name: str) -> Path:
    result = cast(dict[str, Any], api.generate_assignment(name, force=True, create=True))
    if not result["success"]:
        raise NotPrepared(f"nbgrader did not make {name!r}: {result.get('log') or result['error']}")
    return root / "release" / name
