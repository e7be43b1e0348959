"""The same case with other values: same shapes, plain arguments and indices."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hotloop.judge.checks.correct import Argument, Case, InputTensor
from hotloop.judge.dtypes import BOOL, U8
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.seeds import Seeds

SIZES = 1 << 62


class SameShapes(np.random.Generator):
    """A generator that samples single integers like the others, and everything else independently.

    Cases draw their shapes as single integers. Each pair of bounds has its own stream, so that
    drawing more or fewer integers for values does not change the shapes.
    """

    def __init__(self, sizes: int, values: np.random.Generator) -> None:
        super().__init__(cast(Any, values.bit_generator))
        self._sizes = sizes
        self._streams: dict[tuple[int, int], np.random.Generator] = {}

    def integers(  # pyright: ignore[reportIncompatibleMethodOverride] - numpy has 30 overloads
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """As in numpy; single integers are the same as the others'."""
        if size is not None or endpoint or not np.isscalar(low):
            return cast(Any, super().integers(low, high, size, dtype, endpoint))
        return self._size(*((0, low) if high is None else (low, high)))

    def _size(self, low: Any, high: Any) -> Any:
        bounds = (int(low), int(high))
        if bounds not in self._streams:
            key = [self._sizes, *(bound & (1 << 64) - 1 for bound in bounds)]
            self._streams[bounds] = np.random.Generator(np.random.SFC64(key))
        return self._streams[bounds].integers(*bounds)


def same_shapes(seeds: Seeds) -> Callable[[], np.random.Generator]:
    """Return a function that makes generators whose cases have the same shapes."""
    sizes = int(seeds.generator().integers(SIZES))
    return lambda: SameShapes(sizes, seeds.generator())


def with_values_of(case: Case, other: Case) -> Case:
    """Return `case` with the floating-point, bool and uint8 tensors of another of its shapes.

    Integers select what is read, as shapes do: a launcher may choose its grid by them. Raises
    JudgeFault if the shapes differ.
    """
    if case.spec != other.spec and _shapes(case) != _shapes(other):
        raise JudgeFault(f"the cases called {case.label!r} are not of the same shapes")
    pairs = zip(case.arguments, other.arguments, strict=True)
    return replace(case, arguments=tuple(_newer(a, b) for a, b in pairs))


def in_the_order_of(case: Case, other: Case, rng: np.random.Generator) -> Case:
    """Return `case` with the floating-point values of another of its shapes, ordered as its own.

    Numbers that are equal stay equal, and none becomes smaller than one that it was not smaller
    than: code that compares numbers takes the same branches. All are scaled and shifted by numbers
    from `rng`: sums and maxima of thousands of numbers of one distribution are almost the same.
    """
    scale, shift = rng.uniform(0.5, 0.9), rng.choice([-1, 1]) * rng.uniform(1, 3)
    other = with_values_of(case, other)
    pairs = zip(case.arguments, other.arguments, strict=True)
    return replace(case, arguments=tuple(_ordered(a, b, scale, shift) for a, b in pairs))


def _ordered(argument: Argument, other: Argument, scale: float, shift: float) -> Argument:
    if not isinstance(argument, InputTensor) or not isinstance(other, InputTensor):
        return argument
    if not argument.dtype.floating:
        return other
    rounded = argument.rounded()
    first = np.unique(np.sort(rounded, None), return_index=True)[1]
    group = np.unique(rounded, return_inverse=True)[1].reshape(rounded.shape)
    fresh = scale * np.sort(other.rounded(), None) + shift
    return replace(argument, values=fresh[first[group]])


def _newer(argument: Argument, other: Argument) -> Argument:
    if not isinstance(argument, InputTensor) or not isinstance(other, InputTensor):
        return argument
    fresh = argument.dtype.floating or argument.dtype in (BOOL, U8)
    return other if fresh else argument


def _shapes(case: Case) -> list[object]:
    tensors = [a.spec for a in case.arguments if isinstance(a, InputTensor)]
    return [*tensors, case.out]
