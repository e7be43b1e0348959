"""Reference fallback policy: the decision after each event, by the rules of `policy.md`.

Its state is kept in an object; the check `remembers` tests that a candidate's is plain data.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hotloop.judge.constants import constant

COMPILATION_STEPS, LOSSES, LOSS_STEPS = 10, 3, 20
TIMES, SLOWER = 5, 2.0

Event = dict[str, Any]


def first_rest() -> int:
    """Return how many steps a backend rests the first time."""
    return constant("REST", 20, range(10, 26))


@dataclass(frozen=True)
class Backend:
    """What a policy knows about a backend from the start. step_s: seconds per step."""

    name: str
    memory_gib: float
    compiled: bool
    step_s: float

    def plain(self) -> dict[str, object]:
        """Return the dict that a learner's policy receives."""
        return dict(vars(self))


@dataclass(frozen=True)
class Decision:
    """What to do next. origin: `from` in what a learner's policy returns."""

    do: str
    backend: str
    origin: str
    because: str | None

    def plain(self) -> dict[str, object]:
        """Return the dict that a learner's policy must return."""
        return {
            "do": self.do,
            "backend": self.backend,
            "from": self.origin,
            "because": self.because,
        }


@dataclass
class _Watch:
    """Measurements of a backend since the run switched to it or restored it."""

    times: list[float] = field(default_factory=list[float])
    best: float = math.inf
    compilations: list[int] = field(default_factory=list[int])


@dataclass
class Policy:
    """Decides after each event.

    barred: backends never to use again. rests: how often each has rested. until: the step at which
    it may return. losses: steps of recent lost ranks. bad: step and backend of the last non-finite
    loss.
    """

    backends: Sequence[Backend]
    barred: set[str] = field(default_factory=set[str])
    rests: dict[str, int] = field(default_factory=dict[str, int])
    until: dict[str, int] = field(default_factory=dict[str, int])
    losses: list[int] = field(default_factory=list[int])
    bad: tuple[int, str] | None = None
    watch: _Watch = field(default_factory=_Watch)

    def decide(self, event: Event) -> Decision:
        """Return the right decision after this event."""
        name, step = event["backend"], event["step"]
        if event["kind"] == "step":
            decision = self._step(name, step, event)
        else:
            decision = getattr(self, f"_{event['kind']}")(name, step)
        if decision.do not in ("go_on", "stop"):
            self.watch = _Watch()
        return decision

    def _compile_failed(self, name: str, step: int) -> Decision:
        return self._left(name, step, "compile_failed", "here", bar=True)

    def _out_of_memory(self, name: str, step: int) -> Decision:
        had = next(b.memory_gib for b in self.backends if b.name == name)
        return self._left(
            name,
            step,
            "out_of_memory",
            "checkpoint",
            fits=lambda other: other.memory_gib < had,
            bar=True,
        )

    def _rank_lost(self, name: str, step: int) -> Decision:
        self.losses = [lost for lost in self.losses if step - lost < LOSS_STEPS] + [step]
        if len(self.losses) < LOSSES:
            return Decision("restore", name, "checkpoint", "rank_lost")
        self.losses = []
        return self._left(name, step, "rank_lost", "checkpoint")

    def _step(self, name: str, step: int, event: Event) -> Decision:
        if not math.isfinite(event["loss"]):
            return self._not_finite(name, step)
        if self.bad is not None and step > self.bad[0]:
            self.bad = None
        watch, count = self.watch, event["compilations"]
        timed = bool(watch.compilations) and count == watch.compilations[-1]
        watch.compilations = [*watch.compilations, count][-COMPILATION_STEPS - 1 :]
        if count - watch.compilations[0] > constant("MOST_COMPILATIONS", 3, range(4, 7)):
            return self._left(
                name,
                step,
                "recompiles",
                "here",
                fits=lambda other: not other.compiled,
                bar=True,
                soft=True,
            )
        slow = self._slow(name, step, event["seconds"]) if timed else None
        return slow or self._calm(name, step)

    def _not_finite(self, name: str, step: int) -> Decision:
        if self.bad is None or self.bad[0] != step:
            self.bad = (step, name)
            return Decision("restore", name, "checkpoint", "not_finite")
        if self.bad[1] != name:
            return Decision("stop", name, "checkpoint", "not_finite")
        return self._left(name, step, "not_finite", "checkpoint")

    def _slow(self, name: str, step: int, seconds: float) -> Decision | None:
        watch = self.watch
        watch.times = [*watch.times, seconds][-TIMES:]
        if len(watch.times) < TIMES:
            return None
        now = statistics.median(watch.times)
        watch.best = min(watch.best, now)
        if now <= SLOWER * watch.best:
            return None
        return self._left(
            name, step, "slow", "here", fits=lambda other: other.step_s < now, soft=True
        )

    def _calm(self, name: str, step: int) -> Decision:
        for backend in self.backends:
            if backend.name == name:
                break
            if self._usable(backend, step):
                return Decision("return", backend.name, "here", None)
        return Decision("go_on", name, "here", None)

    def _left(
        self,
        name: str,
        step: int,
        because: str,
        origin: str,
        *,
        fits: Callable[[Backend], bool] = lambda _other: True,
        bar: bool = False,
        soft: bool = False,
    ) -> Decision:
        place = [backend.name for backend in self.backends].index(name)
        below = [b for b in self.backends[place + 1 :] if self._usable(b, step) and fits(b)]
        if not below:
            return Decision(
                "go_on" if soft else "stop", name, "here" if soft else "checkpoint", because
            )
        if bar:
            self.barred.add(name)
        else:
            times = self.rests.get(name, 0)
            self.rests[name] = times + 1
            self.until[name] = step + first_rest() * 2**times
        return Decision("fall_back", below[0].name, origin, because)

    def _usable(self, backend: Backend, step: int) -> bool:
        return backend.name not in self.barred and step >= self.until.get(backend.name, 0)
