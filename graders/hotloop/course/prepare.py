"""Makes an nbgrader course out of exercises: sources, gradebook, released assignments."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from hotloop import curriculum
from hotloop.core import paths
from hotloop.course.config import course_api, course_config, write_config

COURSE_ID = "hotloop"


class NotPrepared(Exception):
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


def _release(root: Path, api: Any, name: str) -> Path:
    result = cast(dict[str, Any], api.generate_assignment(name, force=True, create=True))
    if not result["success"]:
        raise NotPrepared(f"nbgrader did not make {name!r}: {result.get('log') or result['error']}")
    return root / "release" / name
