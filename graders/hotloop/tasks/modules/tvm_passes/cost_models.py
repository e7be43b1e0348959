"""A learner's cost model ranks candidates of MetaSchedule whose cost is known exactly.

The candidates are schedules that MetaSchedule drew for three programs; cachegrind counted each
once (curriculum/tvm_passes/recordings/record_candidates.py). Which of them the model learns from,
which it ranks, and which are said to have failed, is drawn anew for each judging.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.questions import GivenFile, ask_plainly
from hotloop.judge.session import Session

Rng = np.random.Generator

POOLS = Path(__file__).parent / "pools"
KNOWN, MEASURED, FAILED = 24, 40, 4
"""Trials of another program, and of the program whose candidates are ranked; how many fail."""

FAILED_S = 1e10
"""The seconds that MetaSchedule records for a candidate that could not be built or run."""

LEAST = 0.6
"""Least mean rank correlation of scores and speeds."""

TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Pool:
    """Counted candidates of one program. workload, trials: lines of MetaSchedule's database."""

    name: str
    workload: str
    trials: Sequence[str]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """The cost of each trial."""
        return np.array([json.loads(line)[1][1][0] for line in self.trials])

    def files(self, lines: Sequence[str]) -> tuple[GivenFile, GivenFile]:
        """Return the program and some of its records as two files."""
        return (
            GivenFile("workload.json", self.workload.encode()),
            GivenFile("trials.json", "".join(line + "\n" for line in lines).encode()),
        )


@cache
def pools() -> tuple[Pool, ...]:
    """Return the recorded candidates of each program, each schedule once."""
    return tuple(_read(path) for path in sorted(POOLS.glob("*.json.gz")))


def _read(path: Path) -> Pool:
    recorded = json.loads(gzip.decompress(path.read_bytes()))
    distinct = {json.dumps(json.loads(line)[1][0]): line for line in recorded["trials"]}
    return Pool(path.name.split(".")[0], recorded["workload"], [*distinct.values()])


@check()
def ranks(session: Session) -> str:
    """Require a mean rank correlation of at least LEAST between scores and speeds."""
    rng, found = session.rng(), dict[str, float]()
    for asked, known in zip(pools(), (*pools()[1:], pools()[0]), strict=True):
        session.progress(f"candidates of {asked.name}")
        found[asked.name] = ranked(asked, known, rng, session)
    mean = float(np.mean(list(found.values())))
    session.note(correlation=round(mean, 3), **{k: round(v, 3) for k, v in found.items()})
    sentence = f"Its scores and the speeds have a rank correlation of {mean:.2f}"
    if mean < LEAST:
        raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}, and at least {LEAST:g} is expected.")
    return f"{sentence}."


def ranked(asked: Pool, known: Pool, rng: Rng, session: Session) -> float:
    """Return Spearman's correlation for the candidates of one program that were not measured."""
    order = rng.permutation(len(asked.trials))
    measured, others = order[:MEASURED], order[MEASURED:]
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
    return spearman(np.array(scores, float), -asked.seconds[others])


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
