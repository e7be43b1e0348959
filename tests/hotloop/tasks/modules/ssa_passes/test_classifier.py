"""Networks as the judge reads, folds and compares them; Paddle is not needed."""

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from hotloop.core import extras
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.modules.ssa_passes import networks
from hotloop.tasks.modules.ssa_passes.networks import Malformed

Network = dict[str, NDArray[Any]]
SEEDS = range(50)


def text(network: Network) -> dict[str, list[Any]]:
    """Return the text that the learner's file sends."""
    return {
        name: [str(array.dtype), list(array.shape), base64.b64encode(array.tobytes()).decode()]
        for name, array in network.items()
    }


def folding(given: Network, epsilon: float = 1e-5, bias: bool = True) -> Network:
    """Fold in float32, as a learner would."""
    found = {name: array for name, array in given.items() if not name.startswith("norm")}
    for number in (1, 2):
        scale, shift, mean, variance = (
            given[f"norm{number}.{name}"] for name in ("weight", "bias", "_mean", "_variance")
        )
        factor = scale / np.sqrt(variance + np.float32(epsilon))
        own = found[f"conv{number}.bias"] * bias
        found[f"conv{number}.weight"] = found[f"conv{number}.weight"] * factor[:, None, None, None]
        found[f"conv{number}.bias"] = (own - mean) * factor + shift
    return found


def quantizing(given: Network, limit: Callable[[Network, str], NDArray[Any]]) -> Network:
    found = dict(given)
    for layer in networks.LAYERS:
        weight = given[f"{layer}.weight"]
        largest = limit(given, layer).astype(np.float32)
        scale = np.where(largest > 0, largest / np.float32(127), np.float32(1))
        across = scale if layer == "linear" else scale[:, None, None, None]
        found[f"{layer}.weight"] = np.clip(np.round(weight / across), -127, 127).astype(np.int8)
        found[f"{layer}.scale"] = scale
    return found


def largest(given: Network, layer: str) -> NDArray[Any]:
    return np.abs(given[f"{layer}.weight"]).max(0 if layer == "linear" else (1, 2, 3))


def largest_of_all(given: Network, layer: str) -> NDArray[Any]:
    return np.full_like(largest(given, layer), np.abs(given[f"{layer}.weight"]).max())


def images(seed: int, count: int = 8) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(0, 1, (count, 3, 16, 16))


def test_logits_are_those_of_pytorch() -> None:
    network = networks.folded(networks.normed(np.random.default_rng(0)))
    pictures = images(1)
    values = torch.from_numpy(pictures)
    for layer in ("conv1", "conv2"):
        weight, bias = (torch.from_numpy(network[f"{layer}.{part}"]) for part in ("weight", "bias"))
        values = torch.relu(torch.nn.functional.conv2d(values, weight, bias, padding=1))
    want = values.mean((2, 3)).numpy() @ network["linear.weight"] + network["linear.bias"]
    np.testing.assert_allclose(networks.logits(network, pictures), want, rtol=1e-9)


def test_folding_is_pytorchs_batch_norm() -> None:
    given = networks.normed(np.random.default_rng(2))
    values = torch.from_numpy(images(3).astype(np.float32))
    tensors = {name: torch.from_numpy(array) for name, array in given.items()}
    parts = ("_mean", "_variance", "weight", "bias")
    for number in (1, 2):
        weight, bias = tensors[f"conv{number}.weight"], tensors[f"conv{number}.bias"]
        values = torch.nn.functional.conv2d(values, weight, bias, padding=1)
        mean, variance, scale, shift = (tensors[f"norm{number}.{part}"] for part in parts)
        values = torch.nn.functional.batch_norm(values, mean, variance, scale, shift, eps=1e-5)
        values = torch.relu(values)
    want = values.mean((2, 3)).numpy() @ given["linear.weight"] + given["linear.bias"]
    got = networks.logits(networks.folded(given), images(3).astype(np.float32))
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3 * np.abs(want).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_folding_in_float32_is_right_and_its_mistakes_are_found(seed: int) -> None:
    given = networks.normed(np.random.default_rng(seed))

    def mismatch(network: Network) -> str | None:
        return networks.folded_mismatch(given, images(seed), text(network))

    assert mismatch(folding(given)) is None
    for wrong in (folding(given, epsilon=0), folding(given, bias=False), folding(given, 1e-3)):
        assert "should be" in str(mismatch(wrong))


def test_what_was_not_folded_is_refused() -> None:
    given = networks.normed(np.random.default_rng(0))
    mismatch = networks.folded_mismatch(given, images(0), text(given))
    assert "has no place" in str(mismatch)
    int8 = quantizing(folding(given), largest)
    assert "next step" in str(networks.folded_mismatch(given, images(0), text(int8)))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_scale_for_each_channel_is_right_and_its_mistakes_are_found(seed: int) -> None:
    given = networks.uneven(np.random.default_rng(seed))

    def mismatch(network: Network) -> str:
        return str(networks.quantized_mismatch(given, text(network)))

    right = quantizing(given, largest)
    assert mismatch(right) == "None"
    assert "half of it" in mismatch(quantizing(given, largest_of_all))
    signed = quantizing(given, lambda g, n: g[f"{n}.weight"].max(0 if n == "linear" else (1, 2, 3)))
    assert "half of it" in mismatch(signed)
    zero = {**right, "linear.scale": right["linear.scale"] * np.float32(0)}
    assert "above 0" in mismatch(zero)
    moved = {**right, "conv2.bias": right["conv2.bias"] + np.float32(1)}
    assert "biases stay" in mismatch(moved)
    assert "should be int8" in mismatch(given)


def test_channels_differ_a_hundredfold_and_one_is_zero() -> None:
    given = networks.uneven(np.random.default_rng(5))
    for layer in networks.LAYERS:
        sizes = np.sort(largest(given, layer))
        assert sizes[0] == 0
        assert sizes[-1] > 20 * sizes[1] > 0


def test_int8_weights_are_read_with_their_scales() -> None:
    given = networks.uneven(np.random.default_rng(6))
    network = networks.read(text(quantizing(given, largest)))
    near = networks.floats(network)
    assert np.abs(near["conv2.weight"] - given["conv2.weight"]).max() < 0.02
    weights = sum(given[f"{layer}.weight"].size for layer in networks.LAYERS)
    others = sum(given[f"{layer}.bias"].size for layer in networks.LAYERS)
    assert networks.size(network) == weights + 8 * others


def _sound() -> dict[str, Any]:
    return text(quantizing(networks.uneven(np.random.default_rng(7)), largest))


@pytest.mark.parametrize("answer", [None, 3, [], "x", True, [["conv1.weight"]]])
def test_what_is_no_network_is_refused(answer: object) -> None:
    with pytest.raises(Malformed, match="not arrays"):
        networks.read(answer)


@pytest.mark.parametrize(
    ("name", "parts", "about"),
    [
        ("conv1.weight", None, "should be float32 or int8"),
        ("conv1.weight", ["object", [1], "AAAAAAAAAAA="], "should be float32 or int8"),
        ("conv1.weight", ["float64", [1], "AAAAAAAAAAA="], "should be float32 or int8"),
        ("conv1.weight", [{}, [1], "AAAA"], "should be float32 or int8"),
        ("conv1.weight", ["int8", [-1], "AA=="], "has the shape"),
        ("conv1.weight", ["int8", [True], "AA=="], "has the shape"),
        ("conv1.weight", ["int8", [0], ""], "has the shape"),
        ("conv1.weight", ["int8", [10**400], "AA=="], "has 1 bytes"),
        ("conv1.weight", ["int8", [1] * 64, "AA=="], "has 1 bytes"),
        ("conv1.weight", ["int8", [], "AA=="], "should have"),
        ("conv1.weight", ["int8", [1], "AA=="], "should have"),
        ("conv1.weight", ["int8", 7, "AA=="], "should have"),
        ("conv1.weight", ["int8", [1], "é"], "cannot be read"),
        ("conv1.weight", ["int8", [1], "A"], "cannot be read"),
        ("conv1.weight", ["int8", [1], None], "cannot be read"),
        ("conv1.weight", ["int8", [1], 5], "cannot be read"),
        ("conv1.weight", ["int8", [1, 3, 3, 3], "gICA" * 9], "-128"),
        ("linear.bias", ["float32", [1], "AADAfw=="], "nan or infinite"),
        ("linear.bias", ["float32", [1], "AACAfw=="], "nan or infinite"),
        ("linear.bias", ["int8", [4], "AAAAAA=="], "should be float32"),
        ("linear.scale", ["float32", [1], "AACAPw=="], r"should be float32 \(4,\)"),
        ("norm1.weight", ["int8", [1], "AA=="], "has no place"),
        ("x" * 5000, ["int8", [1], "AA=="], "has no place"),
    ],
)
def test_broken_arrays_are_refused(name: str, parts: object, about: str) -> None:
    with pytest.raises(Malformed, match=about) as refused:
        networks.read({**_sound(), name: parts})
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("name", ["conv1.weight", "linear.bias", "conv2.scale"])
def test_missing_arrays_are_named(name: str) -> None:
    answer = _sound()
    del answer[name]
    with pytest.raises(Malformed, match=rf"'{name}' is missing"):
        networks.read(answer)


@pytest.mark.slow
def test_accuracy_is_counted_and_overflow_is_only_wrong() -> None:
    network = networks.folded(networks.normed(np.random.default_rng(8)))
    pictures = images(9, 300)
    labels = networks.logits(network, pictures).argmax(1)
    assert networks.share_right(network, pictures, labels) > 0.99
    assert networks.share_right(network, pictures, (labels + 1) % 4) < 0.01
    endless = {name: array * 0 + 3e38 for name, array in network.items()}
    assert networks.share_right(endless, pictures, np.ones(300, int)) == 0


@pytest.mark.sandbox
@pytest.mark.skipif(bool(extras.missing("paddle")), reason=extras.remedy("paddle"))
@pytest.mark.parametrize(
    ("body", "verdict", "about"),
    [
        ("return None", Verdict.WRONG_ANSWER, "not arrays"),
        ("return {'conv1.weight': ['float32', [], 'AAAA']}", Verdict.WRONG_ANSWER, "has 3 bytes"),
        ("return {'x': 'A' * (1 << 21)}", Verdict.RUNTIME_ERROR, "over the"),
        ("return {'x': float('nan')}", Verdict.RUNTIME_ERROR, "not plain data"),
        ("return object()", Verdict.RUNTIME_ERROR, "not plain data"),
        ("raise ValueError('no')", Verdict.RUNTIME_ERROR, "ValueError"),
        ("import os; os._exit(0)", Verdict.RUNTIME_ERROR, "ended before"),
    ],
)
def test_hostile_answers_have_a_verdict(
    body: str, verdict: Verdict, about: str, judge: JudgeProcess
) -> None:
    names = ("folded_from", "quantized_from", "pruned_from")
    source = "".join(f"def {name}(*given):\n    {body}\n\n" for name in names)
    files = {"small_classifier.py": source.encode()}
    record = judge_submission(files, "ssa_passes", ["classifier"], judge=judge)["classifier"]
    for check in record.checks:
        assert check.verdict is verdict, check.sentence
        assert about in check.sentence
