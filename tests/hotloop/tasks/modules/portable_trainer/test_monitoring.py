"""Streams of metrics, the true answers about them, and messages about wrong ones."""

from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.portable_trainer import monitoring
from hotloop.tasks.modules.portable_trainer.streams import (
    RunFigures,
    RunShape,
    quantile,
    stream,
    truth,
)

Record = dict[str, Any]


def event(step: int, seconds: float = 1.0, at: float = 0.0) -> Record:
    event = {"event": "step", "step": step, "at": at, "seconds": seconds, "tokens": 10}
    return {**event, "loss": 1.0, "memory_bytes": [5, 7 + step]}


def by_hand() -> RunFigures:
    """Steps 0 to 3, of which step 0 compiled; then back to step 2, which compiled again."""
    run = {"event": "run", "parameters": 100, "layers": 1, "hidden": 2, "sequence": 5}
    run |= {"devices": 2, "peak_flops": 500.0, "recompute": "full"}
    compiled = {"event": "compile", "at": 1.0, "graph": "a", "seconds": 30.0}
    return truth(
        [
            run,
            {**compiled, "step": 0},
            event(0, 31.0),
            event(1, 1.0),
            event(2, 2.0),
            event(3, 3.0),
            {"event": "restart", "at": 50.0, "step": 2},
            {**compiled, "step": 2},
            event(2, 40.0),
            event(3, 4.0, at=100.0),
        ]
    )


def test_figures_of_a_run_reckoned_by_hand() -> None:
    figures = by_hand().figures()
    assert figures["steps"] == 4
    assert figures["lost_steps"] == 2
    assert (figures["compiles"], figures["recompiles"], figures["compile_s"]) == (2, 1, 60.0)
    assert figures["p50_s"] == 2.0  # of 1, 2, 3 and 4
    assert figures["p95_s"] == 4.0
    assert figures["goodput"] == 40 / 100
    assert figures["memory_peak_bytes"] == 10
    each = 6 * 100 + 12 * 1 * 2 * 5
    assert figures["mfu"] == pytest.approx(each * 40 / (10.0 * 2 * 500))


def test_the_rank_is_rounded_up_and_nothing_is_interpolated() -> None:
    times = [float(n) for n in range(1, 101)]
    assert [quantile(times, q) for q in (0.5, 0.95, 0.99)] == [50.0, 95.0, 99.0]
    assert quantile([3.0, 1.0], 0.5) == 1.0


@pytest.mark.parametrize("label", monitoring.RUNS)
def test_a_stream_has_all_that_its_shape_says(label: str) -> None:
    shape = monitoring.RUNS[label]
    events = stream(np.random.default_rng(3), shape)
    figures = truth(events)
    assert sorted(figures.last) == list(range(shape.steps))
    assert figures.restarts == shape.restarts
    assert figures.fallbacks.total() == shape.fallbacks
    assert (len(figures.ran) > shape.steps) is (shape.restarts > 0)
    assert [e["at"] for e in events[1:]] == sorted(e["at"] for e in events[1:])
    assert 0.1 < figures.mfu < 0.8
    mean = np.mean([e["seconds"] for e in figures.ran])
    assert mean > 1.3 * figures.figures()["p50_s"]


def test_every_wrong_figure_is_named() -> None:
    right = by_hand()
    mismatch = monitoring._figures_mismatch(right)
    figures = right.figures()
    assert mismatch(figures) is None
    for key, value in figures.items():
        assert repr(key) in (mismatch({**figures, key: value + 1}) or "")
        assert repr(key) in (mismatch({**figures, key: None}) or "")


def as_samples(right: RunFigures) -> Record:
    samples = [
        [n, dict(labels), value] for (n, labels), value in monitoring._samples(right).items()
    ]
    types = {f"trainer_{name}": kind for name, kind in monitoring.TYPES.items()}
    return {"types": types, "samples": samples}


def test_metrics_are_held_against_all_that_there_should_be() -> None:
    right = truth(stream(np.random.default_rng(4), RunShape(steps=60)))
    want = monitoring._samples(right)
    parsed = as_samples(right)
    assert monitoring._types_mismatch(parsed) is None
    assert monitoring._samples_mismatch(parsed, want) is None
    first, *others = parsed["samples"]
    assert "missing" in (monitoring._samples_mismatch({"samples": others}, want) or "")
    twice = {"samples": [first, *parsed["samples"]]}
    assert "twice" in (monitoring._samples_mismatch(twice, want) or "")
    more = {"samples": [*parsed["samples"], ["trainer_steps_total", {"rank": "1"}, 1.0]]}
    assert "is unexpected" in (monitoring._samples_mismatch(more, want) or "")
    client = ["trainer_steps_created", {}, 1.7e9], ["python_gc_objects_total", {}, 3.0]
    assert monitoring._samples_mismatch({"samples": [*parsed["samples"], *client]}, want) is None
    fallen = {"samples": [[first[0], first[1], first[2] - 1], *others]}
    assert "expected" in (monitoring._samples_mismatch(fallen, want) or "")
    gauge = {"types": {**parsed["types"], "trainer_steps": "gauge"}}
    assert "should be a counter" in (monitoring._types_mismatch(gauge) or "")


def test_ends_of_buckets_are_numbers() -> None:
    same = [monitoring._sample("step_seconds_bucket", {"le": le}) for le in ("1", "1.0", "1e0")]
    assert len(set(same)) == 1
    infinite = [monitoring._sample("x", {"le": le}) for le in ("+Inf", "inf")]
    assert len(set(infinite)) == 1


def test_a_curve_has_each_step_once() -> None:
    want = [(0, 10.0, 0.5), (1, 11.0, 0.25)]
    right = [[0.0, 10.0, 0.5], [1.0, 11.0, 0.25]]
    assert monitoring._curve_mismatch("c", right, want) is None
    assert "3 points" in (monitoring._curve_mismatch("c", [*right, right[1]], want) or "")
    assert "step 0" in (monitoring._curve_mismatch("c", right[::-1], want) or "")
    late = [right[0], [1.0, 99.0, 0.25]]
    assert "wall_time" in (monitoring._curve_mismatch("c", late, want) or "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("│ p50   │   123.4 ms │", None),
        ("p50: 123 ms", None),
        ("p50 123. ms", None),
        ("p50 123.", None),
        ("p50 [ms]   123.4", None),
        ("p50 (ms): 123.4", None),
        ("p50 ms 123.4", "0 lines"),
        ("p50 120 ms", "expected"),
        ("the p50 is 123.4 ms", "0 lines"),
        ("p50 1,234", "0 lines"),
        ("p50 1.234.567", "0 lines"),
        ("p50 n/a", "0 lines"),
    ],
)
def test_a_figure_is_read_behind_its_label(line: str, message: str | None) -> None:
    lines = ["steps 7", "lost steps 2", line]
    mismatch = monitoring._line_mismatch("p50", lines, 123.4, monitoring.THREE_DIGITS)
    assert (mismatch is None) if message is None else message in (mismatch or "")
    assert monitoring._line_mismatch("steps", lines, 7, 0.0) is None
    assert monitoring._line_mismatch("lost steps", lines, 2, 0.0) is None
