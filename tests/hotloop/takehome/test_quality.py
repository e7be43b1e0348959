"""What a report says of a task's checks: in many candidates' variants, and about mutants."""

from typing import Any

import pytest

from hotloop.takehome import quality
from hotloop.tasks import curriculum
from hotloop.tasks.measured_code import measured_code

MODULE = curriculum.load_module("fused_softmax")
ROW = {
    "task": "fused_softmax.online_pass",
    "reference_as_in_the_plain_module": "48 of 50",
    "wrong_answers_as_in_the_plain_module": "199 of 200",
    "variants": 50,
    "date": "2030-01-02",
    "code": "0123456789abcdef",
}


MUTANTS = {
    "task": "fused_softmax.online_pass",
    "wrong": 14,
    "passed": 1,
    "judgings": 140,
    "date": "2030-01-02",
    "code": "0123456789abcdef",
}


def _record(monkeypatch: pytest.MonkeyPatch, *rows: dict[str, Any], of: str = "variants") -> None:
    document = {"device": "Some CPU", "rows": list(rows)}
    before = quality.recorded
    monkeypatch.setattr(quality, "recorded", lambda name: document if name == of else before(name))


def _said(task: str) -> str:
    return " ".join(quality.sentences(quality.check_quality(MODULE, MODULE.task(task))))


@pytest.mark.slow
def test_what_came_out_otherwise_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, ROW)
    checks = quality.check_quality(MODULE, MODULE.task("online_pass"))
    assert checks is not None
    found = checks.variants
    assert found is not None
    assert (found.references, found.references_passed) == (50, 48)
    assert found.wrong_fail_rate is not None
    assert found.wrong_fail_rate.low < 0.04 < found.wrong_fail_rate.high < 0.15
    said = _said("online_pass")
    assert "the reference fell short in 2 of 50 judgings" in said
    assert "failed as they must in 199 of 200." in said
    assert "Recorded on Some CPU, 2030-01-02. The code has changed since." in said


def test_todays_code_is_not_called_older(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, {**ROW, "code": measured_code("fused_softmax")})
    assert "Recorded on Some CPU, 2030-01-02." in _said("online_pass")
    assert "2030-01-02. The code has changed since." not in _said("online_pass")


def test_what_was_not_tried_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, {**ROW, "task": "fused_softmax.compiled_chain"})
    assert "Not tried there: fast_cpu" in _said("compiled_chain")
    _record(monkeypatch, ROW)
    assert "Not tried there" not in _said("online_pass")


@pytest.mark.slow
def test_a_task_without_wrong_answers_says_nothing_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, {**ROW, "wrong_answers_as_in_the_plain_module": "—"})
    assert "the reference fell short in 2 of 50 judgings" in _said("online_pass")
    assert "failed as they must" not in _said("online_pass")


def test_of_another_task_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, ROW)
    assert "candidates’ variants" not in _said("triton_forward")


def test_variants_alone_say_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a module without a recorded run or mutant."""
    _record(monkeypatch, ROW)
    _record(monkeypatch, of="mutants")
    monkeypatch.setattr(curriculum, "runs", lambda _module: [])
    assert _said("online_pass").startswith("In 50 candidates’ variants")
    assert _said("triton_forward").endswith("was never recorded on any machine.")


@pytest.mark.slow
def test_the_checks_of_every_task_were_measured() -> None:
    """A new task has no rows yet: `tests/benchmarks/mutants.py MODULE --keep` makes them."""
    none = {
        f"{module.id}.{task.id}"
        for module in curriculum.modules()
        for task in module.tasks
        if task.kind == "code" and quality.check_quality(module, task) is None
    }
    assert none == set()


def test_a_mutant_that_passed_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, MUTANTS, of="mutants")
    said = _said("online_pass")
    assert "Of 14 wrong mutants" in said
    assert "1 passed at least once in 140 judgings" in said
    assert "Recorded on Some CPU, 2030-01-02. The code has changed since." in said


def test_of_todays_code_mutants_are_not_called_older(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, {**MUTANTS, "code": measured_code("fused_softmax")}, of="mutants")
    assert "2030-01-02. The code has changed since." not in _said("online_pass")


def test_a_task_without_mutants_says_nothing_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    _record(monkeypatch, {**MUTANTS, "task": "fused_softmax.cuda_warp"}, of="mutants")
    assert "mutants" not in _said("online_pass")
