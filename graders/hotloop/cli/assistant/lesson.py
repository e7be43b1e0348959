"""A module's lesson by its sections, as `hotloop start` copies it."""

from functools import cache

from hotloop.core.user_error import UserError
from hotloop.tasks import lesson_files

_HEADING = "## "
_FENCE = "```"


@cache
def sections(module: str) -> list[tuple[str, str]]:
    """Return heading and text of each section; the first one is what stands before the others.

    Raises UserError if the module has no lesson.
    """
    files = lesson_files.beside_notebook(module)
    if lesson_files.LESSON not in files:
        raise UserError(f"{module} has no lesson.")
    found: list[tuple[str, list[str]]] = [("Introduction", [])]
    in_code = False
    for line in files[lesson_files.LESSON].decode().splitlines():
        in_code ^= line.startswith(_FENCE)
        if line.startswith(_HEADING) and not in_code:
            found.append((line.removeprefix(_HEADING).strip(), []))
        found[-1][1].append(line)
    return [(heading, "\n".join(lines).strip()) for heading, lines in found]
