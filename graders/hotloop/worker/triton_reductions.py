"""tl.reduce and tl.associative_scan with any function, on whole arrays, in Triton's interpreter.

As installed, the interpreter calls the function in Python for each element. Here it gets whole
arrays, log2(n) times for n elements. Triton promises no grouping of the elements, so that the
function has to be associative, as on a GPU; their order is kept.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hotloop.worker.triton_float_bits import is_bits
from hotloop.worker.triton_modules import interpreter, language
from hotloop.worker.triton_source import innermost

Numbers = NDArray[Any]
Arrays = list[Numbers]


class NotOneValue(ValueError):
    """A kernel asks whether a tensor with many elements is true."""

    def __init__(self) -> None:
        super().__init__(
            "a tensor with several elements is neither true nor false: use tl.where, `&`, `|`, or "
            "tl.max of the mask"
        )


def correct() -> None:
    """Replace the interpreter's slow reduction and scan, and what errs with bfloat16 or NaN."""
    reductions, scans = interpreter().ReduceOps, interpreter().ScanOps
    reductions.generic_reduce = _with_branches(_reduce, reductions.generic_reduce)
    scans.generic_scan = _with_branches(_scan, scans.generic_scan)
    reductions.apply_impl = _with_bits(reductions.apply_impl)
    scans.cumsum, scans.cumprod = _bits_scanned(scans.cumsum), _bits_scanned(scans.cumprod)
    reductions.min_max = _min_max(reductions.min_max)


def _with_branches(
    on_arrays: Callable[..., Any], by_element: Callable[..., Any]
) -> Callable[..., Any]:
    """Call the function element by element only if it has an `if` on a value."""

    def combine_all(self: Any, tensors: Sequence[Any]) -> Any:
        if self.axis is not None:
            self.axis %= tensors[0].handle.data.ndim  # it may count from the last axis
        try:
            return on_arrays(self, tensors)
        except Exception as error:
            if not isinstance(innermost(error), NotOneValue):
                raise
        return by_element(self, tensors)

    return combine_all


def _reduce(self: Any, tensors: Sequence[Any]) -> list[Any]:
    shape = tensors[0].handle.data.shape
    arrays = [t.handle.data.reshape(-1) if self.axis is None else t.handle.data for t in tensors]
    arrays = [np.moveaxis(a, self.axis or 0, 0) for a in arrays]
    dtypes = [t.dtype for t in tensors]
    while len(arrays[0]) > 1:  # their number is a power of two
        left, right = [a[0::2] for a in arrays], [a[1::2] for a in arrays]
        arrays = _combined(self.combine_fn, left, right, dtypes)
    results = [a[0] for a in arrays]
    if self.keep_dims:
        shape = [1 if self.axis in (None, i) else n for i, n in enumerate(shape)]
        results = [np.reshape(a, shape) for a in results]
    return [self.to_tensor(a, dtype) for a, dtype in zip(results, dtypes, strict=True)]


def _scan(self: Any, tensors: Sequence[Any]) -> list[Any]:
    arrays = [np.moveaxis(t.handle.data, self.axis, 0) for t in tensors]
    dtypes = [t.dtype for t in tensors]
    distance = 1
    while distance < len(arrays[0]):
        # A block has 2**k elements, so the first ones are combined too, and left out.
        before = [np.roll(a, distance, axis=0) for a in arrays]
        joined = _combined(self.combine_fn, before, arrays, dtypes)
        arrays = [
            np.concatenate([a[:distance], b[distance:]])
            for a, b in zip(arrays, joined, strict=True)
        ]
        distance *= 2
    results = [np.ascontiguousarray(np.moveaxis(a, 0, self.axis)) for a in arrays]
    return [self.to_tensor(a, dtype) for a, dtype in zip(results, dtypes, strict=True)]


def _combined(function: Any, left: Arrays, right: Arrays, dtypes: Sequence[Any]) -> Arrays:
    """Call the kernel's function on arrays of equal shape; return its results as such arrays."""
    tl = language()
    parts = [
        tl.tensor(interpreter().TensorHandle(data, dtype), tl.block_type(dtype, list(data.shape)))
        for side in (left, right)
        for data, dtype in zip(side, dtypes, strict=True)
    ]
    result: Any = function(*parts)
    results: Any = result if isinstance(result, tuple | tl.tuple) else (result,)
    return [
        _array(result, dtype, left[0].shape) for result, dtype in zip(results, dtypes, strict=True)
    ]


def _array(result: Any, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    semantic = interpreter().interpreter_semantic
    cast = semantic.cast(semantic.to_tensor(result), dtype)
    return np.broadcast_to(cast.handle.data, shape)


def _with_bits(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Reduce bits with the kernel's function, since numpy's sum and maximum do not know them."""

    def apply_impl(self: Any, tensors: tuple[Any, ...]) -> Any:
        bits = any(is_bits(tensor.handle) for tensor in tensors)
        return self.generic_reduce(tensors) if bits else apply(self, tensors)

    return apply_impl


def _bits_scanned(scan: Callable[..., Any]) -> Callable[..., Any]:
    def scanned(self: Any, tensor: Any) -> Any:
        return self.generic_scan((tensor,)) if is_bits(tensor.handle) else scan(self, tensor)

    return scanned


def _min_max(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let NaN count as the smallest, and return index 0 for nothing but NaN.

    A compiled kernel returns some index there; numpy's own functions raise an error.
    """

    def min_max(self: Any, operand: Any, val_reduce_op: Any, idx_reduce_op: Any = None) -> Any:
        # The operand is a tensor of values, or (values, indices).
        values = cast(Any, operand[0] if isinstance(operand, tuple) else operand)
        if idx_reduce_op is None or values.handle.data.dtype.kind != "f":
            return method(self, operand, val_reduce_op, idx_reduce_op)
        largest = idx_reduce_op in (np.argmax, np.nanargmax)
        value_of: Any = np.nanmax if largest else np.nanmin
        place_of: Any = np.nanargmax if largest else np.nanargmin

        def place(data: Numbers, *, axis: int | None, keepdims: bool) -> Numbers:
            nothing = np.isnan(data).all(axis=axis, keepdims=True)
            return place_of(np.where(nothing, 0, data), axis=axis, keepdims=keepdims)

        return method(self, operand, val_reduce_op and value_of, place)

    return min_max
