"""What is asked of recorded times: the definitions, on recordings that can be reckoned by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hotloop.checks.xla_vs_eager import clocks


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
    seen = set()
    for seed in range(8):
        made, truth = clocks.made(np.random.default_rng(seed), 2, 1.5)
        dispatched = np.median([step["dispatch_s"] for step in made["eager"]])
        assert dispatched < 0.95 * truth["eager_step_s"]
        mean = np.mean([step["ready_s"] for step in made["compiled"]])
        assert mean > 1.05 * truth["compiled_step_s"]
        seen.add(truth["with_storm"])
    assert seen <= {True, False}


def test_a_run_without_a_gain_never_pays() -> None:
    (_, _, slower, _) = clocks.step_questions(np.random.default_rng(0))
    assert slower.complaint({"break_even": None, "with_storm": False}) is None
    assert "break_even" in (slower.complaint({"break_even": 10, "with_storm": False}) or "")
