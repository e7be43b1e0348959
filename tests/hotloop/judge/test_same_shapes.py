"""Twin cases: the same shapes and indices, and no other value in common."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.dtypes import BOOL, FP32, I32, U8
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.same_shapes import same_shapes, with_values_of
from hotloop.judge.seeds import Seeds
from hotloop.tasks.modules.fused_softmax import cases as softmax
from hotloop.tasks.modules.sparse_attention_op import kernels
from hotloop.tasks.modules.transformer_compilation import attentions, gradients

Cases = Callable[[np.random.Generator], Iterable[Case]]


def _one(builder: Callable[[np.random.Generator], Case]) -> Cases:
    return lambda rng: [builder(rng)]


BUILDERS: dict[str, Cases] = {
    "softmax": softmax.matrices,
    "counted softmax": _one(softmax.short_rows),
    "masked softmax": softmax.masked,
    "counted masked softmax": _one(softmax.short_masked_rows),
    "attention": attentions.kernel_cases,
    "gradients": gradients.cases,
    "sparse": kernels.cases,
    "counted sparse": _one(kernels.thin),
}


def _same(first: Case, second: Case) -> list[bool]:
    """Return for each floating-point tensor whether both cases have equal values."""
    pairs = zip(first.arguments, second.arguments, strict=True)
    return [
        bool(np.array_equal(a.values, b.values, equal_nan=True))
        for a, b in pairs
        if isinstance(a, InputTensor) and isinstance(b, InputTensor) and a.dtype.floating
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILDERS)
def test_cases_of_twins_differ_in_their_values_only(name: str) -> None:
    for root in range(4):
        make = same_shapes(Seeds(bytes([root])))
        first, second = (list(BUILDERS[name](make())) for _ in range(2))
        for case, other in zip(first, second, strict=True):
            fresh = with_values_of(case, other)
            assert fresh.spec == case.spec
            assert not any(_same(case, fresh))


@pytest.mark.slow
def test_shapes_differ_from_judging_to_judging() -> None:
    shapes = {softmax.short_rows(same_shapes(Seeds())()).out.shape for _ in range(20)}
    assert len(shapes) > 5


def test_arrays_of_integers_are_values_and_single_ones_are_not() -> None:
    make = same_shapes(Seeds(b"root"))
    first, second = make(), make()
    assert [first.integers(1000) for _ in range(9)] == [second.integers(1000) for _ in range(9)]
    assert first.integers(1000, size=9).tolist() != second.integers(1000, size=9).tolist()
    second.integers(3)  # another pair of bounds has its own stream
    assert first.integers(5, 1000) == second.integers(5, 1000)
    assert len({int(first.integers(1 << 40)) for _ in range(9)}) == 9


def _case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    tensors = (
        InputTensor(rng.normal(size=9), FP32),
        InputTensor(rng.integers(1 << 20, size=9), I32),
        InputTensor(rng.random(9) < 0.5, BOOL),
        InputTensor(rng.integers(2, size=9), U8),
    )
    return Case("nine", (*tensors, 0.5), TensorSpec((9,), FP32))


def test_floats_and_masks_are_new_and_indices_are_kept() -> None:
    case, other = _case(1), _case(2)
    fresh = with_values_of(case, replace(other, arguments=(*other.arguments[:4], 0.7)))
    assert fresh.arguments == (
        other.arguments[0],
        case.arguments[1],
        other.arguments[2],
        other.arguments[3],
        0.5,
    )


def test_another_shape_is_the_judges_fault() -> None:
    case = _case(1)
    with pytest.raises(JudgeFault, match="nine"):
        with_values_of(case, replace(case, out=TensorSpec((8,), FP32)))
