"""Element types of judged tensors, and their conversion from and to float64 in numpy.

bfloat16 has no numpy type and is stored as its 16 bits, so that the judge needs only numpy.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class DType:
    """An element type.

    name: as in messages, such as `fp32`.
    storage: numpy type of the raw elements.
    unit_roundoff: half the distance from 1 to the next number; 0 for exact types.
    smallest: smallest positive (subnormal) number; 0 for exact types.
    smallest_normal: smallest positive number of full precision, below which hardware and math
        libraries may flush to zero; 0 for exact types.
    """

    name: str
    storage: np.dtype[Any]
    unit_roundoff: float = 0.0
    smallest: float = 0.0
    smallest_normal: float = 0.0

    @property
    def bytes(self) -> int:
        """Bytes of one element."""
        return self.storage.itemsize

    @property
    def torch_name(self) -> str:
        """The name in PyTorch and numpy, such as `float32`."""
        return {"u8": "uint8", "bf16": "bfloat16", "bool": "bool"}.get(
            self.name, f"{'float' if self.floating else 'int'}{8 * self.bytes}"
        )

    @property
    def floating(self) -> bool:
        """True for floating-point types."""
        return self.unit_roundoff > 0


FP64 = DType("fp64", np.dtype(np.float64), 2.0**-53, 2.0**-1074, 2.0**-1022)
"""`float64`, 8 bytes."""

FP32 = DType("fp32", np.dtype(np.float32), 2.0**-24, 2.0**-149, 2.0**-126)
"""`float32`, 4 bytes; also what `case` makes of float64 values."""

FP16 = DType("fp16", np.dtype(np.float16), 2.0**-11, 2.0**-24, 2.0**-14)
"""`float16`, 2 bytes."""

BF16 = DType("bf16", np.dtype(np.uint16), 2.0**-8, 2.0**-133, 2.0**-126)
"""`bfloat16`, 2 bytes; the judge holds its bits in uint16."""

I64 = DType("i64", np.dtype(np.int64))
"""`int64`, 8 bytes."""

I32 = DType("i32", np.dtype(np.int32))
"""`int32`, 4 bytes."""

U8 = DType("u8", np.dtype(np.uint8))
"""`uint8`, 1 byte."""

BOOL = DType("bool", np.dtype(np.bool_))
"""`bool`, 1 byte; for masks."""


def to_storage(values: Array, dtype: DType) -> Array:
    """Round `values` to nearest even; return raw elements of `dtype`, same shape."""
    if dtype is BF16:
        return _to_bf16(values)
    with np.errstate(over="ignore"):
        return values.astype(dtype.storage)


def to_float64(raw: Array, dtype: DType) -> NDArray[np.float64]:
    """Return the exact values of raw elements as float64; same shape."""
    if dtype is BF16:
        return (raw.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return raw.astype(np.float64)


def _to_bf16(values: Array) -> Array:
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet_nan = (bits >> 16) | 0x40
    return np.where(np.isnan(values), quiet_nan, rounded).astype(np.uint16)


def poison(size: int, dtype: DType, pattern: int) -> Array:
    """Return `size` elements that no correct answer contains.

    Floats are NaNs with `pattern` as payload; exact types repeat its low bits.
    """
    if dtype.storage == np.dtype(np.bool_):
        return np.full(size, 0x80 | pattern & 0x7E, np.uint8).view(np.bool_)
    bits = {8: np.uint64, 4: np.uint32, 2: np.uint16, 1: np.uint8}[dtype.bytes]
    quiet_nan = {"fp64": 0x7FF8 << 48, "fp32": 0x7FC0 << 16, "fp16": 0x7E00, "bf16": 0x7FC0}
    payload = {"fp64": (1 << 48) - 1, "fp32": (1 << 21) - 1, "fp16": 0xFF, "bf16": 0x3F}
    mask = payload.get(dtype.name, (1 << (8 * dtype.bytes)) - 1)
    word = quiet_nan.get(dtype.name, 0) | (pattern & mask)
    return np.full(size, word, bits).view(dtype.storage)
