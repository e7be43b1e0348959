"""Questions about recorded times: the definitions, on recordings that can be computed by hand."""

from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.xla_vs_eager import clocks


def recording(eager_s: float, compiled_s: float, storm: int) -> dict[str, object]:
    step = {"dispatch_s": 0.001}
    compiled = [{**step, "ready_s": compiled_s}] * 4
    return {
        "eager": [{**step, "ready_s": eager_s}] * 5,
        "compiled": [{**step, "ready_s": 3.0}, *compiled],
        "events": [[0, "trace", 0.5], [0, "compile", 1.5]],
        "storm_every": storm,
    }


@pytest.mark.parametrize(
    ("eager_s", "compiled_s", "storm", "even", "pays"),
    [
        (0.25, 0.125, 20, 16, True),
        (0.25, 0.125, 10, 16, False),
        (0.25, 0.25, 100, None, False),
        (0.25, 0.5, 100, None, False),
    ],
)
def test_break_even(
    eager_s: float, compiled_s: float, storm: int, even: int | None, pays: bool
) -> None:
    truth = clocks.truth_of(recording(eager_s, compiled_s, storm))
    assert truth["compile_s"] == 2.0
    assert truth["programs"] == 1
    assert (truth["break_even"], truth["with_storm"]) == (even, pays)


def test_made_recordings_hold_the_traps() -> None:
    for seed in range(20):
        made = clocks.random_recording(np.random.default_rng(seed), clocks.RunPair(2, 1.5, 1.5))
        truth = clocks.truth_of(made)
        dispatched = np.median([step["dispatch_s"] for step in made["eager"]])
        assert dispatched < 0.95 * truth["eager_step_s"]
        mean = np.mean([step["ready_s"] for step in made["compiled"]])
        assert mean > 1.05 * truth["compiled_step_s"]


@pytest.mark.parametrize("seed", range(40))
def test_each_part_of_the_definitions_decides_an_answer(seed: int) -> None:
    """Whatever is drawn: an answer that ignores the part is wrong in some recording."""
    made = [recording for _, recording in clocks.recordings(np.random.default_rng(seed))]
    truths = [clocks.truth_of(recording) for recording in made]
    # One program's share of the compile time, and the steps between two new shapes.
    assert any(_differs(t, r, share=t["programs"]) for t, r in zip(truths, made, strict=True))
    assert any(_differs(t, r, every=r["storm_every"]) for t, r in zip(truths, made, strict=True))
    # Steps with a compilation, which are not typical.
    assert any(
        np.median([step["ready_s"] for step in r["compiled"]]) > 1.1 * t["compiled_step_s"]
        for t, r in zip(truths, made, strict=True)
    )
    assert any(len(r["events"]) != 3 * t["programs"] for t, r in zip(truths, made, strict=True))
    assert {t["with_storm"] for t in truths if t["break_even"] is not None} == {True, False}
    # Cases without a gain, and with a gain equal to the cost, which pays off.
    assert any(t["eager_step_s"] == t["compiled_step_s"] for t in truths)
    exact = [t for t, r in zip(truths, made, strict=True) if _gain(t) * r["storm_every"] == 1.0]
    assert [(t["break_even"], t["with_storm"]) for t in exact] == [(32, False)]


def _gain(truth: dict[str, Any]) -> float:
    return truth["eager_step_s"] - truth["compiled_step_s"]


def _differs(
    truth: dict[str, Any], recording: dict[str, Any], *, share: int = 1, every: int = 1
) -> bool:
    """Return whether omitting these changes the answer of when a storm pays."""
    each = truth["compile_s"] / truth["programs"] * share
    return (each < _gain(truth) * recording["storm_every"] / every) != truth["with_storm"]


def test_a_run_without_a_gain_never_pays() -> None:
    asked = list(clocks.questions(np.random.default_rng(0), clocks.STEPS))
    for slower in (question for question in asked if "no faster" in question.label):
        assert slower.mismatch({"break_even": None, "with_storm": False}) is None
        assert "break_even" in (slower.mismatch({"break_even": 10, "with_storm": False}) or "")
