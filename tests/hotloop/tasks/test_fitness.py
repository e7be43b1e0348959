"""A speed check that the reference does not pass on a machine is not measured there."""

from pathlib import Path

import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.not_measurable import lacking
from hotloop.tasks import curriculum, fitness, unfit
from hotloop.tasks.fitness import FitnessTrial
from hotloop.tasks.task_spec import task_spec, unfit_file

CHECK = "fused_softmax.compiled_chain.fast_cpu"


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def tried(full: int, of: int) -> FitnessTrial:
    results = [
        CheckRecord(
            "fast_cpu",
            Verdict.PASSED if number < full else Verdict.TOO_SLOW,
            "…",
            1.0 if number < full else 0.5,
            evidence={"ratio": 1.0 + number},
        )
        for number in range(of)
    ]
    return FitnessTrial(CHECK, results)


@pytest.mark.parametrize(("full", "of", "fit"), [(10, 10, True), (9, 10, True), (8, 10, False)])
def test_the_reference_must_earn_full_points_in_nine_of_ten_tries(
    full: int, of: int, fit: bool
) -> None:
    assert tried(full, of).fit is fit


def test_a_check_that_was_never_measured_is_not_called_fit_and_not_recorded_as_unfit() -> None:
    trial = FitnessTrial(CHECK, missing="g++ is missing")
    assert not trial.fit
    fitness.remember([trial])
    assert unfit.read(unfit_file()) == {}


def test_an_unfit_check_is_not_measured_and_the_others_are() -> None:
    fitness.remember([tried(3, 10)])
    module = curriculum.load_module("fused_softmax")
    missing = lacking(task_spec(module, "compiled_chain"))
    assert "earned full points in only 3 of 10 tries" in missing["fast_cpu"]
    assert "correct" not in missing


def test_a_later_self_test_that_passes_makes_the_check_measured_again() -> None:
    fitness.remember([tried(3, 10)])
    fitness.remember([tried(10, 10)])
    assert unfit.read(unfit_file()) == {}


def test_a_self_test_of_one_check_keeps_what_is_known_of_others() -> None:
    other = FitnessTrial("profile_training_loop.augment.fast_cpu", tried(0, 10).results)
    fitness.remember([other])
    fitness.remember([tried(3, 10)])
    assert set(unfit.read(unfit_file())) == {CHECK, other.name}


def test_what_was_found_on_another_device_says_nothing_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitness.remember([tried(3, 10)])
    monkeypatch.setattr(unfit, "device_name", lambda: "another CPU")
    assert unfit.read(unfit_file()) == {}


def test_a_damaged_file_is_named_with_its_line() -> None:
    path = unfit_file()
    path.parent.mkdir(parents=True)
    path.write_text('{"device": "x",\n "check": {}}', encoding="utf-8")
    with pytest.raises(UserError, match=r"unfit\.json:2"):
        unfit.read(path)


def test_speed_checks_are_those_with_a_threshold_that_this_device_can_run() -> None:
    module = curriculum.load_module("fused_softmax")
    assert fitness.speed_checks(module, ["compiled_chain", "online_pass"]) == {
        "compiled_chain": ["fast_cpu"]
    }
