"""Built traces have the sampled figures, computed in two ways; timers are judged too."""

import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.engines import trace
from hotloop.judge.constants import constants
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.profile_training_loop import clocks, traces
from hotloop.tasks.modules.profile_training_loop.built_trace import OTHER_HOST, BuiltTrace


@pytest.mark.parametrize("streams", [0, 1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_reader_finds_what_was_sampled(tmp_path: Path, streams: int, seed: int) -> None:
    built = BuiltTrace(np.random.default_rng(seed), streams, 3 + seed)
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(built.document()))
    figures = vars(traces.figures_of(trace.read(path)))
    want = built.figures()
    names = {key for key, value in want.items() if value is None or isinstance(value, str)}
    assert {key: figures[key] for key in names} == {key: want[key] for key in names}
    assert {key: figures[key] for key in want if key not in names} == pytest.approx(
        {key: value for key, value in want.items() if key not in names}, rel=1e-9
    )


def test_each_wrong_figure_is_named() -> None:
    built = BuiltTrace(np.random.default_rng(2), streams=2, steps=4)
    right = built.figures()
    assert traces.Figures(**right).mismatch(right) is None
    for key, value in right.items():
        wrong = {**right, key: "no such op" if isinstance(value, str) else value * 1.05 + 1}
        mismatch = traces.Figures(**right).mismatch(wrong)
        assert mismatch is not None
        assert mismatch.startswith(key)
    assert traces.Figures(**right).mismatch([1, 2]) == "It returned [1, 2], not a dict"


def test_none_is_asked_for_where_nothing_was_recorded() -> None:
    right = BuiltTrace(np.random.default_rng(2), streams=0, steps=4).figures()
    assert right["gpu_idle_share"] is None
    assert traces.Figures(**right).mismatch({**right, "gpu_idle_share": 1.0}) is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_each_rule_of_a_trace_decides_a_figure(seed: int) -> None:
    """A reader who ignores a rule gets a figure outside the tolerance in some trace."""
    decided: set[str] = set()
    for question in traces.questions(np.random.default_rng(seed)):
        (given,) = question.arguments
        assert isinstance(given, GivenFile)
        for name, careless in CARELESS.items():
            if question.mismatch(careless(json.loads(given.data))) is not None:
                decided.add(name)
        assert question.mismatch(_read(json.loads(given.data))) is None
    assert decided == set(CARELESS)


def _read(document: Any, **changes: Any) -> dict[str, object]:
    """Return a trace's figures by the package's reader. changes: other values for some of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_text(json.dumps(document))
        return vars(traces.figures_of(trace.read(path))) | changes


def _without(keep: Callable[[Any], bool]) -> Callable[[Any], object]:
    """Return a reader that ignores some events."""

    def read(document: Any) -> object:
        events = [event for event in document["traceEvents"] if keep(event)]
        return _read({**document, "traceEvents": events})

    return read


def _cut(cut: slice) -> Callable[[Any], object]:
    """Return a reader that ignores the first or the last event with a duration."""

    def read(document: Any) -> object:
        lasting = [event for event in document["traceEvents"] if event["ph"] == "X"][cut]
        others = [event for event in document["traceEvents"] if event["ph"] != "X"]
        return _read({**document, "traceEvents": others + lasting})

    return read


def _lower_median(document: Any) -> object:
    steps = [
        event["dur"]
        for event in document["traceEvents"]
        if event["name"].startswith("ProfilerStep#") and event["cat"] == "user_annotation"
    ]
    return _read(document, step_ms=statistics.median_low(steps) / 1000)


CARELESS: dict[str, Callable[[Any], object]] = {
    "the lower median": _lower_median,
    "one stream": _without(lambda event: event["pid"] != 0 or event["tid"] == 7),
    "no memsets": _without(lambda event: event.get("cat") != "gpu_memset"),
    "one process": _without(lambda event: event["pid"] != OTHER_HOST),
    "no ExC": _without(lambda event: event["name"] != "cudaLaunchKernelExC"),
    "the runtime API alone": _without(lambda event: event.get("cat") != "cuda_driver"),
    "no graphs": _without(lambda event: "GraphLaunch" not in event["name"]),
    "not the first": _cut(slice(1, None)),
    "not the last": _cut(slice(None, -1)),
}


@pytest.fixture
def device() -> Any:
    """The module's Device, as in the learner's files."""
    folder = str(paths.exercises() / "profile_training_loop")
    sys.path.insert(0, folder)
    try:
        import software_device

        return software_device.Device
    finally:
        sys.path.remove(folder)
        sys.modules.pop("software_device", None)


@pytest.mark.parametrize("reads", [True, False])
def test_the_judge_and_the_device_agree_on_a_loop(device: Any, reads: bool) -> None:
    loop = clocks.Loop(1.5, (3.0, 5.0, 0.25), reads)
    one = device()
    for _ in range(30):
        one.compute(loop.load)
        for work in loop.work:
            one.submit(work)
        if reads:
            one.synchronize()
    one.synchronize()
    assert one.clock() / 30 == pytest.approx(loop.mean_step(30))
    assert device.submitting == clocks.SUBMITTING


def test_questions_ask_for_loops_of_all_kinds() -> None:
    asked = list(clocks.questions(np.random.default_rng(4)))
    assert {question.arguments[-1] for question in asked} == {True, False}
    assert any(float(question.arguments[2]) > 100 for question in asked)
    assert all(question.mismatch({}) is not None for question in asked)


def test_a_variant_has_figures_of_its_own() -> None:
    numbers: dict[str, Any] = {"QUANTILE": 0.25, "LAUNCH_STEPS": 6}
    plain = BuiltTrace(np.random.default_rng(2), streams=1, steps=5).figures()
    with constants(numbers):
        (question, *_) = traces.questions(np.random.default_rng(2))
        own = BuiltTrace(np.random.default_rng(2), streams=1, steps=5).figures()
        (given,) = question.arguments
        assert isinstance(given, GivenFile)
        assert question.mismatch(_read(json.loads(given.data))) is None
    assert question.mismatch(_read(json.loads(given.data))) is not None
    assert own["launches_per_step"] == pytest.approx(6 * plain["launches_per_step"])
    assert own["step_ms"] < plain["step_ms"]


def test_a_variant_times_several_steps() -> None:
    loop = clocks.Loop(1.5, (3.0, 5.0, 0.25), reads=False)
    phases = {name: 3 * ms for name, ms in loop.phases().items()}
    answer = {"step": 2 * loop.mean_step(30), "phases": phases}
    assert clocks._mismatch(loop, 30, answer) is not None
    with constants({"TIMED_STEPS": 2, "PHASE_STEPS": 3}):
        assert clocks._mismatch(loop, 30, answer) is None


def test_ranges_of_a_variant_have_a_number() -> None:
    assert traces.range_prefix("run7") == "run7/"
    with constants({"RUN": 12}):
        assert traces.range_prefix("run7") == "run7/12/"
