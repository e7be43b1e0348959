"""Everything that a `tasks.py` imports.

    from hotloop.tasks import authoring as hl

    layer_norm = hl.fills_tensor(correct=hl.Correct(hl.Truth(cases, reference, tolerance)))

The constructor of a task says how its candidate is called (`returns_tensor`, `fills_tensor`, …) and
takes the task's checks: the classes below, or functions that take the `Session` and return one
sentence. The names are listed in `authoring.pyi`; the site's page of them is made by
`hotloop.site.authoring_page`.

Each is imported at its first use, because a judge is started for each module and needs a few of
them; importing all takes twice as long. This is SPEC 1's `lazy_loader.attach_stub`, which is not
used here: a judge imports nothing beyond numpy, and names that are near are worth an error of ours.
"""

import ast
import difflib
from pathlib import Path
from typing import Any

_STUB = Path(__file__).with_suffix(".pyi")
_HOME = {
    name.name: statement.module
    for statement in ast.parse(_STUB.read_text(encoding="utf-8")).body
    if isinstance(statement, ast.ImportFrom) and statement.module
    for name in statement.names
}


def homes() -> dict[str, str]:
    """Return the module that defines each name."""
    return dict(_HOME)


def __getattr__(name: str) -> Any:
    """Import the name from its module. Raises AttributeError for one that the stub lacks."""
    if name not in _HOME:
        near = ", ".join(difflib.get_close_matches(name, _HOME, 3))
        raise AttributeError(
            f"hotloop.tasks.authoring has no {name!r}: its names are in {_STUB.name}"
            + (f", such as {near}" if near else "")
        )
    home = __import__(_HOME[name], fromlist=[name])  # as `from … import` does, submodules too
    value = globals()[name] = getattr(home, name)
    return value
