"""Finds hand-ins of a class that are more similar than independent work.

Similarity is no verdict and changes no points: short tasks have few correct solutions, and learners
may work together where that is allowed.
"""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from hotloop.course.alike.likeness import MODERATE, Printed, alike, prints
from hotloop.course.grade import submissions
from hotloop.course.hand_in import read
from hotloop.course.released import RELEASE, load_release
from hotloop.tasks.curriculum import load_module

MOST_PAIRS = 50
"""Most pairs per module; more indicate tasks with only one correct solution."""


@dataclass(frozen=True)
class Alike:
    """Two learners and their most similar file or cell. score: 0 to 1."""

    students: tuple[str, str]
    part: str
    score: float
    said: str


def alike_hand_ins(root: Path, module: str) -> tuple[Alike, ...]:
    """Return pairs of learners in the course at `root`, the most similar first."""
    release, definition = load_release(root, module), load_module(module)
    tasks = [task.id for task in definition.tasks]
    folder = root / RELEASE / module
    starter = {p.relative_to(folder).as_posix(): p.read_bytes()
               for p in folder.rglob("*") if p.is_file()}  # fmt: skip
    works = {
        student: prints(definition, tasks, read(root, student, release).files, starter)
        for student, _ in submissions(root, modules=[module])
    }
    pairs = (_pair(first, second, works) for first, second in combinations(works, 2))
    similar = sorted((pair for pair in pairs if pair), key=lambda pair: -pair.score)
    return tuple(similar[:MOST_PAIRS])


def _pair(first: str, second: str, works: dict[str, list[Printed]]) -> Alike | None:
    """Compare two works in both directions, since code may have moved to another file.

    Returns None if no part is similar enough.
    """
    ways = [*alike(works[first], works[second]), *alike(works[second], works[first])]
    most = max(ways, key=lambda way: way[1].score, default=None)
    if most is None or most[1].score < MODERATE:
        return None
    part, likeness = most
    return Alike((first, second), part.name, likeness.score, likeness.said)
