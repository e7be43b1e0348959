"""Run a learner's measurement in a simulated world with a simulated clock.

Processes start, answer and end at once; the clock advances by the time each step would take.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NEIGHBOUR = 1.5
"""Slowdown while another process of the learner's is still alive."""
LATE = 9.0
"""Slowdown of occasional outlier calls, as if another user shared the machine."""


@dataclass
class World:
    """The simulated machine. figures: seconds of each way, in the fields of cold_starts.World."""

    figures: dict[str, Any]
    now: float = 0.0
    alive: int = 0
    built: bool = False
    folders: set[str] = field(default_factory=set[str])
    lives: list[Life] = field(default_factory=list["Life"])

    def __post_init__(self) -> None:
        self.random = random.Random(self.figures["seed"])
        self.now = self.random.uniform(0.0, 1e4)

    def clock(self) -> float:
        """Return the simulated time in seconds."""
        return self.now

    def build(self) -> None:
        """Build the package; it is available afterwards."""
        self.passes(self.figures["build_s"])
        self.built = True

    def start(self, way: str, kept: str) -> Life:
        """Start a process that has imported what it needs.

        Raises ValueError for an unknown way, TypeError if `kept` is not a folder's name, and
        RuntimeError if the package was not built.
        """
        if way not in self.figures["ways"]:
            raise ValueError(f"there is no way {way!r}")
        if not isinstance(kept, str):
            raise TypeError("kept is the name of a folder")
        if way == "package" and not self.built:
            raise RuntimeError("the package was not built")
        known = way == "compiled" and kept in self.folders
        if way == "compiled":
            self.folders.add(kept)
        self.alive += 1
        self.passes(self.figures["ways"][way]["import_s"])
        self.lives.append(Life(self, way, known))
        return self.lives[-1]

    def cold(self) -> dict[str, list[int]]:
        """Return, for each way, the number of calls of each process that found no cache."""
        return {
            way: [life.calls for life in self.lives if life.way == way and not life.known]
            for way in self.figures["ways"]
        }

    def passes(self, seconds: float) -> None:
        """Advance the clock by `seconds` with some noise."""
        busy = NEIGHBOUR if self.alive > 1 else 1.0
        self.now += busy * seconds * self.random.uniform(0.99, 1.01)


@dataclass
class Life:
    """A process of that world. known: it found the compiled code of an earlier process."""

    world: World
    way: str
    known: bool
    calls: int = 0
    ended: bool = False

    def call(self) -> None:
        """Answer one call. Raises RuntimeError if the process has ended."""
        if self.ended:
            raise RuntimeError("the process has ended")
        prices = self.world.figures["ways"][self.way]
        if not self.calls:
            self.world.passes(prices["found_s"] if self.known else prices["ready_s"])
        elif self.world.random.random() < 0.1:
            self.world.passes((LATE - 1) * prices["call_s"])
        self.calls += 1
        self.world.passes(prices["call_s"])

    def end(self) -> None:
        """End the process."""
        if not self.ended:
            self.world.alive -= 1
            self.ended = True


def measure(path: str, name: str, figures: str, processes: int, calls: int) -> list[Any]:
    """Return what the learner's function `name` returns, and which starts were cold."""
    world = World(json.loads(figures))
    function = getattr(_loaded(Path(path)), name)
    record = function(world.start, world.build, world.clock, processes, calls)
    return [record, world.cold()]


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("cold_start", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses, for example, look up the module that they are defined in.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
