"""Sizes that belong together in every case are one symbol, and others are not."""

import pytest

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.dtypes import FP16, FP32, U8
from hotloop.judge.kernel_contract import KindOfCall, NoContract, kinds_of_call

SIZES = [(1, 1, 1), (5, 7, 3), (64, 128, 64), (97, 33, 65), (12, 900, 40)]


def _products(gap: int = 0) -> list[CallSpec]:
    return [
        CallSpec(
            (TensorSpec((m, k), FP16, gap), TensorSpec((k, n), FP16)), TensorSpec((m, n), FP32)
        )
        for m, k, n in SIZES
    ]


def _only(calls: list[CallSpec], names: list[str]) -> KindOfCall:
    (kind,) = kinds_of_call(calls, names)
    return kind


def _sizes(kind: KindOfCall) -> list[list[str]]:
    """Sizes of the tensors, in the order in which their symbols appear."""
    message = kind.contract.to_message()["arguments"]
    return [list(each["sizes"]) for each in message if each["tensor"]]


def test_a_product_has_three_sizes() -> None:
    kind = _only(_products(), ["a", "b", "c"])
    (m, k), (k2, n), (m2, n2) = _sizes(kind)
    assert (k, m, n) == (k2, m2, n2)
    assert len({m, k, n}) == len(kind.contract.symbols) == 3
    assert kind.values[1] == {m: 5, k: 7, n: 3}
    assert kind.contract.in_words().startswith("a [a.shape[0], a.shape[1]]; b [a.shape[1], ")


def test_a_gap_is_a_stride_of_its_own() -> None:
    kind = _only(_products(gap=4), ["a", "b", "c"])
    (stride,) = set(kind.contract.symbols) - {size for sizes in _sizes(kind) for size in sizes}
    assert kind.contract.symbols[stride].label == "a.stride(0)"
    assert list(kind.contract.at_least) == [(stride, _sizes(kind)[0][1])]


def test_multiples_sums_and_products_of_sizes() -> None:
    calls = [
        CallSpec(
            (TensorSpec((2 * m, 64), FP32), TensorSpec((m, k), U8), TensorSpec((m * k,), FP32)),
            TensorSpec((m + 2 * k,), FP32),
        )
        for m, k, _ in SIZES
    ]
    (twice, always), (m, k), (both,), (total,) = _sizes(_only(calls, ["w", "x", "y", "out"]))
    assert (twice, always) == (f"2*({m})", "64")
    assert both in {f"({m})*({k})", f"({k})*({m})"}
    assert total == f"{m} + 2*({k})"


def test_a_flag_makes_kinds_of_calls() -> None:
    calls = [
        CallSpec((TensorSpec((m,), FP32), flag, 0.5), TensorSpec((m,), FP32))
        for m, _, _ in SIZES
        for flag in (False, True)
    ]
    kinds = kinds_of_call(calls, ["x", "flag", "scale", "out"])
    arguments = [kind.contract.to_message()["arguments"] for kind in kinds]
    assert [each[1]["value"] for each in arguments] == [False, True]
    assert all(each[2]["unknown"] for each in arguments)


def test_calls_of_several_ranks_have_no_contract() -> None:
    calls = [CallSpec((), TensorSpec((3,) * rank, FP32)) for rank in (1, 2)]
    with pytest.raises(NoContract, match="`out` does not always have the same number of axes"):
        kinds_of_call(calls, ["out"])
