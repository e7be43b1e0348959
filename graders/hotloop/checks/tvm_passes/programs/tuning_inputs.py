"""Recorded tunings to explain, with the truth about them. Sees nothing of the learner's.

Made of the one that the learner has: some of its trials in another order, with other times, tile
sizes and choices, some of them failed. Only the text is looked at; nothing is built or run.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

HERE = Path(__file__).parent
FAILED_S = 1e10
"""MetaSchedule's time of a candidate that could not be built or run."""

Instruction = tuple[str, list[Any], list[Any], list[str]]


def make(seed: int, number: int, rank: int = 1, runs: int = 1) -> dict[str, Any]:
    """Paths of both files, and what is true of them. rank, runs: see `truth`.

    number: of the recording. In even ones the first trial has failed and the last one is the best;
    in odd ones the last one has failed. The best one was run more often than the others, so that a
    sum is no mean.
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
    """What `explain` has to say about these records. rank: of the trial that is explained, by its
    time; 1 is the best. runs: how many of the first one are compared with one of it.
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


def _choices(instructions: list[Instruction], decided: dict[int, Any]) -> dict[str, Any]:
    """Tile sizes by loop, how many choices of each sort there were, and how far it unrolls."""
    loops = next(made for kind, _, _, made in instructions if kind == "GetLoops")
    tiles: dict[str, list[int]] = {}
    sampled: dict[str, int] = {}
    chosen: dict[str, Any] = {}
    unroll = None
    for number, (kind, used, attributes, made) in enumerate(instructions):
        if kind.startswith("Sample"):
            sampled[kind] = sampled.get(kind, 0) + 1
        if kind == "SamplePerfectTile":
            tiles["ijk"[loops.index(used[0])]] = decided[number]
        elif kind == "SampleCategorical":
            chosen[made[0]] = attributes[0][decided[number]]
        elif kind == "Annotate" and attributes[0] == "meta_schedule.unroll_explicit":
            unroll = chosen[used[1]]
    return {"tiles": tiles, "sampled": sampled, "unroll": unroll}


def _redraw(trace: list[Any], rng: random.Random) -> None:
    """Other decisions: tile sizes with the same product, another one of a categorical's choices."""
    instructions, decisions = trace
    for entry in decisions:
        kind, _, attributes, _ = instructions[entry[0]]
        if kind == "SamplePerfectTile":
            entry[1] = _factors(entry[1], rng)
        elif kind == "SampleCategorical":
            entry[1] = rng.randrange(len(attributes[0]))


def _factors(factors: list[int], rng: random.Random) -> list[int]:
    """As many factors, with the same product; products here are powers of two."""
    product = 1
    for factor in factors:
        product *= factor
    drawn = [1] * len(factors)
    while product > 1:
        drawn[rng.randrange(len(drawn))] *= 2
        product //= 2
    return drawn
