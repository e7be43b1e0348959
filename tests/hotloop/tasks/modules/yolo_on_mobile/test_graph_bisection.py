"""Bisecting the suspects finds the fault of a conversion; bisecting a list may not."""

import numpy as np
import pytest

from hotloop.judge.constants import constants
from hotloop.tasks.modules.yolo_on_mobile import graph_bisection


@pytest.mark.parametrize("seed", range(4))
def test_what_departs_is_the_fault_and_what_comes_of_it(seed: int) -> None:
    conversion = graph_bisection.sampled(np.random.default_rng(seed), faulty=True)
    for name, error in conversion.errors.items():
        departs = conversion.fault in conversion.upstream[name]
        assert (error > graph_bisection.TOLERANCE) == departs


def test_a_sound_conversion_has_no_fault() -> None:
    conversion = graph_bisection.sampled(np.random.default_rng(1), faulty=False)
    assert conversion.fault is None
    assert max(conversion.errors.values()) < graph_bisection.TOLERANCE


def test_misleading_faults_lead_astray() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        conversion = graph_bisection.sampled(rng, faulty=True, misleading=True)
        assert conversion.fault is not None
        found = graph_bisection._in_order(conversion.upstream, conversion.fault)
        assert found != conversion.fault


def test_enough_is_near_the_fewest() -> None:
    conversion = graph_bisection.sampled(np.random.default_rng(2), faulty=True)
    fewest = int(np.ceil(np.log2(len(conversion.tensors) + 1)))
    assert fewest <= conversion.enough <= fewest + 4


def test_in_a_chain_it_is_halving() -> None:
    chain = {"a": [], "b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"], "f": ["e"], "g": ["f"]}
    upstream = graph_bisection.with_all_before(chain)
    # Three looks distinguish eight possible answers; one more look if halves are uneven.
    assert max(graph_bisection._halving(upstream, fault) for fault in (*chain, None)) <= 4


@pytest.mark.parametrize("nothing", [None, 37])
def test_that_nothing_departs_is_reported_in_one_way(nothing: int | None) -> None:
    with constants({} if nothing is None else {"NOTHING": nothing}):
        assert graph_bisection.fault_mismatch(nothing, None) is None
        for other in {None, 38} - {nothing}:
            said = graph_bisection.fault_mismatch(other, None)
            assert said is not None
            assert "none does" in said
        assert "and one does" in str(graph_bisection.fault_mismatch(nothing, "t3"))
        assert graph_bisection.fault_mismatch("t3", "t3") is None


@pytest.mark.parametrize("at", [0, -1])
def test_the_first_and_the_last_tensor_of_a_file_depart_in_some_conversion(at: int) -> None:
    conversion = graph_bisection.sampled(np.random.default_rng(3), faulty=True, at=at)
    assert conversion.fault == list(conversion.tensors)[at]
