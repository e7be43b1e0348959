"""A signal where the work answers another variant than the candidate was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hotloop.takehome.integrity.signal import Signal
from hotloop.takehome.notebook_cells import cells
from hotloop.variants import Variant

INNOCENT = (
    "Names like these stand in the published module, which anybody may read: a test pasted from "
    "there, or a habit, brings them in. Look at where they stand before you ask."
)


def signals(
    files: Mapping[str, bytes],
    handed_in: Iterable[str],
    mine: Variant,
    others: Mapping[str, Variant],
) -> list[Signal]:
    """One a candidate whose names are there, and one for the published names.

    A name that is in the candidate's own variant tells nothing. `others`: by pseudonym.
    """
    text = "\n".join(_code(files[name], name) for name in handed_in if name in files)
    words = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text))
    own = set(mine.names.values())
    found: list[Signal] = []
    for pseudonym, variant in others.items():
        theirs = set(variant.names.values()) - own - set(mine.names)
        if seen := sorted(theirs & words):
            found.append(_signal(seen, f"the variant of {pseudonym}", strong=True))
    published = {name for name in mine.names if mine.names[name] != name} & words
    if published:
        found.append(_signal(sorted(published), "the published module", strong=False))
    return found


def _signal(names: list[str], whose: str, *, strong: bool) -> Signal:
    listed = ", ".join(names[:10])
    return Signal(
        kind="variant_mismatch",
        strength="strong" if strong else "weak",
        title=f"Names from {whose}",
        evidence=[f"The code says {listed}, which is called otherwise in this candidate's pack."],
        innocent=_OF_ANOTHER if strong else INNOCENT,
    )


_OF_ANOTHER = (
    "A name is a word with an ending from a short list: somebody may have chosen the same by "
    "chance, or the two may have talked where your rules allow it."
)


def _code(data: bytes, name: str) -> str:
    if name.endswith(".ipynb"):
        return "\n".join(cell.source for cell in cells(data) if cell.kind == "code")
    return data.decode("utf-8", errors="replace")
