"""Plays the searches that task `cost_model` is judged by with models of several kinds.

    python curriculum/tvm_passes/recordings/record_shares.py FILE

writes a JSON file: for each model and operator, the share of each search on the way from random
candidates to the best ones. It needs xgboost (`pip install xgboost-cpu`) and takes a few minutes.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core import paths
from hotloop.tasks.modules.tvm_passes import cost_models

sys.path += paths.beside_notebook("tvm_passes")

from candidates import read
from tvm.s_tir.meta_schedule.cost_model import XGBModel
from tvm.s_tir.meta_schedule.feature_extractor import PerStoreFeature

SEARCHES = 16

Table = NDArray[Any]
Model = Callable[[list[Table], Table, list[Table]], Table]
"""Scores of candidates, from features and relative speeds of those that were measured."""


def vectors(tables: list[Table]) -> Table:
    """One vector a candidate: the sum and the largest of each feature over its stores."""
    return np.array([np.concatenate([table.sum(0), table.max(0)]) for table in tables])


def scaled(known: list[Table], asked: list[Table]) -> tuple[Table, Table]:
    """The vectors of both, without the features that do not vary among the known ones."""
    x, y = vectors(known), vectors(asked)
    varies = x.std(0) > 1e-6
    mean, spread = x[:, varies].mean(0), x[:, varies].std(0)
    return (x[:, varies] - mean) / spread, np.clip((y[:, varies] - mean) / spread, -4, 4)


def distances(one: Table, other: Table) -> Table:
    """The mean absolute difference of each row of one table and each of the other."""
    return np.array([np.abs(row - other).mean(-1) for row in one])


def by_chance(_known: list[Table], _speeds: Table, asked: list[Table]) -> Table:
    """Equal scores: the first candidates, whose order is drawn."""
    return np.zeros(len(asked))


def nearest(known: list[Table], speeds: Table, asked: list[Table]) -> Table:
    """The mean speed of the three nearest."""
    x, y = scaled(known, asked)
    return speeds[np.argsort(distances(y, x), axis=1)[:, :3]].mean(1)


def linear(known: list[Table], speeds: Table, asked: list[Table]) -> Table:
    """A ridge regression."""
    x, y = scaled(known, asked)
    return y @ x.T @ np.linalg.solve(x @ x.T + 20 * np.eye(len(x)), speeds - speeds.mean())


def kernel(known: list[Table], speeds: Table, asked: list[Table]) -> Table:
    """A kernel ridge regression."""
    x, y = scaled(known, asked)
    near = np.exp(-distances(x, x)) + 0.05 * np.eye(len(x))
    return np.exp(-distances(y, x)) @ np.linalg.solve(near, speeds - speeds.mean())


def boosted(known: list[Table], speeds: Table, asked: list[Table]) -> Table:
    """MetaSchedule's model, with its defaults, without a warm-up."""
    model: Any = XGBModel(num_warmup_samples=0)
    model._train(xs=[table.astype("float32") for table in known], ys=speeds.astype("float32"))
    return model._predict([table.astype("float32") for table in asked])


MODELS: dict[str, Model] = {
    "random": by_chance,
    "three nearest": nearest,
    "linear": linear,
    "kernel": kernel,
    "XGBModel": boosted,
}


def scores(model: Model, tables: list[Table], rounds: cost_models.Rounds) -> Table:
    """The scores of all candidates, from a model of all rounds."""
    told = [(int(place or 0), seconds) for measured in rounds for place, seconds in measured]
    fastest = min(seconds for _, seconds in told if seconds)
    speeds = np.array([fastest / seconds if seconds else 0.0 for _, seconds in told])
    return model([tables[place] for place, _ in told], speeds, tables)


def main(target: Path) -> None:
    """Play SEARCHES for each model and operator, the same ones for each model."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in MODELS}
    for pool in cost_models.pools():
        path = Path(tempfile.mkdtemp()) / "candidates.json.gz"
        path.write_bytes(pool.file().data)
        tuning, candidates, _ = read(path)
        tables = [each.numpy() for each in PerStoreFeature().extract_from(tuning, candidates)]
        for name, model in MODELS.items():
            rng, shares = np.random.default_rng(1), list[float]()
            for _ in range(SEARCHES):
                places = rng.permutation(len(tables))[: cost_models.SIZE]
                some = [tables[int(place)] for place in places]
                own = cost_models.searched(
                    pool.some(places), rng, lambda told, m=model, t=some: scores(m, t, told)
                )
                shares.append(round(own, 4))
            found[name][pool.name] = shares
            print(pool.name, name, round(float(np.mean(shares)), 3), flush=True)
    target.write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
