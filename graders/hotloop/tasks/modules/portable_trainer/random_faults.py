"""Random runs: a few backends, faults at random steps, and the events of the run.

Events depend on the decisions, so they are generated one at a time; otherwise each event would
reveal the right decision after the preceding one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.portable_trainer.fallback import Backend, Decision, Event

EVERY = 5
"""Steps between two checkpoints."""

_NAMES = ("cuda_graphs", "compile", "sharded", "eager", "eager_small")


@dataclass(frozen=True)
class Fault:
    """A fault. kind: of event. backend: on which it happens; None for whichever is in use.

    first, last: steps at which it happens. times: how often at most.
    """

    kind: str
    backend: str | None
    first: int
    last: int
    times: int = 1_000


@dataclass
class FaultyRun:
    """A run with faults. step: the next step. saved: step of the newest checkpoint.

    starting: whether the backend has yet to compile. used: how often each fault has happened.
    """

    backends: tuple[Backend, ...]
    faults: tuple[Fault, ...]
    rng: Rng
    step: int = 0
    current: str = ""
    saved: int = 0
    compiled: int = 0
    starting: bool = True
    used: dict[int, int] = field(default_factory=dict[int, int])
    outlier_in: int = 4

    def __post_init__(self) -> None:
        """Start the run on the preferred backend."""
        self.current = self.current or self.backends[0].name

    def event(self) -> Event:
        """Return the next event."""
        about: Event = {"backend": self.current, "step": self.step}
        for kind in ("compile_failed", "rank_lost", "out_of_memory"):
            if (kind != "compile_failed" or self.starting) and self._strikes(kind):
                return {"kind": kind, **about}
        first, self.starting = self.starting, False
        backend = next(b for b in self.backends if b.name == self.current)
        again = self._strikes("recompiles") and backend.compiled
        self.compiled += int(backend.compiled and (first or again))
        seconds = backend.step_s * self._jitter() * (30 if first or again else 1)
        if self._strikes("slow"):
            seconds *= 3
        loss = float("nan") if self._strikes("not_finite") else 2 + 0.1 * self.rng.standard_normal()
        measured = {"loss": loss, "seconds": seconds, "compilations": self.compiled}
        return {"kind": "step", **about, **measured}

    def follow(self, event: Event, decision: Decision) -> None:
        """Apply the decision to the run."""
        if decision.origin == "checkpoint":
            self.step = self.saved
        elif event["kind"] == "step":
            self.step += 1
            if self.step % EVERY == 0:
                self.saved = self.step
        if decision.backend != self.current:
            self.current, self.starting, self.compiled = decision.backend, True, 0

    def _strikes(self, kind: str) -> bool:
        for number, fault in enumerate(self.faults):
            met = fault.kind == kind and fault.backend in (None, self.current)
            if not met or not fault.first <= self.step <= fault.last:
                continue
            if self.used.get(number, 0) < fault.times:
                self.used[number] = self.used.get(number, 0) + 1
                return True
        return False

    def _jitter(self) -> float:
        """Return a factor within a few percent of 1; every 4 to 11 steps, one of 3 to 6."""
        self.outlier_in -= 1
        if self.outlier_in <= 0:
            self.outlier_in = int(self.rng.integers(4, 12))
            return float(self.rng.uniform(3, 6))
        return float(np.exp(0.05 * self.rng.standard_normal()))


def backends(rng: Rng) -> tuple[Backend, ...]:
    """Return four or five backends, fastest first; memory does not follow that order."""
    names = _NAMES[: int(rng.integers(4, 6))]
    seconds = 0.1 * np.cumprod(rng.uniform(1.2, 1.7, len(names)))
    memory = rng.permutation(np.arange(8, 48, 4))[: len(names)]
    return tuple(
        Backend(name, float(m), name in ("cuda_graphs", "compile"), round(float(s), 4))
        for name, m, s in zip(names, memory, seconds, strict=True)
    )


def one_fault(kind: str, rng: Rng, *, lasting: bool) -> tuple[tuple[Backend, ...], Fault]:
    """Return a run's backends, and one fault of the first of them at a secret step."""
    first = 0 if kind == "compile_failed" else int(rng.integers(8, 40))
    times = 1_000 if lasting or kind in ("slow", "recompiles") else 1
    last = first + (0 if kind in ("not_finite", "out_of_memory") else 30)
    available = backends(rng)
    return available, Fault(kind, available[0].name, first, last, times)


def many_faults(rng: Rng) -> tuple[tuple[Backend, ...], tuple[Fault, ...]]:
    """Return a long run's backends and faults of every kind; 40 % hit the backend in use."""
    available = backends(rng)
    kinds = ["slow", "slow", "not_finite", "not_finite", "rank_lost", "recompiles", "out_of_memory"]
    if rng.random() < 0.5:
        kinds.append("compile_failed")
    faults: list[Fault] = []
    for kind in rng.permutation(kinds * 2):
        first = int(rng.integers(3, 240))
        backend = available[int(rng.integers(len(available)))].name if rng.random() < 0.6 else None
        lasting = {"slow": 25, "recompiles": 20, "rank_lost": 12, "compile_failed": 60}
        times = int(rng.choice([1, 1, 3])) if kind in ("not_finite", "rank_lost") else 1_000
        if kind == "out_of_memory":
            times = 1
        faults.append(Fault(str(kind), backend, first, first + lasting.get(kind, 0), times))
    return available, tuple(faults)
