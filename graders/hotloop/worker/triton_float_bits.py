"""bfloat16 and float8 in Triton's interpreter: their values, rounding, arithmetic, conversions.

numpy has none of these types, so the interpreter keeps their bits in unsigned integers and, as
installed, calculates with the integers. Here each operation converts to float32, calculates, and
rounds its result to the nearest, ties to even, as the hardware does for each operation.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotloop.worker.triton_modules import interpreter, language

Floats = NDArray[np.float32]


class Format(NamedTuple):
    """A float8 type. kind: "ieee"; "fn", without infinities; "fnuz", also without negative zero."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    kind: str


FLOAT8 = {
    "fp8e5": Format(5, 2, 15, "ieee"),
    "fp8e4nv": Format(4, 3, 7, "fn"),
    "fp8e4b15": Format(4, 3, 15, "fn"),
    "fp8e4b8": Format(4, 3, 8, "fnuz"),
    "fp8e5b16": Format(5, 2, 16, "fnuz"),
}
"""By Triton's name. On a GPU they can be loaded, stored, converted and multiplied by tl.dot."""

ARITHMETIC = (
    "fadd fsub fmul fdiv frem fneg precise_divf approx_divf minimumf minnumf maximumf maxnumf "
    "clampf fma cos exp exp2 floor ceil log log2 precise_sqrt sqrt sin erf rsqrt"
)
"""Operations of the builder (`create_` and this name) whose result has the operands' type."""

COMPARISONS = (
    "fcmpOLT fcmpOGT fcmpOLE fcmpOGE fcmpOEQ fcmpONE "
    "fcmpULT fcmpUGT fcmpULE fcmpUGE fcmpUEQ fcmpUNE"
)

_BFLOAT16_NAN = 0x7FC0


def is_bits(handle: Any) -> bool:
    """Return True if this handle's numbers are the bits of a type that numpy lacks."""
    return getattr(getattr(handle, "dtype", None), "name", "") in _names()


def decode(bits: NDArray[Any], name: str) -> Floats:
    """Return the values of bits of the type with this name in Triton; float32, same shape."""
    if name == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return _values(name)[bits]


def encode(values: Any, name: str, *, towards_zero: bool = False) -> NDArray[Any]:
    """Round to bfloat16 or float8 and return the bits: uint16 or uint8, same shape.

    float8 saturates: a finite number that is too large becomes the largest one, as in the
    conversions of NVIDIA's GPUs.
    """
    numbers = np.asarray(values).astype(np.float32)
    if name == "bf16":
        return _bfloat16_bits(numbers, towards_zero=towards_zero)
    return _float8_bits(numbers, name, towards_zero=towards_zero)


def floats(handle: Any) -> Any:
    """Return the handle with its numbers in float32 if it holds bits, else the handle itself."""
    if not is_bits(handle):
        return handle
    return interpreter().TensorHandle(decode(handle.data, handle.dtype.name), language().float32)


def refuse_float8(*handles: Any) -> None:
    """Raise TypeError, as the compiler does, if an operand is of a float8 type."""
    for handle in handles:
        name = getattr(getattr(handle, "dtype", None), "name", "")
        if name in FLOAT8:
            raise TypeError(
                f"Triton does not compile arithmetic or comparisons in {name}: convert first, "
                "with .to(tl.float16) or .to(tl.float32)"
            )


def correct(builder: Any) -> None:
    """Replace the arithmetic and the conversions of the interpreter's builder class."""
    for names, corrected in ((ARITHMETIC, _arithmetic), (COMPARISONS, _comparison)):
        for name in names.split():
            method = getattr(builder, f"create_{name}", None)
            if method is not None:
                setattr(builder, f"create_{name}", corrected(method))
    builder.create_dot = _dot(builder.create_dot)
    builder.cast_impl = _conversion(builder.cast_impl)
    builder.create_fp_to_fp = _rounding
    builder.get_bf16 = _constant


@cache
def _names() -> frozenset[str]:
    return frozenset(FLOAT8) | {"bf16"}


def _arithmetic(method: Callable[..., Any]) -> Callable[..., Any]:
    def calculate(self: Any, *operands: Any) -> Any:
        bits = next((operand for operand in operands if is_bits(operand)), None)
        if bits is None:
            return method(self, *operands)
        refuse_float8(*operands)
        result = method(self, *map(floats, operands))
        return _handle(result.data, bits.dtype)

    return calculate


def _comparison(method: Callable[..., Any]) -> Callable[..., Any]:
    def compare(self: Any, left: Any, right: Any) -> Any:
        refuse_float8(left, right)
        return method(self, floats(left), floats(right))

    return compare


def _dot(method: Callable[..., Any]) -> Callable[..., Any]:
    def dot(self: Any, a: Any, b: Any, accumulator: Any, *options: Any) -> Any:
        return method(self, floats(a), floats(b), accumulator, *options)

    return dot


def _conversion(method: Callable[..., Any]) -> Callable[..., Any]:
    def cast(self: Any, source: Any, target: Any) -> Any:
        if is_bits(source) or target.scalar.name in _names():
            return _rounding(self, source, target, None)
        return method(self, source, target)

    return cast


def _rounding(_self: Any, source: Any, target: Any, mode: Any) -> Any:
    """Convert to another type; `mode` is Triton's, None rounds to the nearest."""
    towards_zero = str(mode).endswith("RTZ")
    values, dtype = floats(source).data, target.scalar
    if source.dtype.name in FLOAT8 and dtype.name in FLOAT8:
        raise TypeError(
            f"Triton does not compile a conversion from {source.dtype.name} to {dtype.name}: "
            "convert to tl.float16 first"
        )
    if dtype.name in _names():
        bits = encode(values, dtype.name, towards_zero=towards_zero)
        return interpreter().TensorHandle(bits, dtype)
    numpy_type = interpreter()._get_np_dtype(dtype)
    rounded: Any = values.astype(numpy_type)
    if towards_zero and numpy_type.kind == "f":
        too_far = np.abs(rounded.astype(values.dtype)) > np.abs(values)
        np.copyto(rounded, np.nextafter(rounded, numpy_type.type(0)), where=too_far)
    return interpreter().TensorHandle(rounded, dtype)


def _constant(_self: Any, value: float) -> Any:
    return _handle(np.array([value], np.float32), language().bfloat16)


def _handle(values: NDArray[Any], dtype: Any) -> Any:
    return interpreter().TensorHandle(encode(values, dtype.name), dtype.scalar)


def _bfloat16_bits(numbers: Floats, *, towards_zero: bool) -> NDArray[np.uint16]:
    bits = numbers.view(np.uint32)
    half = np.uint32(0) if towards_zero else np.uint32(0x7FFF) + ((bits >> 16) & 1)
    return np.where(np.isnan(numbers), _BFLOAT16_NAN, (bits + half) >> 16).astype(np.uint16)


def _float8_bits(numbers: Floats, name: str, *, towards_zero: bool) -> NDArray[np.uint8]:
    kind = FLOAT8[name].kind
    positive = _values(name)[:128].astype(np.float64)
    steps = positive[np.isfinite(positive)]  # step number i has the bits i
    size = np.abs(numbers).astype(np.float64)
    above = np.clip(np.searchsorted(steps, size), 0, len(steps) - 1)
    below = np.maximum(above - 1, 0)
    up, down = steps[above] - size, size - steps[below]
    lower = (up > 0) if towards_zero else (down < up) | ((down == up) & (below % 2 == 0))
    bits = np.where(lower & (size < steps[-1]), below, above)
    bits = np.where((bits == 0) & (kind == "fnuz"), 0, bits | np.where(np.signbit(numbers), 128, 0))
    if kind == "ieee":
        bits = np.where(np.isinf(numbers), np.where(numbers > 0, 0x7C, 0xFC), bits)
    return np.where(np.isnan(numbers), 0x80 if kind == "fnuz" else 0x7F, bits).astype(np.uint8)


@cache
def _values(name: str) -> Floats:
    """Return the 256 values of a float8 type, by their bits."""
    form, bits = FLOAT8[name], np.arange(256)
    top = (1 << form.exponent_bits) - 1
    exponent = (bits >> form.mantissa_bits) & top
    fraction = (bits % (1 << form.mantissa_bits)) / (1 << form.mantissa_bits)
    subnormal = fraction * 2.0 ** (1 - form.bias)
    values = np.where(exponent == 0, subnormal, (1 + fraction) * 2.0 ** (exponent - form.bias))
    if form.kind == "ieee":
        values = np.where(exponent == top, np.where(fraction == 0, np.inf, np.nan), values)
    elif form.kind == "fn":
        values = np.where(bits % 128 == 127, np.nan, values)
    values = np.where(bits >= 128, -values, values)
    if form.kind == "fnuz":
        values[128] = np.nan
    return values.astype(np.float32)
