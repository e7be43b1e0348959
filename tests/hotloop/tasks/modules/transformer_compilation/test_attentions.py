"""Attention in float64, and the tolerance of an answer."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

from hotloop.core.verdict import Ruling
from hotloop.judge.calls import CallBuffers
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, compare
from hotloop.judge.constants import constants
from hotloop.tasks.modules.transformer_compilation import (
    attentions,
    gradients,
    speeds,
    tensor_cores,
)

CASES = [*attentions.capped_cases(np.random.default_rng(1))]
KERNEL_CASES = [*attentions.kernel_cases(np.random.default_rng(1))]


def rounded(case: Case) -> tuple[Floats, Floats, Floats]:
    q, k, v = (a.rounded() for a in case.arguments[:3] if isinstance(a, InputTensor))
    return q, k, v


def test_one_query_by_hand() -> None:
    q, k = np.ones((1, 1, 4)), np.zeros((1, 2, 4))
    k[0, 1] = 1.0
    v = np.array([[[0.0], [1.0]]])
    share = np.exp(2.0) / (1 + np.exp(2.0))
    assert attentions.attention(q, k, v, 0.5, False)[0, 0, 0] == pytest.approx(share)
    bent = np.exp(np.tanh(2.0)) / (1 + np.exp(np.tanh(2.0)))
    assert attentions.capped_attention(q, k, v, False, 1.0)[0, 0, 0] == pytest.approx(bent)


def test_the_last_query_sees_the_last_key() -> None:
    assert attentions.visible(2, 4).tolist() == [[True] * 3 + [False], [True] * 4]
    assert attentions.visible(3, 1).tolist() == [[False], [False], [True]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_float32_is_right(case: Case) -> None:
    """Plain float32, from whose errors the tolerance is derived."""
    q, k, v = (x.astype(np.float32) for x in rounded(case))
    causal, cap = case.arguments[3:5]
    got = attentions.capped_attention(q, k, v, bool(causal), float(cap or 0))  # type: ignore
    want = case.truth(attentions.capped_attention)
    assert compare(got.astype(np.float64), want, attentions.tolerance(case)) is None


PLAIN_CASES = [
    case
    for case in KERNEL_CASES
    if case.out.dtype.bytes == 4 and case.out.shape[1] > 1 and "decides" not in case.label
]
"""Cases in float32 in which more than one weight matters."""


@pytest.mark.parametrize("case", PLAIN_CASES, ids=lambda case: case.label)
def test_half_precision_of_a_score_is_wrong(case: Case) -> None:
    """Scores rounded to float16 for float32 inputs."""
    assert half_precision_differs(case, "scores")


@pytest.mark.parametrize("seed", range(20))
def test_half_precision_of_weights_is_wrong_somewhere(seed: int) -> None:
    cases = attentions.kernel_cases(np.random.default_rng(seed))
    singles = [case for case in cases if case.out.dtype.bytes == 4]
    assert any(half_precision_differs(case, "weights") for case in singles)


def half_precision_differs(case: Case, what: str) -> bool:
    q, k, v = rounded(case)
    scale, causal = case.arguments[3:5]
    scores = float(scale or 0) * (q @ np.repeat(k, len(q) // len(k), axis=0).transpose(0, 2, 1))
    if what == "scores":
        scores = scores.astype(np.float16).astype(np.float64)
    if causal:
        scores = np.where(attentions.visible(q.shape[1], k.shape[1]), scores, -np.inf)
    highest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(highest), 0.0, highest))
    total = weights.sum(-1, keepdims=True)
    if what == "weights":
        weights = weights.astype(np.float16).astype(np.float64)
    got = weights @ np.repeat(v, len(q) // len(k), axis=0) / np.where(total == 0, 1.0, total)
    want = case.truth(attentions.attention)
    return compare(got, want, attentions.tolerance(case)) is not None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("cases", [attentions.capped_cases, attentions.kernel_cases])
def test_every_part_of_the_keys_and_both_sides_of_the_diagonal_decide(
    cases: Callable[[np.random.Generator], Iterator[Case]], seed: int
) -> None:
    """A maximum over only some keys overflows, and one over hidden keys leaves nothing."""
    sampled = [c for c in cases(np.random.default_rng(seed)) if "one key decides" in c.label]
    plain, causal = sampled[:2]
    scores = scores_of(plain)
    best = scores[0].argmax(-1)
    keys = scores.shape[-1]
    for part in (slice(0, keys // 2), slice(keys // 2, keys), slice(0, None, 2), slice(-1, None)):
        inside = np.isin(best, np.arange(keys)[part])
        assert inside.any()
        assert not inside.all()
        others = np.delete(scores[0][inside], part, axis=-1)
        assert (scores[0][inside].max(-1) - others.max(-1) > 104).all()
    scores = scores_of(causal)
    queries, keys = scores.shape[1:]
    seen = attentions.visible(queries, keys)
    last = np.arange(queries) + keys - queries
    assert (scores[0].argmax(-1) == last).any()
    assert seen[np.arange(queries), scores[0].argmax(-1)].all()
    assert (scores[1].argmax(-1) == np.minimum(last + 1, keys - 1)).all()


def scores_of(case: Case) -> Floats:
    q, k, _ = rounded(case)
    return q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])


@pytest.mark.slow
def test_a_timed_call_is_verified_whole_and_in_part() -> None:
    rng = np.random.default_rng(5)
    spec = speeds._spec(rng, 3)
    assert spec.out.shape[1] < speeds.LENGTH
    buffers = CallBuffers([spec], seal_inputs=False)
    try:
        call = buffers.calls[0]
        speeds._fill(rng, call, hostile=True)
        q, k, v = (call.input(index).astype(np.float64) for index in range(3))
        truth = attentions.capped_attention(q, k, v, causal=True, cap=speeds.CAP)
        call.output()[...] = truth
        speeds._verify(call, None)
        speeds._verify(call, np.array([1]))
        call.output()[1] += 0.01
        for rows in (None, np.array([1])):
            with pytest.raises(Ruling, match="wrong"):
                speeds._verify(call, rows)
        speeds._verify(call, np.array([0]))
    finally:
        buffers.close()


def test_work_of_the_visible_half() -> None:
    spec = speeds._spec(np.random.default_rng(1), 0)
    pairs = int(attentions.visible(speeds.LENGTH, speeds.LENGTH).sum())
    assert speeds.flops_of_call(spec) == 4 * speeds.HEADS * speeds.WIDTH * pairs


def test_the_kernel_with_most_instructions_counts() -> None:
    kernels = [
        {"target": "sm_80", "wgmma_f16": 0},
        {"target": "sm_90", "wgmma_f16": 0},
        {"target": "sm_90", "wgmma_f16": 8},
    ]
    assert tensor_cores.most_wgmma({"kernels": kernels}) == 8


def test_a_query_that_sees_no_key_gives_the_variants_number() -> None:
    case = next(c for c in KERNEL_CASES if c.label == "queries that see no key")
    q, k, v = rounded(case)
    plain = attentions.attention(q, k, v, 0.2, True)
    with constants({"EMPTY": 7}):
        filled = attentions.attention(q, k, v, 0.2, True)
    blind = q.shape[1] - k.shape[1]
    assert blind > 0
    assert (filled[:, :blind] == 7).all()
    assert (filled[:, blind:] == plain[:, blind:]).all()


@pytest.mark.parametrize("number", range(8))
def test_gradients_of_another_loss_scale_are_wrong(number: int) -> None:
    """Neighboring scales are closest to each other at the upper end."""
    case = [*gradients.cases(np.random.default_rng(1))][number]
    given = [a.rounded() if isinstance(a, InputTensor) else a for a in case.arguments]
    wants: list[Floats] = []
    for scale in (1, 399, 400):
        with constants({"LOSS_SCALE": scale}):
            wants.append(gradients.gradients(*given))
            allowed = gradients.tolerance(case)
    assert compare(400 * wants[0], wants[2], allowed) is None
    found = compare(wants[1], wants[2], allowed)
    # Float16 rounds too coarsely for that, and a single query and key have few gradients.
    assert found is not None or number in (0, 7)
    assert compare(wants[0], wants[2], allowed) is not None


@pytest.mark.parametrize("causal", [False, True])
def test_what_is_true_on_a_gpu_is_true_here(causal: bool) -> None:
    """The judge compares timed calls on the GPU, with torch."""
    rng = np.random.default_rng(4)
    q, k, v = rng.standard_normal((3, 5, 70, 16))
    want = attentions.attention(q, k, v, 0.25, causal)
    got = speeds.ON_GPU.truth(*map(torch.from_numpy, (q, k, v)), 0.25, causal)
    assert np.abs(got.numpy() - want).max() < 1e-12
