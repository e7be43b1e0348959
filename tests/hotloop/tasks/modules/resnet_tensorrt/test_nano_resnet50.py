"""The budget of the published network, and the floor of its int8 version."""

from math import prod

import numpy as np

from hotloop.tasks.modules.resnet_tensorrt.nano_resnet50 import (
    board_model,
    budget,
    floor_mismatch,
    nodes_of,
)
from hotloop.tasks.modules.resnet_tensorrt.network_cost import kernels, last_layer


def test_the_nodes_are_those_of_resnet50() -> None:
    nodes = nodes_of(1, 224)
    shapes: list[list[list[int]]] = [node["weights"] for node in nodes]
    products = [tuple(stored[0]) for stored in shapes if stored]
    assert sorted(products) == sorted([*kernels(64), (1000, last_layer(64)[1])])
    weights = sum(prod(shape) for stored in shapes for shape in stored)
    assert 25.4e6 < weights < 25.6e6, "25.6 million with BatchNormalization's, which are folded"
    made = {"pictures"}
    for node in nodes:
        assert set(node["inputs"]) <= made
        made.add(node["output"])


def test_the_bound_is_no_shorter_than_all_operations_at_the_peak() -> None:
    board = board_model()
    for precision, least_ms in (("fp32", 34.6), ("fp16", 17.3)):
        found = budget(nodes_of(1, 224), precision, board)
        assert least_ms < found["latency_ms"] < 1.4 * least_ms
        assert found["arithmetic_limited"] == 53
        assert found["memory_bytes"] < board["memory_bytes"]


def test_the_floor_asks_for_near_logits_that_tell_the_pictures_apart() -> None:
    rng = np.random.default_rng(1)
    common = rng.normal(0, 1, 1000)
    want = common + rng.normal(0, 0.2, (16, 1000))
    noise = rng.normal(0, 0.2, want.shape)
    assert floor_mismatch(want * 1.1, want) is None
    assert floor_mismatch(want + noise, want) is None
    assert "1.60" in (floor_mismatch(-0.6 * want, want) or "")
    assert "not finite" in (floor_mismatch(np.full_like(want, np.nan), want) or "")
    assert "correlation of" in (floor_mismatch(np.tile(common, (16, 1)), want) or "")
    assert "correlation of" in (floor_mismatch(common + noise, want) or "")
