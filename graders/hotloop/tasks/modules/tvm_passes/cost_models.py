"""A learner's cost model leads a search among candidates whose cost is known.

The candidates are schedules that MetaSchedule drew for operators of a transformer; callgrind
counted each once (curriculum/tvm_passes/recordings/record_candidates.py). The judge holds the
costs, and tells the model those of the candidates that it ranked first, as a search does. Random
search on the same budget is not run: what it measures on average follows from the costs.
"""

from __future__ import annotations

import ast
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.questions import GivenFile, ask_plainly
from hotloop.judge.session import Session

Rng = np.random.Generator
Places = NDArray[np.int64]
Rounds = list[list[list[float | None]]]
"""For each round, the place of each measured candidate and its seconds, None if it failed."""

POOLS = Path(__file__).parent / "pools"
SIZE, ROUND, ROUNDS, FAILED, GAMES = 384, 16, 4, 2, 2
"""Candidates of a search, those of a round, rounds, how many of the first round fail, and searches
for each operator."""

FINISHED = ("xgb", "mlp", "xgboost", "XGBModel", "MLPModel", "xgb_model", "mlp_model")
"""Names by which a source would import MetaSchedule's own models, or ask for them."""

CLASSES = frozenset({"XGBModel", "MLPModel"})
"""What a source calls to make one. A learner's own network may be called `mlp`."""

COMPILERS = ("tvm.compile", "tvm.build", "tvm.tirx.build")
"""Whoever compiles the candidates can also time them, beyond the budget. This refuses the honest
mistake: a process cannot be kept from it, and a reader of the work sees it.
"""

TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Pool:
    """Counted candidates of one operator. workload: of MetaSchedule's database; trials: records."""

    name: str
    workload: str
    trials: tuple[str, ...]
    seconds: NDArray[np.float64]

    def some(self, places: Places) -> Pool:
        """Return a pool of the candidates in these places."""
        trials = tuple(self.trials[int(place)] for place in places)
        return replace(self, trials=trials, seconds=self.seconds[places])

    def file(self) -> GivenFile:
        """Return the operator and its candidates as a file without any seconds."""
        recorded = {"workload": self.workload, "trials": [_untold(each) for each in self.trials]}
        data = gzip.compress(json.dumps(recorded).encode(), 1, mtime=0)
        return GivenFile("candidates.json.gz", data)


def _untold(line: str) -> str:
    number, record = json.loads(line)
    record[1] = []
    return json.dumps([number, record])


@cache
def pools() -> tuple[Pool, ...]:
    """Return the recorded candidates of each operator."""
    return tuple(_read(path) for path in sorted(POOLS.glob("*.json.gz")))


def _read(path: Path) -> Pool:
    recorded = json.loads(gzip.decompress(path.read_bytes()))
    seconds = np.array([json.loads(line)[1][1][0] for line in recorded["trials"]])
    return Pool(path.name.split(".")[0], recorded["workload"], tuple(recorded["trials"]), seconds)


@check()
def leads(session: Session, least: float) -> str:
    """Require `least` of the way from random search to an ideal one, on average.

    Returns the message for the learner; raises Ruling.
    """
    session.worker()  # which refuses what is no Python
    if (name := borrowed(session.source())) is not None:
        problem = f"It uses {name}: the model is to be your own, and the judge alone measures."
        raise Ruling(Verdict.WRONG_ANSWER, problem)
    rng, shares = session.rng(), dict[str, float]()
    for pool in pools():
        session.progress(f"searches for {pool.name}")
        some = pool.some(rng.permutation(len(pool.seconds))[:SIZE])
        scores = partial(_scores, some.file(), session)
        shares[pool.name] = float(np.mean([searched(some, rng, scores) for _ in range(GAMES)]))
    mean = float(np.mean(list(shares.values())))
    session.note(share=round(mean, 3), **{name: round(each, 3) for name, each in shares.items()})
    sentence = (
        f"What the model chooses goes {100 * mean:.0f} % of the way from random candidates to the "
        "best ones"
    )
    if mean < least:
        required = f"{100 * least:.0f} % are required"
        raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}, and {required}.")
    return f"{sentence}."


def borrowed(source: str) -> str | None:
    """Return the name of a finished cost model, or of TVM's compiler, that the source uses."""
    tree = ast.parse(source)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        finished = FINISHED
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.Attribute | ast.Name):
            names = [ast.unparse(node)]
            finished = CLASSES if isinstance(node, ast.Attribute) else CLASSES - own
        else:
            names = [node.value] if isinstance(node, ast.Constant) else []
        for name in names:
            if name in COMPILERS or (isinstance(name, str) and name.split(".")[-1] in finished):
                return str(name)
    return None


def searched(pool: Pool, rng: Rng, scores: Callable[[Rounds], NDArray[np.float64]]) -> float:
    """Return the share of one search among the candidates of an operator."""
    order = rng.permutation(SIZE)
    first, rest = order[:ROUND], order[ROUND:]
    failed = frozenset(rng.choice(first, FAILED, replace=False).tolist())
    rounds, chosen = [_told(pool, first, failed)], np.array([], int)
    while len(rounds) < ROUNDS:
        left = np.setdiff1d(rest, chosen)
        taken = left[np.argsort(-scores(rounds)[left], kind="stable")][:ROUND]
        rounds.append(_told(pool, taken, frozenset()))
        chosen = np.append(chosen, taken)
    return share(pool.seconds, rest, chosen)


def share(seconds: NDArray[np.float64], others: Places, chosen: Places) -> float:
    """Return how far the choice goes from a random one (0) to the best (1), by mean speed.

    others: the candidates that were not in the first round, among them the chosen ones.
    """
    speeds = seconds.min() / seconds
    random, best = speeds[others].mean(), np.sort(speeds[others])[-len(chosen) :].mean()
    return float((speeds[chosen].mean() - random) / (best - random))


def _told(pool: Pool, places: Places, failed: frozenset[int]) -> list[list[float | None]]:
    return [[int(n), None if n in failed else float(pool.seconds[n])] for n in places]


def _scores(file: GivenFile, session: Session, rounds: Rounds) -> NDArray[np.float64]:
    answer = ask_plainly(session.worker(), (file, rounds), session.timeout(TIMEOUT_S))
    scores = [float(s) for s in as_list(answer) if isinstance(s, int | float) and np.isfinite(s)]
    if len(scores) != SIZE:
        problem = f"For {SIZE} candidates there are {len(scores)} finite scores."
        raise Ruling(Verdict.WRONG_ANSWER, problem)
    return np.array(scores)
