"""Does the reference policy stay within its limits on all streams, and do wrong policies exceed
them?

    python tests/benchmarks/policy_streams.py [--seeds 500]

Replays `compile_policy`'s reference on the hidden streams of that many seeds, with the judge's own
cost accounting, and each wrong answer on the streams of the check that it must fail and of those
before it. For each seed, takes the stream with the highest cost relative to the best programs known
in advance. Prints the largest of these ratios where a policy must pass, and the smallest where it
must fail; fails if one is nearer to its limit than MARGIN.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling
from hotloop.judge.author_guard import Check
from hotloop.judge.check import FunctionCheck
from hotloop.tasks import render
from hotloop.tasks.modules.transformer_compilation import replay
from hotloop.tasks.modules.transformer_compilation.streams import (
    SimulatedProcess,
    Stream,
    best_fixed,
)
from hotloop.tasks.modules.transformer_compilation.tasks import compile_policy

MODULE, TASK = "transformer_compilation", "compile_policy"

MARGIN = 0.08
"""Required distance from a limit of a policy's worst stream, as a share, to exclude chance."""

Decide = Callable[[str, str, str], Any]


def main() -> int:
    """Replay all policies; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=500)
    seeds = range(parser.parse_args().seeds)
    checks = compile_policy.checks
    limits = {name: bound(check)["most"] for name, check in checks.items()}
    sound = True
    reference = loaded(None)
    for name, check in checks.items():
        found = [worst(reference, check, seed) for seed in seeds]
        sound &= told("reference", name, "passes", max(found), limits[name], len(seeds))
    for wrong in render.wrong_answers(MODULE):
        if wrong.task != TASK:
            continue
        decide, names = loaded(wrong.path), list(checks)
        for name in names[: names.index(wrong.check)]:
            found = [worst(decide, checks[name], seed) for seed in seeds]
            sound &= told(wrong.name, name, "passes", max(found), limits[name], len(seeds))
        found = [worst(decide, checks[wrong.check], seed) for seed in seeds]
        sound &= told(wrong.name, wrong.check, "fails", min(found), limits[wrong.check], len(seeds))
    return 0 if sound else 1


def told(who: str, check: str, must: str, ratio: float, limit: float, seeds: int) -> bool:
    """Print a line; return whether the ratio is on the right side of the limit by MARGIN."""
    passes = must == "passes"
    right = ratio <= (1 - MARGIN) * limit if passes else ratio >= (1 + MARGIN) * limit
    which = "largest" if passes else "smallest"
    said = f"{who} {must} {check} on {seeds} seeds: {which} ratio {ratio:.2f}, limit {limit:g}"
    print(said if right else f"NOT SO: {said}", flush=True)
    return right


def worst(decide: Decide, check: Check, seed: int) -> float:
    """Return the largest ratio over a seed's streams."""
    streams = bound(check)["streams"]
    return max(ratio(decide, stream) for stream in streams(np.random.default_rng(seed)))


def bound(check: Check) -> Mapping[str, Any]:
    """Return the values that tasks.py gives to a check's parameters."""
    assert isinstance(check, FunctionCheck)
    return check.arguments


def ratio(decide: Decide, stream: Stream) -> float:
    """Return a policy's cost over that of the best programs; infinite for an invalid decision."""
    try:
        return spent(decide, stream) / best_fixed(stream)
    except Ruling:
        return np.inf


def spent(decide: Decide, stream: Stream) -> float:
    """Return the seconds spent, as the judge adds them up."""
    process, memory = SimulatedProcess(stream.prices), "null"
    prices = json.dumps(stream.prices.plain())
    for life, length in calls(stream, process):
        call = replay.described(process, life, length)
        memory, way = replay.read_answer(decide(prices, memory, call), length, stream.label)
        if way is None:
            process.eager(length)
        else:
            process.run(way, length)
    return process.seconds


def calls(stream: Stream, process: SimulatedProcess) -> Iterator[tuple[int, int]]:
    """Yield lives and lengths; the process is restarted between two lives."""
    for life, lengths in enumerate(stream.lives):
        if life:
            process.restart()
        for length in lengths:
            yield life, length


def loaded(wrong: Path | None) -> Decide:
    """Load the policy of the reference, or of a wrong answer.

    This code is part of the repository; the judge never runs a learner's code this way.
    """
    namespace: dict[str, Any] = {}
    exec(render.submission(MODULE, wrong)["policy.py"], namespace)
    return namespace["decide"]


if __name__ == "__main__":
    sys.exit(main())
