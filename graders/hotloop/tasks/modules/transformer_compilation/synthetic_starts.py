"""A simulated machine on which processes start, answer and end, with a simulated clock.

It lives in the judge: the learner's process asks for each step, and is told the time and nothing
else of it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

NEIGHBOR = 1.5
"""Slowdown while another process of the learner's is still alive."""
LATE = 9.0
"""Slowdown of occasional outlier calls, as if another user shared the machine."""


class Refused(Exception):
    """A step that the machine refuses; the learner's code is told why."""


@dataclass(frozen=True)
class Way:
    """Seconds of one way to run.

    ready_s: preparation before the first answer if nothing was cached; cached_s: the same if the
    cache was filled.
    """

    import_s: float
    ready_s: float
    cached_s: float
    call_s: float

    def first_s(self) -> float:
        """Return the seconds from process start to the first answer if nothing was cached."""
        return self.import_s + self.ready_s + self.call_s


@dataclass(frozen=True)
class World:
    """seed: of the noise. build_s: seconds to build the package ahead of time."""

    seed: int
    ways: dict[str, Way]
    build_s: float


@dataclass
class Life:
    """A process. cached: it found the compiled code of an earlier process."""

    way: str
    cached: bool
    calls: int = 0
    ended: bool = False


class SimulatedHost:
    """The machine of a world. Processes are numbered from 0."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = random.Random(world.seed)
        self._now = self._random.uniform(0.0, 1e4)
        self._built = False
        self._folders = set[str]()
        self._lives: list[Life] = []

    def step(self, request: list[object]) -> float | None:
        """Do what is asked; return the time, or the number of the process that starts.

        Returns None for what is no step. Raises Refused, also for a process that has ended.
        """
        match request:
            case ["clock"]:
                return self._now
            case ["build"]:
                self._pass(self._world.build_s)
                self._built = True
            case ["start", str(way), str(folder)]:
                return self._start(way, folder)
            case ["call", int(number)] if 0 <= number < len(self._lives):
                self._call(self._lives[number])
            case ["end", int(number)] if 0 <= number < len(self._lives):
                self._lives[number].ended = True
            case _:
                return None
        return self._now

    def cold(self) -> dict[str, list[int]]:
        """Return, for each way, the number of calls of each process that found no cache."""
        return {
            way: [life.calls for life in self._lives if life.way == way and not life.cached]
            for way in self._world.ways
        }

    def _start(self, way: str, folder: str) -> int:
        """Start a process that has imported what it needs. folder: of its compiled code."""
        if way not in self._world.ways:
            raise Refused(f"there is no way {way[:40]!r}")
        if way == "package" and not self._built:
            raise Refused("the package was not built")
        cached = way == "compiled" and folder in self._folders
        if way == "compiled":
            self._folders.add(folder)
        self._lives.append(Life(way, cached))
        self._pass(self._world.ways[way].import_s)
        return len(self._lives) - 1

    def _call(self, life: Life) -> None:
        if life.ended:
            raise Refused("the process has ended")
        way = self._world.ways[life.way]
        if not life.calls:
            self._pass(way.cached_s if life.cached else way.ready_s)
        elif self._random.random() < 0.1:
            self._pass((LATE - 1) * way.call_s)
        life.calls += 1
        self._pass(way.call_s)

    def _pass(self, seconds: float) -> None:
        """Advance the clock by `seconds` with some noise."""
        alive = sum(not life.ended for life in self._lives)
        busy = NEIGHBOR if alive > 1 else 1.0
        self._now += busy * seconds * self._random.uniform(0.99, 1.01)
