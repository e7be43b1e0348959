"""Questions of task equal_budgets: searches of different number and length, with failed trials."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown

Rng = np.random.Generator

FAILED_S = 1e10
"""The seconds that MetaSchedule records for a candidate that could not be built or run."""


def searches(rng: Rng) -> Iterator[Question]:
    """Yield a question about each kind of recording: a winner early, late, and none at all."""
    for label, gain in (
        ("The learned search is faster", 0.6),
        ("The learned search is slower", 1.4),
        ("The first trials fail", 0.8),
    ):
        recorded = {
            name: [_search(rng, scale, label) for _ in range(int(rng.choice([3, 5])))]
            for name, scale in (("random", 1.0), ("xgb", gain))
        }
        file = GivenFile("searches.json", json.dumps(recorded).encode())
        yield Question(label, (file,), partial(_compared_mismatch, comparison(recorded)))


def _search(rng: Rng, scale: float, label: str) -> list[float]:
    """Return the mean seconds of one search's trials: not of equal number, some failed."""
    count = int(rng.integers(30, 60))
    times = rng.uniform(2.0, 9.0, count)
    # The best of all lies where the shortest search has ended already.
    good, times[-1] = int(rng.integers(5, 28)), rng.uniform(0.5, 0.8)
    times[rng.choice(np.arange(count - 2), 4, replace=False)] = FAILED_S
    if "fail" in label:
        times[:3] = FAILED_S
    times[good] = rng.uniform(1.0, 1.2)
    return [float(t) if t == FAILED_S else float(f"{scale * t * 1e-3:.6g}") for t in times]


def comparison(recorded: dict[str, list[list[float]]]) -> dict[str, float | int | None]:
    """Return what `compare` must return."""
    budget = min(len(times) for search in recorded.values() for times in search)
    after = {
        name: [float(np.median([min(times[:n]) for times in search])) for n in range(1, budget + 1)]
        for name, search in recorded.items()
    }
    random, xgb = after["random"], after["xgb"]
    trials = next((n for n, best in enumerate(xgb, 1) if best <= random[-1]), None)
    return {
        "budget": budget,
        "random": random[-1],
        "xgb": xgb[-1],
        "ratio": random[-1] / xgb[-1],
        "trials": trials,
    }


def _compared_mismatch(want: dict[str, float | int | None], answer: object) -> str | None:
    given = as_message(answer)
    if given is None:
        return f"the answer is {shown(answer)}, not a dict"
    for name, value in want.items():
        if name not in given:
            return f"the answer has no {name!r}"
        mismatch = number_mismatch(repr(name), given[name], value, 1e-6)
        if mismatch is not None:
            return mismatch
    return None
