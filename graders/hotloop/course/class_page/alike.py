"""Finds hand-ins of a class that are more similar than independent work.

Similarity is no verdict and changes no points: short tasks have few correct solutions, and learners
may work together where that is allowed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from hotloop.course.alike.likeness import MODERATE, Printed, alike, prints
from hotloop.course.grade import submissions
from hotloop.course.hand_in import read
from hotloop.course.released import RELEASE, load_release
from hotloop.tasks.curriculum import load_module


@dataclass(frozen=True)
class Alike:
    """Learners each of whom has a work similar to another's of the group.

    part, score, said: of the most similar two: their file or cell, and its similarity, 0 to 1.
    least: the similarity of the two that are least similar, of those that are similar at all.
    pairs: how many pairs of the group are similar.
    """

    students: tuple[str, ...]
    part: str
    score: float
    said: str
    least: float
    pairs: int


@dataclass(frozen=True)
class AlikeHandIns:
    """What was compared. unreadable: by learner, why a hand-in could not be read."""

    groups: tuple[Alike, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Pair:
    """Two learners, and what is most similar in their works."""

    students: tuple[str, str]
    part: str
    score: float
    said: str


def alike_hand_ins(root: Path, module: str) -> AlikeHandIns:
    """Return groups of learners in the course at `root`, the most similar first."""
    release, definition = load_release(root, module), load_module(module)
    tasks = [task.id for task in definition.tasks]
    folder = root / RELEASE / module
    starter = {p.relative_to(folder).as_posix(): p.read_bytes()
               for p in folder.rglob("*") if p.is_file()}  # fmt: skip
    works: dict[str, list[Printed]] = {}
    unreadable: dict[str, str] = {}
    for student, _ in submissions(root, modules=[module]):
        try:
            files = read(root, student, release).files
        except OSError as error:
            unreadable[student] = str(error)
        else:
            works[student] = prints(definition, tasks, files, starter)
    pairs = (_pair(first, second, works) for first, second in combinations(works, 2))
    return AlikeHandIns(groups([pair for pair in pairs if pair]), unreadable)


def groups(pairs: Sequence[Pair]) -> tuple[Alike, ...]:
    """Join pairs that have a learner in common."""
    members: dict[str, set[str]] = {}
    for pair in pairs:
        joined = set(pair.students).union(*(members.get(s, set()) for s in pair.students))
        members |= dict.fromkeys(joined, joined)
    each = {id(group): group for group in members.values()}
    alike = (_group(group, pairs) for group in each.values())
    return tuple(sorted(alike, key=lambda group: (-group.score, -len(group.students))))


def _group(students: Collection[str], pairs: Iterable[Pair]) -> Alike:
    own = [pair for pair in pairs if pair.students[0] in students]
    most = max(own, key=lambda pair: pair.score)
    least = min(pair.score for pair in own)
    return Alike(tuple(sorted(students)), most.part, most.score, most.said, least, len(own))


def _pair(first: str, second: str, works: dict[str, list[Printed]]) -> Pair | None:
    """Compare two works in both directions, since code may have moved to another file.

    Returns None if no part is similar enough.
    """
    ways = [*alike(works[first], works[second]), *alike(works[second], works[first])]
    most = max(ways, key=lambda way: way[1].score, default=None)
    if most is None or most[1].score < MODERATE:
        return None
    part, likeness = most
    return Pair((first, second), part.name, likeness.score, likeness.said)
