"""What a course gave all its learners beside the published module: the class's variant."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hotloop.tasks.curriculum import load_module
from hotloop.tasks.variants import Variant, beside

SOURCE = "source"


def class_variant(root: Path, module: str) -> tuple[Variant, Mapping[str, str]]:
    """Return the variant of the course at `root`, and `course_files` of a `Job`.

    The second is empty for the published module, whose exercise the judge has. Raises ValueError if
    the course's file is damaged.
    """
    source = root / SOURCE / module
    variant = beside(source, module)
    if variant.is_plain:
        return variant, {}
    own = (source / name for name in learners_files(module) if not name.endswith(".ipynb"))
    return variant, {
        path.relative_to(source).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in own
        if path.is_file()
    }


def learners_files(module: str) -> list[str]:
    """Return the files that a learner edits, which released files must not replace."""
    return sorted({name for task in load_module(module).tasks for name in task.files})
