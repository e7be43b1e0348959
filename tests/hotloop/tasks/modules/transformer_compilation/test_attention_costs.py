"""Bytes and times of attention: the judge's right answers."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from hotloop.judge.constants import constants
from hotloop.tasks.modules.transformer_compilation import attention_costs
from hotloop.tasks.modules.transformer_compilation.attention_costs import Problem

SMALL = Problem(
    batch=1,
    heads=2,
    kv_heads=1,
    queries=4,
    keys=6,
    head_dim=8,
    element_bytes=2,
    score_bytes=4,
    causal=False,
    block_q=4,
    block_k=2,
    bytes_per_s=1e9,
    flops_per_s=1e12,
    launch_s=1e-6,
)


def test_a_small_problem_by_hand() -> None:
    found = attention_costs.truth(SMALL)
    q, k, s, p = 2 * 4 * 8 * 2, 6 * 8 * 2, 2 * 4 * 6 * 4, 2 * 4 * 6 * 2
    assert found["standard_bytes"] == (q + k + s) + (s + p) + (p + k + q)
    with constants({"LAYERS": 3}):
        assert attention_costs.truth(SMALL)["standard_bytes"] == 3 * (
            (q + k + s) + (s + p) + (p + k + q)
        )
    assert found["fewest_bytes"] == 2 * q + 2 * k
    # Each of two heads of queries has a program, which reads the one head of keys and values.
    assert found["tiled_bytes"] == 2 * q + 2 * 2 * k


@pytest.mark.parametrize(
    ("block_q", "block_k", "rows"),
    [(4, 2, 6), (2, 2, 4 + 6), (1, 1, 3 + 4 + 5 + 6), (1, 4, 4 + 4 + 6 + 6), (3, 4, 6 + 6)],
)
def test_a_causal_program_reads_what_its_last_query_sees(
    block_q: int, block_k: int, rows: int
) -> None:
    problem = replace(SMALL, causal=True, block_q=block_q, block_k=block_k)
    read = attention_costs.costs(problem)["tiled"].bytes - 2 * (2 * 4 * 8 * 2)
    assert read == 2 * 2 * rows * 8 * 2


def test_queries_before_the_first_key_read_nothing() -> None:
    problem = replace(SMALL, causal=True, queries=8, keys=2, block_q=4)
    read = attention_costs.costs(problem)["tiled"].bytes - 2 * (2 * 8 * 8 * 2)
    assert read == 2 * 2 * 2 * 8 * 2


def test_what_takes_longest_is_the_bound() -> None:
    bounds = attention_costs.truth(SMALL)["bounds"]
    assert bounds == ["launch"] * 4
    slow = attention_costs.truth(replace(SMALL, bytes_per_s=1e6))["bounds"]
    assert slow == ["memory"] * 4
    weak = attention_costs.truth(replace(SMALL, flops_per_s=1e6, bytes_per_s=1e15))["bounds"]
    assert weak == ["arithmetic", "launch", "arithmetic", "arithmetic"]


@pytest.mark.parametrize("seed", range(5))
def test_hidden_problems_have_every_bound(seed: int) -> None:
    seen: set[object] = set()
    for _, problem in attention_costs.problems(np.random.default_rng(seed)):
        bounds = attention_costs.truth(problem)["bounds"]
        assert isinstance(bounds, list)
        seen.update(bounds)
    assert seen == {"launch", "memory", "arithmetic"}


@pytest.mark.parametrize("seed", range(50))
def test_every_size_and_blind_queries_are_asked_about(seed: int) -> None:
    problems = [problem for _, problem in attention_costs.problems(np.random.default_rng(seed))]
    assert {p.element_bytes for p in problems} == {1, 2, 4}
    assert {(p.element_bytes, p.score_bytes) for p in problems} >= {(2, 2), (2, 4), (4, 4)}
    assert any(p.causal and p.queries - p.keys >= p.block_q for p in problems)


def test_the_first_wrong_number_is_named() -> None:
    (question, *_) = attention_costs.questions(np.random.default_rng(1), keys=attention_costs.BYTES)
    assert question.mismatch([]) is not None
    mismatch = question.mismatch({"standard_bytes": 1})
    assert mismatch is not None
    assert "standard_bytes" in mismatch


def test_bounds_are_a_list_or_a_dict_by_kernel() -> None:
    want = attention_costs.truth(SMALL)
    listed: list[str] = attention_costs.as_list(want["bounds"])
    bounds: dict[str, str] = dict(zip(attention_costs.KERNELS, listed, strict=True))
    mismatch = partial(attention_costs.mismatch, want, ("bounds",))
    assert mismatch({"bounds": list(bounds.values())}) is None
    assert mismatch({"bounds": bounds}) is None
    assert mismatch({"bounds": {**bounds, "tiled": "nothing"}}) is not None
    assert mismatch({"bounds": {"scores": bounds["scores"]}}) is not None
