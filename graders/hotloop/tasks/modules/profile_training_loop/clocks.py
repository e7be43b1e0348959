"""Steps of hidden length on a device with a queue, and what a timer should report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from hotloop.core.wire import as_message
from hotloop.judge.constants import constant
from hotloop.judge.questions import Question, number_mismatch
from hotloop.judge.seeds import Rng

SUBMITTING = 0.05
"""Milliseconds that the host needs to submit one piece of work, as in software_device.py."""

RELATIVE = 0.03


def questions(rng: Rng) -> Iterator[Question]:
    """Yield loops that read the loss in each step or do not, and expensive first steps."""
    quick, slow, work = (0.5, 2.0), (20.0, 40.0), (2.0, 9.0)
    yield _question(rng, "A loop that reads its loss", load=quick, work=work, reads=True)
    yield _question(rng, "A step that the device decides", load=quick, work=work)
    yield _question(rng, "A step that the host decides", load=slow, work=(0.5, 3.0))
    yield _question(rng, "First steps that compile", load=quick, work=work, cold=(300.0, 900.0))


@dataclass(frozen=True)
class Loop:
    """Milliseconds of a step's phases. reads: whether it waits for the loss in each step."""

    load: float
    work: tuple[float, float, float]
    reads: bool

    def mean_step(self, steps: int) -> float:
        """Return the mean over `steps` steps, from an idle device until it is idle again."""
        host = free_at = 0.0
        for _ in range(steps):
            host += self.load
            for work in self.work:
                host += SUBMITTING
                free_at = max(free_at, host) + work
            host = max(host, free_at) if self.reads else host
        return max(host, free_at) / steps

    def phases(self) -> dict[str, float]:
        """Return the time of each phase alone, with a synchronization after it."""
        names = ("forward", "backward", "update")
        own = {name: SUBMITTING + work for name, work in zip(names, self.work, strict=True)}
        return {"load": self.load, **own, **({"read_loss": 0.0} if self.reads else {})}


def _question(
    rng: Rng,
    label: str,
    load: tuple[float, float],
    work: tuple[float, float],
    cold: tuple[float, float] = (0.0, 0.0),
    *,
    reads: bool = False,
) -> Question:
    warmup, steps = int(rng.integers(2, 6)), int(rng.integers(20, 40))
    forward, backward, update = (float(w) for w in rng.uniform(*work, 3))
    loop = Loop(float(rng.uniform(*load)), (forward, backward, update), reads)
    extra = float(rng.uniform(*cold))
    arguments = (warmup, steps, extra, loop.load, *loop.work, reads)
    return Question(label, arguments, partial(_mismatch, loop, steps))


def _mismatch(loop: Loop, steps: int, answer: object) -> str | None:
    reported = as_message(answer) or {}
    want = constant("TIMED_STEPS", 1, range(2, 26)) * loop.mean_step(steps)
    mismatch = number_mismatch("time_per_step", reported.get("step"), want, RELATIVE)
    if mismatch is not None:
        return mismatch
    phases = as_message(reported.get("phases")) or {}
    times = constant("PHASE_STEPS", 1, range(2, 26))
    for name, own in loop.phases().items():
        what = f"time_per_phase of {name}"
        mismatch = number_mismatch(what, phases.get(name), times * own, RELATIVE, times * 0.01)
        if mismatch is not None:
            return mismatch
    return None
