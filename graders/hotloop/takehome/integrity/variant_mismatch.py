"""A signal for work that answers another variant than the candidate's."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hotloop.takehome.integrity.signal import Signal
from hotloop.tasks.notebook_cells import readable_cells
from hotloop.tasks.variants import Variant
from hotloop.tasks.variants.words import WORDS

MOST_SIGNALS = 12

INNOCENT = (
    "Names like these stand in the published module, which anybody may read: a test pasted from "
    "there, or a habit, brings them in. Look at where they stand before you ask."
)
_OF_ANOTHER = (
    f"A name ends in one of {len(WORDS)} words, so that about one pack in {len(WORDS)} has it by "
    "chance: it may come from a pack that is not looked at here, such as a deleted one or another "
    "team's, or somebody chose it. The two may also have talked where your rules allow it. Who "
    "got that pack need not know of it."
)


def signals(
    files: Mapping[str, bytes],
    handed_in: Iterable[str],
    mine: Variant,
    others: Mapping[str, Variant],
) -> list[Signal]:
    """Return a signal for each pack whose names occur in the code, and one for published names.

    Names of the candidate's own variant do not count. others: variants by pseudonym.
    """
    text = "\n".join(_code(files[name], name) for name in handed_in if name in files)
    words = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text))
    found = _of_others(_owners(words, mine, others), len(others))
    published = {name for name in mine.names if mine.names[name] != name} & words
    if published:
        found.append(_of_the_module(sorted(published)))
    return found


def _owners(words: set[str], mine: Variant, others: Mapping[str, Variant]) -> dict[str, list[str]]:
    """Return, for each foreign name in the code, the packs that have it."""
    known = {*mine.names, *mine.names.values()}
    owners: dict[str, list[str]] = {}
    for pseudonym, variant in others.items():
        for name in sorted((set(variant.names.values()) - known) & words):
            owners.setdefault(name, []).append(pseudonym)
    return owners


def _of_others(owners: Mapping[str, Sequence[str]], packs: int) -> list[Signal]:
    """Return signals for names of other packs, the strong ones first."""
    by_pack: dict[str, list[str]] = {}
    shared: list[str] = []
    for name in sorted(owners):
        pack = _pointed_at(name, owners)
        if pack is None:
            shared.append(name)
        else:
            by_pack.setdefault(pack, []).append(name)
    pointed = [
        _of_one(pack, {name: len(owners[name]) for name in names}, packs)
        for pack, names in by_pack.items()
    ]
    unclear = [_of_several(name, len(owners[name]), packs) for name in shared]
    return [*pointed, *unclear][:MOST_SIGNALS]


def _pointed_at(name: str, owners: Mapping[str, Sequence[str]]) -> str | None:
    """Return the pack that a name points at, or None if several are equally likely.

    That is the only pack with the name, or the one with strictly most of the foreign names.
    """
    if len(owners[name]) == 1:
        return owners[name][0]
    counts = Counter(pack for packs in owners.values() for pack in packs)
    first, second = sorted(owners[name], key=lambda pack: -counts[pack])[:2]
    return first if counts[first] > counts[second] else None


def _of_one(pack: str, counts: Mapping[str, int], packs: int) -> Signal:
    """Return the signal for one pack. counts: for each name, how many packs have it."""
    return Signal(
        kind="variant_mismatch",
        strength="strong",
        title=f"Names from the variant of {pack}",
        evidence=[f"{_says(name)} {_have(n, packs)}" for name, n in list(counts.items())[:10]],
        innocent=_OF_ANOTHER,
    )


def _of_several(name: str, count: int, packs: int) -> Signal:
    return Signal(
        kind="variant_mismatch",
        strength="moderate",
        title=f"A name from another variant: {name}",
        evidence=[
            f"{_says(name)} {_have(count, packs)}",
            "Nothing here says which of them it is from, if from any.",
        ],
        innocent=_OF_ANOTHER,
    )


def _says(names: str) -> str:
    return f"The code says {names}, which is called otherwise in this candidate's pack."


def _have(count: int, packs: int) -> str:
    return f"Other packs looked at that have it: {count} of {packs}."


def _of_the_module(names: Sequence[str]) -> Signal:
    return Signal(
        kind="variant_mismatch",
        strength="weak",
        title="Names from the published module",
        evidence=[_says(", ".join(names[:10]))],
        innocent=INNOCENT,
    )


def _code(data: bytes, name: str) -> str:
    if name.endswith(".ipynb"):
        return "\n".join(cell.source for cell in readable_cells(data) if cell.kind == "code")
    return data.decode("utf-8", errors="replace")
