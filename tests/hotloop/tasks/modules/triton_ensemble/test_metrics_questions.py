"""Built metrics have the sampled figures, computed in two ways; common mistakes are detected."""

import math
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.engines.serving import metrics
from hotloop.judge.constants import constants
from hotloop.tasks.modules.triton_ensemble import metrics_questions
from hotloop.tasks.modules.triton_ensemble.metric_deltas import Figures, figures_of
from hotloop.tasks.modules.triton_ensemble.metrics_questions import STORIES
from hotloop.tasks.modules.triton_ensemble.metrics_texts import BuiltReadings, Story

SEEDS = range(4)


def built(label: str, seed: int = 0) -> BuiltReadings:
    return BuiltReadings(np.random.default_rng(seed), STORIES[label])


def right(readings: BuiltReadings) -> Figures:
    return figures_of(readings.before, readings.after, readings.model, readings.seconds)


# --- the texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("label", STORIES)
def test_the_judges_reader_finds_what_was_sampled(label: str, seed: int) -> None:
    readings = built(label, seed)
    gained, us = readings.gained, readings.gained.microseconds
    each = {name: us[name] / gained.requests if gained.requests else None for name in us}
    assert vars(right(readings)) == pytest.approx(
        {
            "requests": gained.requests,
            "failed": sum(gained.failures.values()),
            "mean_batch": gained.rows / gained.executions if gained.executions else None,
            "request_us": each["request"],
            "queue_us": each["queue"],
            "input_us": each["compute_input"],
            "infer_us": each["compute_infer"],
            "output_us": each["compute_output"],
            "queue_share": us["queue"] / us["request"] if us["request"] else None,
            "rows_per_s": gained.rows / readings.seconds,
        }
    )


@pytest.mark.parametrize("label", STORIES)
def test_counters_never_fall(label: str) -> None:
    readings = built(label)
    first, last = (metrics.parse(text) for text in (readings.before, readings.after))
    counters = [s for s in first if re.match(r"nv_inference_(request|count|exec|queue|c)", s.name)]
    counted = {(s.name, *sorted(s.labels.items())): s.value for s in last}
    rising = [s for s in counters if "summary" not in s.name]
    assert len(rising) > 50
    for sample in rising:
        assert counted[sample.name, *sorted(sample.labels.items())] >= sample.value


def test_a_built_text_has_the_families_of_a_real_one() -> None:
    """As in a recording of the real server: names, help and order."""
    recorded = (paths.exercises() / "triton_ensemble" / "deployment_healthy.json").read_text()
    real = re.findall(r"# HELP (nv_inference_(?!pending)\w+ .*?)\\n", recorded)
    assert len(real) == 18
    assert re.findall(r"# HELP (\w+ .*)", built("One version of each model").after) == real[:9]


def test_readings_are_new_each_time() -> None:
    rng = np.random.default_rng(5)
    texts = {str(question.arguments[0]) for _ in range(3) for question in _questions(rng)}
    assert len(texts) == 3 * len(STORIES)
    assert all(len(text) < 100_000 for text in texts)


def _questions(rng: np.random.Generator) -> list[Any]:
    return list(metrics_questions.questions(rng))


def test_where_nothing_happened_there_is_nothing_to_say() -> None:
    idle = right(built("Nobody was answered in between"))
    assert idle.requests == idle.rows_per_s == 0
    assert idle.failed > 0
    assert idle.queue_us is idle.request_us is idle.queue_share is idle.mean_batch is None
    cached = right(built("A response cache that answers everything"))
    assert cached.requests > 0
    assert cached.mean_batch is None
    assert cached.infer_us == 0


# --- answers --------------------------------------------------------------------------------------


def learner(before: str, after: str, model: str, seconds: float, mistake: str = "") -> Any:
    """Return a learner's solution with one given mistake."""
    first, last = (_totals(text, model, mistake) for text in (before, after))
    if mistake == "not subtracted":
        first = Counter()
    if mistake == "averaged":
        first = Counter({key: -value for key, value in first.items()})
    new = {key: last[key] - first[key] for key in last}

    def grown(name: str) -> float:
        return new.get(f"nv_inference_{name}", 0.0)

    def per(part: float, whole: float) -> float | None:
        if mistake == "zero for nothing" and not whole:
            return 0.0
        return part / whole if whole else None

    by = {"per execution": "exec_count", "per row": "count"}.get(mistake, "request_success")
    each = {
        name: per(grown(f"{name}_duration_us"), grown(by))
        for name in ("request", "queue", "compute_input", "compute_infer", "compute_output")
    }
    parts = sum(grown(f"{name}_duration_us") for name in each if name != "request")
    whole = parts if mistake == "share of the parts" else grown("request_duration_us")
    rows = grown("request_success") if mistake == "requests are rows" else grown("count")
    batch = grown("request_success") if mistake == "requests by executions" else grown("count")
    return {
        "requests": grown("request_success"),
        "failed": grown("request_failure"),
        "mean_batch": per(batch, grown("exec_count")),
        "request_us": each["request"],
        "queue_us": each["queue"],
        "input_us": each["compute_input"],
        "infer_us": each["compute_infer"],
        "output_us": each["compute_output"],
        "queue_share": per(grown("queue_duration_us"), whole),
        "rows_per_s": rows / seconds,
    }


def _totals(text: str, model: str, mistake: str) -> Counter[str]:
    totals: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for line in text.splitlines():
        found = re.match(r"(\w+)\{(.*)\} (\S+)$", line)
        if found is None:
            continue
        name, labels = found[1], dict(re.findall(r'(\w+)="([^"]*)"', found[2]))
        if mistake == "part of a name":
            own = model in labels.get("model", "")
        elif mistake == "model comes first":
            own = found[2].startswith(f'model="{model}"')
        else:
            own = labels.get("model") == model
        if mistake == "first version" and (name, labels.get("gpu_uuid", "")) in seen:
            own = own and name.endswith("failure")
        if mistake == "first GPU" and (name, labels.get("version", "")) in seen:
            own = own and name.endswith("failure")
        if mistake == "one reason" and labels.get("reason", "OTHER") != "OTHER":
            own = False
        if own:
            seen |= {(name, labels.get("gpu_uuid", "")), (name, labels["version"])}
            name = name.replace("_summary_us_sum", "_duration_us") if "summary" in mistake else name
            totals[name] += float(found[3])
    return totals


def mismatches(mistake: str, seed: int) -> list[str]:
    found: list[str] = []
    for question in _questions(np.random.default_rng(seed)):
        said = question.mismatch(learner(*question.arguments, mistake=mistake))
        if said is not None:
            found.append(f"{question.label}: {said}")
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_right_solution_is_accepted(seed: int) -> None:
    assert mismatches("", seed) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "mistake",
    [
        "not subtracted",
        "averaged",
        "per execution",
        "per row",
        "requests are rows",
        "requests by executions",
        "share of the parts",
        "zero for nothing",
        "part of a name",
        "model comes first",
        "first version",
        "first GPU",
        "one reason",
        "summary taken for a counter",
    ],
)
def test_each_mistake_is_noticed(mistake: str, seed: int) -> None:
    assert mismatches(mistake, seed)


@pytest.mark.parametrize("label", STORIES)
def test_not_subtracting_is_noticed_on_every_reading(label: str) -> None:
    readings = built(label)
    given = (readings.before, readings.after, readings.model, readings.seconds)
    if STORIES[label] == Story(versions=2, new_version=True):
        assert right(readings).mismatch(learner(*given)) is None
    assert right(readings).mismatch(learner(*given, mistake="not subtracted")) is not None


# --- what is no answer ----------------------------------------------------------------------------

JUNK: list[Any] = [
    None, True, "many", "9" * 9999, [], [1, 2], [[[]]], {}, {"a": 1},
    math.nan, math.inf, -1, 10**400,
]  # fmt: skip


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: f"{str(junk)[:9]}")
def test_junk_gets_a_sentence(junk: Any) -> None:
    want = right(built("One version of each model"))
    for answer in (junk, *({**vars(want), key: junk} for key in vars(want))):
        said = want.mismatch(answer)
        assert said is not None
        assert 5 < len(said) < 200


def test_every_figure_is_asked_for() -> None:
    want = right(built("One version of each model"))
    assert want.mismatch({**vars(want), "more": 1}) is None
    for key, value in vars(want).items():
        assert want.mismatch({**vars(want), key: value * 1.01 + 0.01}).startswith(key)  # type: ignore[union-attr]
        short = {name: each for name, each in vars(want).items() if name != key}
        assert want.mismatch(short) == f"{key} is missing in the dict"


def test_none_is_no_number_and_no_number_is_none() -> None:
    idle = right(built("Nobody was answered in between"))
    for key, value in vars(idle).items():
        junk = 0.0 if value is None else None
        assert idle.mismatch({**vars(idle), key: junk}) is not None
        assert idle.mismatch({**vars(idle), key: math.nan}) is not None


@pytest.mark.parametrize("seed", range(50))
def test_a_text_may_end_with_the_model_that_is_asked_about(seed: int) -> None:
    """Omitting the last line is wrong; and every reason for a failure has some."""
    readings = built("Three versions, labels in any order", seed)
    without = [text.rstrip("\n").rpartition("\n")[0] for text in (readings.before, readings.after)]
    told = figures_of(without[0], without[1], readings.model, readings.seconds)
    assert told.mismatch(vars(right(readings))) is not None
    assert all(readings.gained.failures.values())


def test_a_variant_has_times_of_several_requests_and_rows_of_several_seconds() -> None:
    readings = built("One version of each model")
    plain = right(readings)
    with constants({"REQUESTS": 3, "SECONDS": 20}):
        own = right(readings)
    assert own.queue_us == pytest.approx(3 * plain.queue_us)
    assert own.rows_per_s == pytest.approx(20 * plain.rows_per_s)
    assert own.queue_share == plain.queue_share
