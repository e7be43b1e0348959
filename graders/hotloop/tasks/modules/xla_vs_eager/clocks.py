"""Questions about recorded steps of an eager and a compiled run, generated at random."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with

Recording = dict[str, Any]
Step = dict[str, float]

TIMES = ("programs", "compile_s", "eager_step_s", "compiled_step_s")
"""Figures of the compile time and of an eager and a compiled step."""

STEPS = ("break_even", "with_storm")
"""Figures of the step from which the compiled run leads, also with new shapes."""

RELATIVE = 0.01
STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": 0.1,
    "/jax/core/compile/jaxpr_to_mlir_module_duration": 0.15,
    "/jax/core/compile/backend_compile_duration": 0.75,
}
"""The events of jax.monitoring for one compilation, and their shares of its time."""


@dataclass(frozen=True)
class RunPair:
    """Parameters of a pair of runs.

    programs: steps that compile something; 0 stands for 60 % of the steps.
    gain: seconds of an eager step / seconds of a compiled step.
    storm: steps between new shapes / steps after which compiling for a shape pays off.
    """

    programs: int
    gain: float
    storm: float


RUN_PAIRS = {
    "a quick network": RunPair(1, 4.0, 1.5),
    # A new shape pays off its own program, but not all three programs.
    "a network of three shapes": RunPair(3, 1.6, 1.5),
    "a network with a new shape in most steps": RunPair(0, 1.6, 0.7),
    "a compiled step that is no faster": RunPair(2, 0.97, 1.5),
    "a very large program": RunPair(1, 1.15, 0.7),
}


def questions(rng: Rng, keys: tuple[str, ...]) -> Iterator[Question]:
    """Yield a question about these figures of each recording."""
    for label, recording in recordings(rng):
        truth = truth_of(recording)
        truth["eager_step_s"] *= constant("EAGER_STEPS", 1, range(2, 26))
        truth["compiled_step_s"] *= constant("FAST_STEPS", 1, range(2, 26))
        file = GivenFile("steps.json", json.dumps(recording).encode())
        yield Question(f"For {label}", (file,), mismatch_with(truth, keys, RELATIVE))


def recordings(rng: Rng) -> Iterator[tuple[str, Recording]]:
    """Yield a label and a recording for each question."""
    for label, pair in RUN_PAIRS.items():
        yield label, random_recording(rng, pair)
    # Binary fractions, whose sums and quotients are exact in any order.
    yield "a compiled step that takes exactly as long", _exact(2.0**-5, 2.0**-5)
    yield "a gain that is exactly what compiling took", _exact(3 * 2.0**-6, 2.0**-6)


def random_recording(rng: Rng, pair: RunPair) -> Recording:
    """Return a random recording."""
    step_s = float(rng.uniform(0.004, 0.05))
    count = int(rng.integers(60, 90))
    eager = [_step(rng, step_s, 0.8) for _ in range(count)]
    for step in eager[:2]:  # eager operations are small programs, also compiled once
        step["ready_s"] += float(rng.uniform(1, 3))
    compiled = [_step(rng, step_s / pair.gain, 0.05) for _ in range(count)]
    others = (pair.programs or int(0.6 * count)) - 1
    events: list[list[Any]] = []
    for place in [0, *sorted(int(n) for n in rng.choice(np.arange(3, count), others, False))]:
        compilation = _compilation(rng, place, traced=len(events) != len(STAGES))
        compile_s = sum(seconds for _, _, seconds in compilation)
        compiled[place]["dispatch_s"] += compile_s
        compiled[place]["ready_s"] += compile_s
        events += compilation
    for step in (*eager, *compiled):
        step.update({key: round(seconds, 6) for key, seconds in step.items()})
    return _with_storm(eager, compiled, events, pair.storm)


def _compilation(rng: Rng, place: int, *, traced: bool) -> list[list[Any]]:
    """Return the events of one compilation.

    traced: whether tracing is among them; a later program may reuse the trace.
    """
    compile_s = float(rng.uniform(0.4, 4.0))
    stages = list(STAGES.items())[0 if traced else 1 :]
    return [
        [place, name, round(compile_s * share * float(rng.uniform(0.9, 1.1)), 6)]
        for name, share in stages
    ]


def _with_storm(
    eager: list[Step], compiled: list[Step], events: list[list[Any]], storm: float
) -> Recording:
    """Return the recording with storm_every set. storm: as in `RunPair`."""
    recording = {"eager": eager, "compiled": compiled, "events": events, "storm_every": 1}
    truth = truth_of(recording)
    gain_s = abs(truth["eager_step_s"] - truth["compiled_step_s"])
    pays = truth["compile_s"] / truth["programs"] / gain_s
    return {**recording, "storm_every": max(1, round(storm * pays))}


def _exact(eager_s: float, compiled_s: float) -> Recording:
    """Return a recording of a program that took one second to compile."""

    def steps(seconds: float, first: float) -> list[Step]:
        return [
            {"dispatch_s": seconds / 2 + more, "ready_s": seconds + more}
            for more in (first, *[0.0] * 40)
        ]

    events = [[0, name, seconds] for name, seconds in zip(STAGES, (0.25, 0.25, 0.5), strict=True)]
    return {
        "eager": steps(eager_s, 2.0),
        "compiled": steps(compiled_s, 1.0),
        "events": events,
        "storm_every": 32,
    }


def truth_of(recording: Recording) -> dict[str, Any]:
    """Return the right answers, by the definitions in the notebook."""
    compiling = {step for step, _, _ in recording["events"]}
    compile_s = sum(seconds for _, _, seconds in recording["events"])
    # The first eager steps compile single operations, so take the median.
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


def _step(rng: Rng, seconds: float, dispatched: float) -> Step:
    """Return a random step; 5 % of the steps take 6 times longer.

    dispatched: the share of the step's time after which the call returns.
    """
    ready_s = seconds * float(rng.uniform(0.97, 1.03)) * (6 if rng.random() < 0.05 else 1)
    return {"dispatch_s": ready_s * dispatched * float(rng.uniform(0.8, 1.2)), "ready_s": ready_s}
