"""Checks of task cost_model: searches compared on equal budgets, and a model that ranks candidates.

The candidates are schedules that MetaSchedule drew for three programs; each was built and timed
once, by curriculum/tvm_passes/recordings/record_searches.py. Which of them the model learns from,
which it ranks, and which fail, is drawn anew for each judging.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.questions import (
    GivenFile,
    Question,
    ask_plainly,
    number_mismatch,
    shown,
)
from hotloop.judge.session import Session

Rng = np.random.Generator

POOLS = Path(__file__).parent / "pools"
KNOWN, MEASURED, FAILED = 24, 40, 4
"""Trials of another program, and of the program whose candidates are ranked; how many fail."""
FAILED_S = 1e10
"""The seconds that MetaSchedule records for a candidate that could not be built or run."""
TIMEOUT_S = 120.0


# --- searches on equal budgets --------------------------------------------------------------------


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


# --- a model that ranks ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """Measured candidates of one program. workload, trials: lines of MetaSchedule's database."""

    name: str
    workload: str
    trials: Sequence[str]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """The mean time of each trial."""
        return np.array([fmean(json.loads(line)[1][1]) for line in self.trials])

    def files(self, lines: Sequence[str]) -> tuple[GivenFile, GivenFile]:
        """Return the program and some of its records as two files."""
        return (
            GivenFile("workload.json", self.workload.encode()),
            GivenFile("trials.json", "".join(line + "\n" for line in lines).encode()),
        )


@cache
def pools() -> tuple[Pool, ...]:
    """Return the recorded pools, without candidates that failed when they were recorded."""
    return tuple(_read(path) for path in sorted(POOLS.glob("*.json.gz")))


def _read(path: Path) -> Pool:
    kept = json.loads(gzip.decompress(path.read_bytes()))
    pool = Pool(path.name.split(".")[0], kept["workload"], kept["trials"])
    whole = [t for t, s in zip(pool.trials, pool.seconds, strict=True) if s < FAILED_S]
    return Pool(pool.name, pool.workload, whole)


@check(after=("compared",))
def ranks(session: Session, least: float) -> str:
    """Require a mean rank correlation of at least `least` between scores and measured speeds."""
    rng, found = session.rng(), dict[str, float]()
    for asked, known in zip(pools(), (*pools()[1:], pools()[0]), strict=True):
        session.progress(f"candidates of {asked.name}")
        found[asked.name] = ranked(asked, known, rng, session)
    mean = float(np.mean(list(found.values())))
    session.note(correlation=round(mean, 3), **{k: round(v, 3) for k, v in found.items()})
    sentence = f"Its scores and the measured speeds have a rank correlation of {mean:.2f}"
    if mean < least:
        raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}, and at least {least:g} is expected.")
    return f"{sentence}."


def ranked(asked: Pool, known: Pool, rng: Rng, session: Session) -> float:
    """Return Spearman's correlation for the candidates of one program that were not measured."""
    order = rng.permutation(len(asked.trials))
    measured, others = order[:MEASURED], order[MEASURED:]
    seconds = asked.seconds[others]
    arguments = (
        *known.files(_measured(known, rng.permutation(len(known.trials))[:KNOWN], rng)),
        *asked.files(_measured(asked, measured, rng)),
        asked.files([_with_seconds(asked.trials[int(i)], []) for i in others])[1],
    )
    answer = ask_plainly(session.worker(), arguments, session.timeout(TIMEOUT_S))
    scores = [s for s in as_list(answer) if isinstance(s, int | float) and np.isfinite(s)]
    if len(scores) != len(others):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"For {len(others)} candidates there are {len(scores)} finite scores.",
        )
    return spearman(np.array(scores, float), -seconds)


def _measured(pool: Pool, chosen: NDArray[np.int64], rng: Rng) -> list[str]:
    """Return the records of these trials, of which a few failed: they could not be built."""
    failed = set(rng.choice(len(chosen), FAILED, replace=False).tolist())
    lines = [pool.trials[int(trial)] for trial in chosen]
    return [
        _with_seconds(line, [FAILED_S]) if place in failed else line
        for place, line in enumerate(lines)
    ]


def _with_seconds(line: str, seconds: list[float]) -> str:
    number, record = json.loads(line)
    record[1] = seconds
    return json.dumps([number, record])


def spearman(scores: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """Return the rank correlation; equal scores share their mean rank; constant ones give 0."""
    given, true = _mean_ranks(scores), _mean_ranks(truth)
    if np.ptp(given) == 0 or np.ptp(true) == 0:
        return 0.0
    return float(np.corrcoef(given, true)[0, 1])


def _mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places]
