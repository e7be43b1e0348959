"""A server's metrics are parsed, and impossible ones are refused."""

import math

import pytest

from hotloop.engines.serving import metrics

TEXT = """# HELP nv_inference_count Number of inferences performed
# TYPE nv_inference_count counter
nv_inference_count{model="bert",version="1"} 120
nv_inference_count{model="bert",version="2"} 8
nv_inference_count{model="a \\"b\\", c",version="1"} 1
nv_inference_exec_count{model="bert",version="1"} 32
nv_inference_exec_count{model="bert",version="2"} 8
nv_cpu_utilization 0.25
nv_energy NaN 1395066363000
"""


def test_samples_have_names_labels_and_values() -> None:
    samples = metrics.parse(TEXT)
    assert len(samples) == 7
    assert samples[2].labels == {"model": 'a "b", c', "version": "1"}
    assert metrics.value(samples, "nv_cpu_utilization") == 0.25
    assert metrics.value(samples, "nv_inference_count", model="bert") == 128
    assert metrics.value(samples, "nv_inference_count", model="bert", version="2") == 8
    assert math.isnan(samples[-1].value)


@pytest.mark.parametrize("line", ["nv_count{model=bert} 1", "nv_count one", "what is this"])
def test_what_is_no_metric_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(ValueError, match=r"nv_count is no number|line 2"):
        metrics.parse(f"nv_up 1\n{line}\n")


def batches(**counts: int) -> dict[str, object]:
    stats = [
        {"batch_size": int(size[1:]), "compute_infer": {"count": count, "ns": 1}}
        for size, count in counts.items()
    ]
    other = {"name": "other", "version": "1", "batch_stats": [
        {"batch_size": 1, "compute_infer": {"count": 99, "ns": 1}}]}  # fmt: skip
    return {"model_stats": [{"name": "bert", "version": "1", "batch_stats": stats}, other]}


def test_the_histogram_is_of_one_model() -> None:
    assert metrics.batch_histogram(batches(b4=2, b1=7), "bert") == {1: 7, 4: 2}


def test_what_happened_in_between() -> None:
    assert metrics.fewer({1: 9, 4: 2, 8: 1}, {1: 7, 4: 2}) == {1: 2, 8: 1}


@pytest.mark.parametrize(
    "broken",
    [{}, {"model_stats": 3}, {"model_stats": [{"name": "bert", "batch_stats": [{}]}]},
     {"model_stats": ["bert"]}],
)  # fmt: skip
def test_broken_statistics_are_refused(broken: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no statistics"):
        metrics.batch_histogram(broken, "bert")
