"""Cases whose shapes stand in problem.yaml are generated in its order, while it is judged."""

from dataclasses import asdict

import numpy as np
import pytest

from hotloop.judge.checks.correct import Case, Truth, case
from hotloop.judge.compare import Tolerance
from hotloop.judge.declared_shapes import Each, declared
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.spec import TaskSpec

RNG = np.random.default_rng(1)


def _case(rng: np.random.Generator, columns: int) -> Case:
    return case(np.cumsum, rng.standard_normal(columns))


TRUTH = Truth(Each(_case), np.cumsum, Tolerance(0.0, 1e-6))


def test_each_shape_is_one_case() -> None:
    with declared([{"columns": 3}, {"columns": 1}]):
        assert [one.out.shape for one in TRUTH.cases(RNG)] == [(3,), (1,)]


@pytest.mark.parametrize("shapes", [[], [{"rows": 3}]])
def test_shapes_that_do_not_fit_are_no_learners_fault(shapes: list[dict[str, int]]) -> None:
    with declared(shapes), pytest.raises(JudgeFault):
        list(TRUTH.cases(RNG))


def test_the_judge_receives_them() -> None:
    spec = TaskSpec("f", ("f.py",), cases=({"columns": 3},), module_needs=("torch",))
    assert TaskSpec.from_message(asdict(spec)) == spec
