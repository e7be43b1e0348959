"""Recorded tunings to explain, with the right answers. Has no file of the learner's submission.

Derived from the recording that the learner has: some of its trials in another order, with other
times, tile sizes and choices, some of them failed. Only text is processed; nothing is built or run.
"""

from __future__ import annotations

import json
import random
import tempfile
from math import prod
from pathlib import Path
from statistics import mean
from typing import Any

HERE = Path(__file__).parent
FAILED_S = 1e10
"""The time that MetaSchedule records for a candidate that could not be built or run."""

Instruction = tuple[str, list[Any], list[Any], list[str]]


def make(seed: int, number: int, rank: int = 1, runs: int = 1) -> dict[str, Any]:
    """Return the paths of both files, and the right answers. rank, runs: see `truth`.

    number: of the recording. In even ones the first trial has failed and the last one is the best;
    in odd ones the last one has failed. The best trial has more runs than the others, so that the
    sum of its times does not rank like their mean.
    """
    rng = random.Random(seed)
    lines = (HERE / "recorded_trials.json").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    chosen = rng.sample(records, min(len(records), rng.randint(7, 10)))
    last = len(chosen) - 1
    failed = {0 if number % 2 == 0 else last, *rng.sample(range(2, last), rng.randint(0, 2))}
    best = last if number % 2 == 0 else 1
    for place, (_, record) in enumerate(chosen):
        _redraw(record[0], rng)
        base = rng.uniform(0.4e-3, 0.9e-3) if place == best else rng.uniform(1e-3, 9e-3)
        times = [base * rng.uniform(0.97, 1.03) for _ in range(5 if place == best else 2)]
        record[1] = [FAILED_S] if place in failed else times
    folder = Path(tempfile.mkdtemp())
    workload, trials = folder / "workload.json", folder / "trials.json"
    workload.write_text((HERE / "recorded_workload.json").read_text())
    trials.write_text("".join(json.dumps(record) + "\n" for record in chosen))
    return {"workload": str(workload), "trials": str(trials), **truth(chosen, rank, runs)}


def truth(records: list[Any], rank: int = 1, runs: int = 1) -> dict[str, Any]:
    """Return what `explain` must return for these records.

    rank: which trial to explain, by mean time; 1 is the best. runs: how many runs of the first
    successful trial are compared with one run of that trial, in `speed_up`.
    """
    means = [mean(record[1]) for _, record in records]
    successes = [seconds for seconds in means if seconds < FAILED_S]
    best = means.index(sorted(means)[rank - 1])
    instructions, decisions = records[best][1][0]
    return {
        "best": best,
        "failed": len(means) - len(successes),
        "speed_up": runs * successes[0] / means[best],
        **_choices(instructions, dict(decisions)),
    }


def _choices(instructions: list[Instruction], decisions: dict[int, Any]) -> dict[str, Any]:
    """Return tile sizes by loop, the number of choices of each kind, and the unroll limit."""
    loops = next(outputs for kind, _, _, outputs in instructions if kind == "GetLoops")
    tiles: dict[str, list[int]] = {}
    sampled: dict[str, int] = {}
    chosen: dict[str, Any] = {}
    unroll = None
    for number, (kind, inputs, attributes, outputs) in enumerate(instructions):
        if kind.startswith("Sample"):
            sampled[kind] = sampled.get(kind, 0) + 1
        if kind == "SamplePerfectTile":
            tiles["ijk"[loops.index(inputs[0])]] = decisions[number]
        elif kind == "SampleCategorical":
            chosen[outputs[0]] = attributes[0][decisions[number]]
        elif kind == "Annotate" and attributes[0] == "meta_schedule.unroll_explicit":
            unroll = chosen[inputs[1]]
    return {"tiles": tiles, "sampled": sampled, "unroll": unroll}


def _redraw(trace: list[Any], rng: random.Random) -> None:
    """Replace the decisions, in place: tile sizes of the same product, and categorical choices."""
    instructions, decisions = trace
    for entry in decisions:
        kind, _, attributes, _ = instructions[entry[0]]
        if kind == "SamplePerfectTile":
            entry[1] = _factors(entry[1], rng)
        elif kind == "SampleCategorical":
            entry[1] = rng.randrange(len(attributes[0]))


def _factors(factors: list[int], rng: random.Random) -> list[int]:
    """Return as many random factors with the same product, which is a power of two."""
    sampled = [1] * len(factors)
    while prod(sampled) < prod(factors):
        sampled[rng.randrange(len(sampled))] *= 2
    return sampled
