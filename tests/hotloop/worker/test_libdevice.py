"""Functions of libdevice that NumPy does not have, as the interpreter computes them."""

import math

import numpy as np
import pytest

from hotloop.worker import triton_operations

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("symbol", "arguments", "expected"),
    [
        ("cospif", [[0.5, 1.0, 2.0, 1e8 + 1, -1.0]], [0.0, -1.0, 1.0, -1.0, -1.0]),
        ("sinpif", [[0.5, 1.0, 1.5, 1e8 + 0.5, -0.5]], [1.0, 0.0, -1.0, 1.0, -1.0]),
        ("exp10f", [[0.0, 2.0, -1.0, -INF]], [1.0, 100.0, 0.1, 0.0]),
        ("fdimf", [[3.0, 1.0, INF, NAN], [1.0, 3.0, INF, 0.0]], [2.0, 0.0, 0.0, NAN]),
        ("rcbrtf", [[8.0, -8.0, 0.0]], [0.5, -0.5, INF]),
        ("roundf", [[0.5, -0.5, 2.5, 0.49999999999999994, -INF]], [1.0, -1.0, 3.0, 0.0, -INF]),
        ("saturatef", [[-1.0, 0.25, 2.0, INF, NAN]], [0.0, 0.25, 1.0, 1.0, 0.0]),
        ("lgammaf", [[1.0, 0.5, 0.0, -2.0, 1e306]], [0.0, math.log(math.pi) / 2, INF, INF, INF]),
        ("tgammaf", [[5.0, 0.5, 0.0, -0.0, -2.0, 500.0]],
         [24.0, math.sqrt(math.pi), INF, -INF, NAN, INF]),
        ("powif", [[2.0, -3.0], [3, 2]], [8.0, 9.0]),
    ],
)  # fmt: skip
def test_a_function_is_right_at_its_edges(
    symbol: str, arguments: list[list[float]], expected: list[float]
) -> None:
    function = triton_operations.libdevice(symbol)
    assert function is not None
    with np.errstate(all="ignore"):
        values = function(*(np.asarray(one, np.float64) for one in arguments))
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-15)


def test_an_unknown_function_has_no_replacement() -> None:
    assert triton_operations.libdevice("j0f") is None
