"""Levels by device follow from recorded runs by a stated rule, and from nothing else."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
import yaml

from hotloop.author import device_levels
from hotloop.author.device_levels import ABOVE_NAIVE, BELOW_REFERENCE, Calibrated, with_levels
from hotloop.core.verdict import Verdict
from hotloop.judge import session as sessions
from hotloop.judge.candidate import Candidate
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Measurement, Ratio, RecordedRun
from hotloop.tasks.problem import LevelEntry
from hotloop.tasks.task_spec import task_spec

from ..sessions import new_session

H100 = "NVIDIA H100 80GB HBM3"
FORWARD, CHECK = "triton_forward", "gpu_fast"


def measured(candidate: str, low: float, verdict: Verdict = Verdict.PASSED) -> Measurement:
    return Measurement(
        candidate=candidate,
        task=FORWARD,
        check=CHECK,
        verdict=verdict,
        earned=0.0,
        sentence="…",
        ratio=Ratio(estimate=low + 0.05, low=low, high=low + 0.1),
    )


def run(*measurements: Measurement, device: str = H100, kind: Any = "gpu") -> RecordedRun:
    return RecordedRun(
        format=1,
        module="fused_softmax",
        device=device,
        kind=kind,
        driver="",
        date=date(2026, 1, 1),
        libraries={},
        isolation="bubblewrap",
        ceilings={},
        measurements=list(measurements),
    )


def calibrated(*measurements: Measurement) -> Calibrated:
    [found] = device_levels.calibrate("fused_softmax", [run(*measurements)])
    return found


def ratios(levels: Sequence[LevelEntry]) -> list[float]:
    return [level.ratio for level in levels]


def test_declared_levels_that_keep_the_rule_stay() -> None:
    found = calibrated(measured("reference", 3.6))
    assert ratios(found.levels) == [2.0, 3.0]
    assert found.low == pytest.approx(ABOVE_NAIVE)
    assert found.high == pytest.approx(BELOW_REFERENCE * 3.6)


@pytest.mark.parametrize("low", [1.6, 2.0, 2.4, 3.0, 3.5])
def test_levels_that_do_not_are_replaced_by_some_that_do(low: float) -> None:
    found = calibrated(measured("reference", low))
    assert found.levels
    assert all(found.low < level.ratio < found.high for level in found.levels)
    assert found.levels[-1].earned == 1.0
    assert ratios(found.levels) == sorted(set(ratios(found.levels)))


def test_only_levels_out_of_bounds_are_moved() -> None:
    assert ratios(calibrated(measured("reference", 3.5)).levels) == [2.0, 2.95]
    assert ratios(calibrated(measured("reference", 2.0)).levels) == [1.2, 1.65]


def test_a_slow_solution_that_is_right_is_naive() -> None:
    found = calibrated(measured("reference", 3.6), measured("two", 2.1, Verdict.TOO_SLOW))
    assert found.low == pytest.approx(ABOVE_NAIVE * 2.2)
    assert all(level.ratio > found.low for level in found.levels)


def test_where_naive_and_reference_are_close_there_is_no_level() -> None:
    found = calibrated(measured("reference", 1.3))
    assert found.levels == ()
    assert "none lies above 1.15 (naive) and below 1.10 (reference)" in found.sentence


def test_a_reference_that_is_too_slow_is_not_its_own_naive_solution() -> None:
    found = calibrated(measured("reference", 1.9, Verdict.TOO_SLOW))
    assert found.low == pytest.approx(ABOVE_NAIVE)


def test_a_share_of_a_fast_baseline_has_no_naive_solution_at_one() -> None:
    reference = measured("reference", 0.7).model_copy(update={"task": "cuda_warp"})
    [found] = device_levels.calibrate("fused_softmax", [run(reference)])
    assert found.low == 0.0
    assert max(ratios(found.levels)) < BELOW_REFERENCE * 0.7


def test_no_run_no_level() -> None:
    assert device_levels.calibrate("fused_softmax", []) == []
    assert (
        device_levels.calibrate("fused_softmax", [run(measured("reference", 3), kind="cpu")]) == []
    )
    unmeasured = measured("reference", 3.0).model_copy(update={"ratio": None})
    assert device_levels.calibrate("fused_softmax", [run(unmeasured)]) == []


def without_devices(module: str) -> str:
    """Return module.yaml without the levels that recorded runs have added."""
    text = (curriculum.folder(module) / "module.yaml").read_text(encoding="utf-8")
    return re.sub(r"^ +devices:\n( +- \{device: .*\n)+", "", text, flags=re.MULTILINE)


def test_writing_changes_the_checks_line_and_nothing_else() -> None:
    text = without_devices("fused_softmax")
    first = calibrated(measured("reference", 2.4))
    once = with_levels(text, first)
    before, after = text.splitlines(), once.splitlines()
    added = [line for line in after if line not in before]
    assert len(added) == 2
    assert [line for line in after if line not in added] == before
    twice = with_levels(once, calibrated(measured("reference", 3.0)))
    assert len(twice.splitlines()) == len(after), "a device's levels are replaced"
    assert with_levels(twice, first) == once
    other = Calibrated("fused_softmax", FORWARD, CHECK, "NVIDIA L4", 1.0, 9.0, first.levels)
    both = curriculum.Module.model_validate(yaml.safe_load(with_levels(once, other)))
    [check] = [r for r in both.task(FORWARD).checks if r.id == CHECK]
    assert check.threshold is not None
    assert [own.device for own in check.threshold.devices] == [H100, "NVIDIA L4"]
    assert ratios(check.threshold.devices[0].levels) == ratios(first.levels)


@pytest.mark.slow
def test_every_speed_check_on_a_gpu_can_be_written() -> None:
    for module in curriculum.modules():
        text = (curriculum.folder(module.id) / "module.yaml").read_text(encoding="utf-8")
        for task in module.tasks:
            for check in task.checks:
                if check.needs_gpu and check.threshold is not None:
                    levels = (LevelEntry(ratio=9.5, earned=1.0),)
                    card = Calibrated(module.id, task.id, check.id, H100, 0, 10, levels)
                    made = curriculum.Module.model_validate(yaml.safe_load(with_levels(text, card)))
                    assert "9.5" in str(task_spec(made, task.id).checks[check.id].by_device[H100])


@pytest.mark.slow
def test_each_run_has_its_levels_and_no_other_device_has_any() -> None:
    """What `hotloop author calibrate --write` leaves; elsewhere a level is provisional."""
    for module in curriculum.modules():
        supported = {
            (each.task, each.check, each.device): ratios(each.levels)
            for each in device_levels.calibrate(module.id)
            if each.levels
        }
        declared = {
            (task.id, check.id, own.device): ratios(own.levels)
            for task in module.tasks
            for check in task.checks
            if check.threshold
            for own in check.threshold.devices
        }
        assert declared == supported
        for task in module.tasks:
            for check in task.checks:
                if check.needs_gpu and check.threshold:
                    assert check.threshold.provisional, f"{module.id}.{task.id}.{check.id}"


def test_the_judge_takes_the_levels_of_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    path = curriculum.folder("fused_softmax") / "module.yaml"
    found = calibrated(measured("reference", 2.4))
    text = with_levels(path.read_text(encoding="utf-8"), found)
    spec = task_spec(curriculum.Module.model_validate(yaml.safe_load(text)), FORWARD)
    session = new_session(
        candidate=Candidate("softmax"), budget_s=10, device="cuda", spec=spec
    ).for_check(CHECK)
    monkeypatch.setattr(sessions, "device_name", lambda: H100)
    assert [lv.ratio for lv in session.levels if lv.earned] == ratios(found.levels)
    assert session.levels[-1].earned == 0, "the stretch goal stays"
    monkeypatch.setattr(sessions, "device_name", lambda: "NVIDIA T4")
    assert [lv.ratio for lv in session.levels if lv.earned] == [2.0, 3.0]


def test_what_is_declared_as_reachable_is_what_a_recorded_run_reached() -> None:
    declared = 0
    for module in curriculum.modules():
        for task in module.tasks:
            for check in task.checks:
                if check.threshold is None or check.threshold.reachable is None:
                    continue
                declared += 1
                reached = [
                    round(m.ratio.estimate, 2)
                    for run in curriculum.runs(module.id)
                    for m in run.measurements
                    if (m.task, m.check, m.candidate) == (task.id, check.id, "reference")
                    and m.ratio
                ]
                assert check.threshold.reachable in reached, f"{module.id}.{task.id}.{check.id}"
    assert declared


# --- levels on a CPU ------------------------------------------------------------------------------

ROOM = 1.2
"""Where the reference's recorded lower bound is so many times the full level, another CPU may lower
it by a sixth without costing a right answer anything."""

OVERLAP = (
    "What is compared is decoding in other processes with decoding between steps, on two cores, "
    "which allow a factor of two at most: `hotloop author selftest` finds machines that miss."
)
ONE_REMEDY = (
    "The baseline has every other remedy, so nothing stronger is left but the answer: "
    "`hotloop author selftest` finds CPUs on which it gains nothing."
)

NO_STRONG_BASELINE = {
    "profile_training_loop.load_photos.overlap": OVERLAP,
    "profile_training_loop.load_photos.short_epochs": OVERLAP,
    "profile_training_loop.train.channels_last": ONE_REMEDY,
    "ssa_passes.mobilenet.fast": (
        "An order of Paddle's own passes is compared with Paddle's network as it is: what all of "
        "them reach is the strong side, and the levels are provisional until runs are recorded."
    ),
    "profile_training_loop.train_resnet50.fast_cpu": (
        "The network is given, and a step of two pictures on a CPU leaves little beside it: the "
        "levels are provisional until runs are recorded."
    ),
    "fused_softmax.operator_extension.fast_cpu": (
        "The baseline is the library's own kernel, compiled for the CPU at hand, and the levels "
        "are shares of its speed: it is the strong baseline."
    ),
    "control_flow_export.package.cold_start": (
        "Loading is compared with compiling at the start, which takes minutes where loading takes "
        "seconds: no CPU brings the two near each other."
    ),
    "triton_ensemble.perf_analyzer.measured": (
        "What is compared is waiting for a batch with not waiting, by the server's clock; its "
        "level is 4 % below that of `tune`, which measures the same settings and has room."
    ),
    "yolo_on_mobile.fit.fast_cpu": (
        "The level is a floor below 1, for a file that may be slower than the exported one but not "
        "by much: the reference does nothing for speed that a CPU could fail to reward."
    ),
    "resnet_tensorrt.quantize.fast_cpu": (
        "Any strong baseline is the answer: one call of the quantizer with the right options, and "
        "no installation holds it. A CPU without int8 dot products is not measured "
        "(`quantized.multiplies_bytes`); `hotloop author selftest` finds others that miss."
    ),
    "transformer_compilation.tiled_attention.fast_cpu": (
        "Any strong baseline is the answer: the library has no fused attention with a cap, and "
        "without one it was only 1.15 times as fast. `hotloop author selftest` finds CPUs that "
        "miss."
    ),
}
"""Levels near what the reference reaches, and why nothing stronger is measured beside them."""


def test_a_level_on_a_cpu_is_far_off_or_follows_a_strong_baseline_or_says_why_not() -> None:
    near: set[str] = set()
    for module in curriculum.modules():
        measurements = [m for run in curriculum.runs(module.id) for m in run.measurements]
        for task in module.tasks:
            for check in task.checks:
                if check.threshold is None or check.needs_gpu or check.threshold.reachable:
                    continue
                least = min(
                    (
                        m.ratio.low
                        for m in measurements
                        if (m.task, m.check, m.candidate) == (task.id, check.id, "reference")
                        and m.ratio
                    ),
                    default=0.0,
                )
                if least < ROOM * check.threshold.levels[-1].ratio:
                    near.add(f"{module.id}.{task.id}.{check.id}")
    assert near == set(NO_STRONG_BASELINE)
