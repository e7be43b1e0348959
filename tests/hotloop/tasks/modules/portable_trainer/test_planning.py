"""The rules of plans against their sources, and the search against all plans."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_checks
from hotloop.judge.checks.answers import Answers
from hotloop.judge.session import Session
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.modules.portable_trainer import planning, published, search, tasks
from hotloop.tasks.modules.portable_trainer.costs import (
    Estimate,
    Plan,
    Prices,
    TrainingCase,
    Way,
    estimate,
    invalid,
    plan_from,
)
from hotloop.tasks.reference_files import sources
from hotloop.tasks.task_spec import task_spec

SOURCES = sources("portable_trainer")


def known(name: str) -> tuple[TrainingCase, Plan]:
    document = published.published(name)
    plan = plan_from(document["plan"])
    assert plan is not None
    return planning.case_from(document), plan


@pytest.fixture
def learners_cluster(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    """The learner's `cluster.py`."""
    return load_file(SOURCES["cluster.py"])


def test_learner_and_judge_have_the_same_published_plans(learners_cluster: ModuleType) -> None:
    assert list(published.NAMES) == learners_cluster.PUBLISHED
    for name in published.NAMES:
        theirs = learners_cluster.published(name)
        assert {key: theirs[key] for key in theirs if key != "device"} == published.published(name)


@pytest.mark.parametrize("name", published.MEGATRON)
def test_parameters_and_operations_are_those_of_the_paper(name: str) -> None:
    """The paper's equations 2 and 3, without the biases, norms and positions left out here."""
    case, plan = known(name)
    (tower,) = case.model.towers
    layers, hidden, tokens, words = tower.layers, tower.hidden, tower.tokens, 51200
    expected = 12 * layers * hidden**2
    expected *= 1 + 13 / (12 * hidden) + (words + tokens) / (12 * layers * hidden)
    assert case.model.parameters == pytest.approx(expected, rel=5e-3)
    assert expected / 1e9 == pytest.approx(float(name.removesuffix("B")), rel=0.03)
    whole = 96 * case.batch * tokens * layers * hidden**2
    whole *= 1 + tokens / (6 * hidden) + words / (16 * layers * hidden)
    alone = Prices(case, Way(1, 1, case.cluster.devices, 1, 0))
    counted = layers * alone.layer_s(tower, "full") + alone.output_s()
    assert counted * case.cluster.flops * case.batch == pytest.approx(whole)
    assert estimate(case, plan).fits


@pytest.mark.slow
def test_the_published_plan_of_llama_3_is_the_best_by_the_rules() -> None:
    case, plan = known("Llama 3 405B, 8192 GPUs")
    result = search.bounded(case)
    assert result is not None
    best, seconds = result
    assert best.way[:3] + best.way[4:] == (8, 16, 64, 2)
    assert best.stages == plan.stages
    assert seconds == pytest.approx(estimate(case, plan).step_s)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_the_bounded_search_finds_the_best_of_small_cases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for question in planning.small(rng):
        document = planning.json.loads(str(question.arguments[0]))
        result = search.bounded(planning.case_from(document))
        assert question.mismatch(None if result is None else plain(result[0])) is None


def test_a_plan_that_was_looked_at_costs_what_its_estimate_says() -> None:
    document = planning._small(np.random.default_rng(5), 4, 2, 4)
    case = planning.case_from(document)
    for looked in list(search.all_plans(case))[::97]:
        assert invalid(case, looked.plan) is None
        cost = estimate(case, looked.plan)
        assert cost.step_s == pytest.approx(looked.seconds)
        assert planning._heaviest(cost) == pytest.approx(looked.bytes)


def test_each_wrong_estimate_is_named_by_its_key() -> None:
    rng = np.random.default_rng(1)
    document = planning._estimated(rng, planning.PLAN_KINDS[2])
    plan = plan_from(document["plan"])
    assert plan is not None
    truth = estimate(planning.case_from(document), plan)
    mismatch = planning._estimate_mismatch(truth)
    assert mismatch(as_answer(truth)) is None
    for key in (*planning.LISTS, "step_s"):
        wrong = as_answer(truth)
        wrong[key] = [2 * x for x in wrong[key]] if key in planning.LISTS else 2 * wrong[key]
        assert repr(key) in (mismatch(wrong) or "")
    assert "'fits'" in (mismatch({**as_answer(truth), "fits": 1}) or "")
    assert "one a stage" in (mismatch({**as_answer(truth), "stage_s": [1.0]}) or "")
    assert "not a dict" in (mismatch(None) or "")
    assert mismatch({**as_answer(truth), "step_s": True}) is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tensor": 3}, "is not 512"),
        ({"tensor": 128, "data": 2}, "heads"),
        ({"micro_batch": 5}, "batch of 1536"),
        ({"stages": [48, 1]}, "49 layers of 48"),
        ({"stages": [48]}, "as many must be described"),
        ({"stages": [48, 0]}, "no plan"),
        ({"zero": True}, "no plan"),
        ({"zero": 4}, "no plan"),
        ({"recompute": ["full", "half"]}, "no plan"),
        ({"micro_batch": 48, "recompute": ["none", "none"]}, "does not fit"),
        ({"zero": 3}, "longer than"),
    ],
)
def test_what_is_said_of_a_bad_plan(change: dict[str, Any], message: str) -> None:
    document = published.published("39.1B")
    theirs = document.pop("plan")
    case = planning.case_from(document)
    result = search.bounded(case)
    assert result is not None
    mismatch = planning._plan_mismatch(case, result[1], 0.01)
    assert mismatch(plain(result[0])) is None
    assert message in (mismatch({**theirs, **change}) or "")


def test_none_is_right_only_where_nothing_fits() -> None:
    document = published.published("39.1B")
    theirs = document.pop("plan")
    case = planning.case_from(document)
    assert "there are plans" in (planning._plan_mismatch(case, 1.0, 0.01)(None) or "")
    assert "no plan fits" in (planning._plan_mismatch(case, None, 0.0)(theirs) or "")
    assert planning._plan_mismatch(case, None, 0.0)(None) is None


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_planner_has_its_time(tmp_path: Path, session_over: Any) -> None:
    for name in ("cluster.py", "planner.py"):
        shutil.copy(SOURCES[name], tmp_path)
    with (tmp_path / "planner.py").open("a") as file:
        file.write("\n\nimport time\n\n\ndef plan_case(text):\n    time.sleep(30)\n")
    session: Session = session_over(tmp_path)
    large = tasks.plan.checks["large"]
    assert isinstance(large, Answers)
    candidate = tasks.plan.candidate(task_spec(load_module("portable_trainer"), "plan"))
    (record,) = judge_checks({"large": replace(large, timeout_s=1.0)}, session.about(candidate))
    assert record.verdict is Verdict.TIMEOUT


def plain(plan: Plan) -> dict[str, Any]:
    lists = {"stages": list(plan.stages), "recompute": list(plan.recompute)}
    return {**plan.way._asdict(), **lists}


def as_answer(cost: Estimate) -> dict[str, Any]:
    lists: dict[str, Any] = {key: list(getattr(cost, key)) for key in planning.LISTS}
    return {**lists, "step_s": cost.step_s, "fits": cost.fits}
