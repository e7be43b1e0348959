"""Searches that a cost model leads: their share, and what the model is told."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from numpy.typing import NDArray

from hotloop.tasks.modules.tvm_passes import cost_models
from hotloop.tasks.modules.tvm_passes.cost_models import Pool, Rounds


@pytest.fixture(name="pool")
def first_candidates() -> Pool:
    pool = cost_models.pools()[0]
    return pool.some(np.arange(cost_models.SIZE))


def test_each_operator_has_enough_different_candidates() -> None:
    for pool in cost_models.pools():
        assert len(set(pool.trials)) == len(pool.trials) > cost_models.SIZE
        assert pool.seconds.min() > 0


def test_a_model_is_told_no_seconds_but_those_it_measured(pool: Pool) -> None:
    recorded = json.loads(gzip.decompress(pool.file().data))
    assert all(json.loads(line)[1][1] == [] for line in recorded["trials"])


@pytest.mark.parametrize(("sign", "least", "most"), [(1.0, 1.0, 1.0), (-1.0, -1.0, -0.1)])
def test_true_costs_lead_to_the_best_and_reversed_ones_to_the_worst(
    pool: Pool, sign: float, least: float, most: float
) -> None:
    told: list[Rounds] = []

    def scores(rounds: Rounds) -> NDArray[np.float64]:
        told.append([*rounds])
        return -sign * pool.seconds

    share = cost_models.searched(pool, np.random.default_rng(1), scores)
    assert least <= share <= most
    assert [len(rounds) for rounds in told] == [1, 2, 3]
    places = [place for measured in told[-1] for place, _ in measured]
    assert len(set(places)) == len(places) == 3 * cost_models.ROUND
    failed = [place for place, seconds in told[-1][0] if seconds is None]
    assert len(failed) == cost_models.FAILED


def test_equal_scores_are_a_random_search(pool: Pool) -> None:
    rng = np.random.default_rng(2)
    constant = np.zeros(cost_models.SIZE)
    shares = [
        cost_models.searched(pool.some(rng.permutation(cost_models.SIZE)), rng, lambda _: constant)
        for _ in range(40)
    ]
    assert abs(np.mean(shares)) < 0.05


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (
            "from tvm.s_tir.meta_schedule.cost_model import XGBModel as M",
            "tvm.s_tir.meta_schedule.cost_model.XGBModel",
        ),
        ("import xgboost as x", "xgboost"),
        ("model = ms.cost_model.XGBModel()", "ms.cost_model.XGBModel"),
        ("model = ms.cost_model.CostModel.create('xgb')", "xgb"),
        ("built = tvm.compile(schedule.mod)", "tvm.compile"),
        ("pattern = re.compile('x')", None),
        ("self.mlp = mlp = mlp_model = nn.Sequential(); xgb = self.mlp(x)", None),
        ("class MLPModel(nn.Module):\n    pass\nmodel = MLPModel()", None),
        (
            "class MLPModel(ms.cost_model.MLPModel):\n    pass",
            "ms.cost_model.MLPModel",
        ),
        ("# boosted as XGBModel is\n'''Not xgb.'''", None),
    ],
)
def test_a_finished_model_and_the_compiler_are_recognized(source: str, name: str | None) -> None:
    assert cost_models.borrowed(source) == name
