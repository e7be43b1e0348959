"""Sizes that belong together in every case are one symbol, and others are not."""

import pytest

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.dtypes import FP16, FP32, U8
from hotloop.judge.kernel_contract import (
    KindOfCall,
    NoContract,
    as_in_no_case,
    kinds_of_call,
)

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


def _lists(blocks: list[tuple[int, int]]) -> list[CallSpec]:
    """Calls with rows of x, and a list for each of their blocks."""
    return [
        CallSpec(
            (TensorSpec((length, 64), FP32), TensorSpec((-(-length // block),), U8), block),
            TensorSpec((length, 64), FP32),
        )
        for length, block in blocks
    ]


def test_a_number_of_tiles_follows_the_size_and_the_block() -> None:
    calls = _lists([(16, 16), (33, 16), (100, 32), (257, 32), (64, 16)])
    kinds = kinds_of_call(calls, ["x", "lists", "block", "out"])
    (length, _), (count,), _ = _sizes(kinds[0])
    assert [list(kind.contract.tiles) for kind in kinds] == [
        [(count, length, block)] for block in (16, 32)
    ]
    assert kinds[1].contract.in_words().endswith("lists.shape[0] = cdiv(x.shape[0], 32)")


def test_tiles_of_one_size_need_no_argument() -> None:
    calls = [
        CallSpec((TensorSpec((n,), FP32),), TensorSpec((-(-n // 128),), FP32))
        for n in (5, 128, 129, 700, 1300)
    ]
    kind = _only(calls, ["x", "sums"])
    ((n,), (count,)) = _sizes(kind)
    assert list(kind.contract.tiles) == [(count, n, 128)]


def test_sizes_that_no_case_orders_so_are_no_counterexample() -> None:
    pairs = [(3, 10), (5, 9), (1, 400), (64, 65), (7, 8)]
    calls = [CallSpec((TensorSpec((w,), FP32),), TensorSpec((n,), FP32)) for w, n in pairs]
    kind = _only(calls, ["weights", "x"])
    ((w,), (n,)) = _sizes(kind)
    assert as_in_no_case({w: 4, n: 3}, [kind]) == ("weights.shape[0]", "x.shape[0]")
    assert as_in_no_case({w: 3, n: 3}, [kind]) is None
    assert as_in_no_case({w: 1, n: 3}, [kind]) is None
