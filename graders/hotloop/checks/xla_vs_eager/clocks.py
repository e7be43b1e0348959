"""Recorded steps of two runs, eager and compiled: made ones, with figures nobody could know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotloop.checks.xla_vs_eager.answers import complaint
from hotloop.judge.questions import GivenFile, Question

Rng = np.random.Generator

TIMES = ("programs", "compile_s", "eager_step_s", "compiled_step_s")
STEPS = ("break_even", "with_storm")
RELATIVE = 0.01
STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": 0.1,
    "/jax/core/compile/jaxpr_to_mlir_module_duration": 0.15,
    "/jax/core/compile/backend_compile_duration": 0.75,
}
"""What jax.monitoring tells of a compilation, and about which part of it each is."""


@dataclass(frozen=True)
class Per:
    """Of how many steps of either kind the time is told."""

    eager: int = 1
    compiled: int = 1


PLAIN = Per()


def time_questions(rng: Rng, per: Per = PLAIN) -> Iterator[Question]:
    """How long compiling takes, and a step of either kind."""
    yield from _questions(rng, TIMES, per)


def step_questions(rng: Rng) -> Iterator[Question]:
    """After which step the compiled run is ahead, and whether it ever is with new shapes."""
    yield from _questions(rng, STEPS, PLAIN)


def _questions(rng: Rng, keys: tuple[str, ...], per: Per) -> Iterator[Question]:
    for label, programs, gain in (
        ("a quick network", 1, 4.0),
        ("a network of three shapes", 3, 1.6),
        ("a compiled step that is no faster", 2, 0.97),
        ("a very large program", 1, 1.15),
    ):
        recording, truth = made(rng, programs, gain)
        truth["eager_step_s"] *= per.eager
        truth["compiled_step_s"] *= per.compiled
        file = GivenFile("steps.json", json.dumps(recording).encode())
        yield Question(f"For {label}", (file,), complaint(truth, keys, RELATIVE))


def made(rng: Rng, programs: int, gain: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """A recording, and what is to be found in it."""
    step_s = float(rng.uniform(0.004, 0.05))
    eager = [_step(rng, step_s, 0.8) for _ in range(int(rng.integers(60, 90)))]
    for step in eager[:2]:  # eager operations are small programs, compiled once as well
        step["ready_s"] += float(rng.uniform(1, 3))
    fast_s = step_s / gain
    compiled = [_step(rng, fast_s, 0.05) for _ in range(len(eager))]
    events: list[list[Any]] = []
    for place in [0, *sorted(int(n) for n in rng.choice(np.arange(3, 50), programs - 1, False))]:
        took = float(rng.uniform(0.4, 4.0))
        for name, share in STAGES.items():
            events.append([place, name, round(took * share * float(rng.uniform(0.9, 1.1)), 6)])
        spent = sum(seconds for step, _, seconds in events if step == place)
        compiled[place]["dispatch_s"] += spent
        compiled[place]["ready_s"] += spent
    for step in (*eager, *compiled):
        step.update({key: round(seconds, 6) for key, seconds in step.items()})
    storm = int(rng.integers(20, 200))
    recording = {"eager": eager, "compiled": compiled, "events": events, "storm_every": storm}
    return recording, truth_of(recording)


def truth_of(recording: dict[str, Any]) -> dict[str, Any]:
    """The definitions of the notebook, once more."""
    compiling = {step for step, _, _ in recording["events"]}
    compile_s = sum(seconds for _, _, seconds in recording["events"])
    # The first steps of the eager run are no steps like the others: the median does not mind.
    eager_s = float(np.median([step["ready_s"] for step in recording["eager"]]))
    compiled_s = float(
        np.median([s["ready_s"] for n, s in enumerate(recording["compiled"]) if n not in compiling])
    )
    gain = eager_s - compiled_s
    each = compile_s / len(compiling)
    pays = gain > 0
    return {
        "programs": len(compiling),
        "compile_s": compile_s,
        "eager_step_s": eager_s,
        "compiled_step_s": compiled_s,
        "break_even": int(np.ceil(compile_s / gain)) if pays else None,
        "with_storm": bool(pays and each < gain * recording["storm_every"]),
    }


def _step(rng: Rng, seconds: float, dispatched: float) -> dict[str, float]:
    """dispatched: the share of a step after which Python has the hand again. Some are slow."""
    took = seconds * float(rng.uniform(0.97, 1.03)) * (6 if rng.random() < 0.05 else 1)
    return {"dispatch_s": took * dispatched * float(rng.uniform(0.8, 1.2)), "ready_s": took}
