"""Operations that Triton's interpreter lacks or gets wrong in some of the versions 3.6 to 3.9.

Each has one meaning here in all versions, that of a compiled kernel.
"""

import importlib
import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.worker.triton_float_bits import decode, encode, floats
from hotloop.worker.triton_modules import NotInterpreted, interpreter, language

Numbers = NDArray[Any]


def correct(builder: Any) -> None:
    """Replace operations of the interpreter's builder class, its atomics and libdevice."""
    builder.create_minnumf = _elementwise_of_two(np.fmin)
    builder.create_maxnumf = _elementwise_of_two(np.fmax)
    builder.create_clampf = _clamp
    builder.create_fma = _fused(builder.create_fma)
    builder.create_ashr = _shift_right
    builder.create_umulhi = _high_half
    builder.create_histogram = _histogram
    builder.create_dot_scaled = _dot_scaled
    builder.create_extern_elementwise = _library_call
    builder.create_inline_asm = _inline_assembly
    builder.__getattr__ = _missing
    builder.binary_op = _int1_wraps(builder.binary_op)
    builder.create_splat = _splat_of_int1(builder.create_splat)
    triton = interpreter()
    triton._interpreter = Native(triton._interpreter)
    options = triton.interpreter_builder.options
    # Only checks with `debug`, which is off, would tell what it computes for each addition. A
    # product is exact to float32 here in each way in which an NVIDIA GPU may compute it.
    triton.interpreter_builder.options = replace(
        options,
        sanitize_overflow=False,
        allowed_dot_input_precisions=(*options.allowed_dot_input_precisions, "bf16x3", "bf16x6"),
    )
    _correct_libdevice()
    _correct_autotuning()
    _correct_dot_scaled_formats()


class Native:
    """The interpreter's native module, with the atomic operations that it lacks."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def atomic_rmw(self, operation: Any, pointers: Any, value: Any, mask: Any, order: Any) -> Any:
        """Also exchange floats, and add bfloat16, which comes as uint16; returns the old values."""
        kinds = self._native.RMW_OP
        if operation == kinds.XCHG and value.dtype.kind == "f":
            bits = value.view(f"u{value.dtype.itemsize}")
            old = self._native.atomic_rmw(operation, pointers, bits, mask, order)
            return old.view(value.dtype)
        if operation == kinds.FADD and value.dtype == np.uint16:
            return self._add_bfloat16(pointers, value, mask)
        return self._native.atomic_rmw(operation, pointers, value, mask, order)

    def _add_bfloat16(self, pointers: Numbers, value: Numbers, mask: Numbers) -> Numbers:
        """Add one lane after the other, as two lanes may have one address."""
        pointers, value, mask = np.broadcast_arrays(pointers, value, mask)
        old = np.zeros(value.shape, np.uint16)
        yes = np.ones(1, np.bool_)
        for lane in zip(*np.nonzero(mask), strict=True):
            place = pointers[lane].reshape(1)
            before = self._native.load(place, yes, np.zeros(1, np.uint16), np.dtype(np.uint16))
            total = decode(before, "bf16") + decode(value[lane].reshape(1), "bf16")
            self._native.store(place, encode(total, "bf16"), yes)
            old[lane] = before[0]
        return old


def _handle(data: Numbers, dtype: Any) -> Any:
    return interpreter().TensorHandle(data, dtype.scalar)


def _elementwise_of_two(function: Callable[..., Numbers]) -> Callable[..., Any]:
    def operate(_self: Any, left: Any, right: Any) -> Any:
        return _handle(function(left.data, right.data), left.dtype)

    return operate


def _clamp(_self: Any, value: Any, low: Any, high: Any, propagate_nan: Any) -> Any:
    if "NONE" in str(propagate_nan):
        data = np.fmin(np.fmax(value.data, low.data), high.data)
    else:
        data = np.minimum(np.maximum(value.data, low.data), high.data)
    return _handle(data, value.dtype)


def _fused(method: Callable[..., Any]) -> Callable[..., Any]:
    """Round once. Native code exists since 3.8; else float64 holds the product of two float32."""
    if hasattr(interpreter()._interpreter, "fma_fp32"):
        return method

    def fma(_self: Any, x: Any, y: Any, z: Any) -> Any:
        total = x.data.astype(np.float64) * y.data + z.data
        return _handle(total.astype(z.data.dtype), z.dtype)

    return fma


def _shift_right(_self: Any, left: Any, right: Any) -> Any:
    """Shift in copies of the sign; the operand keeps its type."""
    signed = left.data.view(f"i{left.data.dtype.itemsize}")
    return _handle((signed >> right.data.astype(signed.dtype)).view(left.data.dtype), left.dtype)


def _high_half(_self: Any, left: Any, right: Any) -> Any:
    """Return the upper half of the product of the bits as unsigned numbers."""
    dtype, bits = left.data.dtype, 8 * left.data.dtype.itemsize
    wide = object if bits == 64 else np.uint64
    both = [np.atleast_1d(h.data).view(f"u{dtype.itemsize}").astype(wide) for h in (left, right)]
    high = ((both[0] * both[1]) >> bits).astype(f"u{dtype.itemsize}").view(dtype)
    return _handle(high.reshape(np.broadcast_shapes(left.data.shape, right.data.shape)), left.dtype)


def _histogram(_self: Any, data: Any, bins: int, mask: Any) -> Any:
    """Count; a masked element, and one outside of the bins, counts nowhere."""
    values = data.data.reshape(-1).astype(np.int64)
    inside = (values >= 0) & (values < bins)
    if mask is not None:
        inside &= mask.data.reshape(-1)
    counts = np.bincount(values[inside], minlength=bins)
    return _handle(counts.astype(np.int32), language().int32)


def _int1_wraps(method: Callable[..., Any]) -> Callable[..., Any]:
    """An int1 is an integer of one bit: 1 + 1 = 0."""

    def binary_op(self: Any, left: Any, right: Any, operation: Any) -> Any:
        if left.data.dtype == np.bool_ and right.data.dtype == np.bool_:
            bits = operation(left.data.astype(np.int8), right.data.astype(np.int8)) & 1
            return _handle(bits.astype(np.bool_), left.dtype)
        return method(self, left, right, operation)

    return binary_op


def _splat_of_int1(method: Callable[..., Any]) -> Callable[..., Any]:
    """Have a block of a comparison's result hold booleans, where it has the operands' type.

    So `mask=page < pages`, with one number on each side, is a mask.
    """

    def create_splat(self: Any, block: Any, value: Any) -> Any:
        splat = method(self, block, value)
        if value.data.dtype == np.bool_:
            return _handle(splat.data.astype(np.bool_), language().int1)
        return splat

    return create_splat


# --- tl.dot_scaled ------------------------------------------------------------------------------

_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
"""The values of the 4-bit type of tl.dot_scaled, by their bits."""

_SCALE_BIAS = 127


def _dot_scaled(
    _self: Any, a: Any, a_scale: Any, a_format: Any, b: Any, b_scale: Any, b_format: Any,
    _fast_math: Any, a_packs_k: bool, b_packs_k: bool, accumulator: Any,
) -> Any:  # fmt: skip
    left = _scaled(a, a_scale, a_format, axis=-1 if a_packs_k else -2)
    # b's scales lie transposed, so b is scaled as its transpose.
    transposed = _handle(np.swapaxes(b.data, -1, -2), b.dtype)
    right = _scaled(transposed, b_scale, b_format, axis=-1 if b_packs_k else -2)
    product = np.matmul(left, np.swapaxes(right, -1, -2)).astype(np.float32)
    return _handle(product + accumulator.data, language().float32)


def _scaled(operand: Any, scale: Any, form: Any, *, axis: int) -> Numbers:
    """Return the values of [rows, k] times the scale of each group along k."""
    values = _unpacked(operand.data, axis) if "E2M1" in str(form) else floats(operand).data
    values = values.astype(np.float32)
    if scale is None:
        return values
    powers = scale.data.view(np.uint8)
    factors = np.ldexp(np.float64(1), powers.astype(np.int32) - _SCALE_BIAS)
    factors = np.where(powers == 255, np.nan, factors).astype(np.float32)
    if not scale.dtype.is_int():
        factors = floats(scale).data
    return values * np.repeat(factors, values.shape[-1] // factors.shape[-1], axis=-1)


def _unpacked(data: Numbers, axis: int) -> Numbers:
    """Return the values of two 4-bit numbers a byte, the low half first, along the axis."""
    data = np.moveaxis(data.view(np.uint8), axis, -1)
    values = np.stack([_E2M1[data & 15], _E2M1[data >> 4]], axis=-1)
    return np.moveaxis(values.reshape(*data.shape[:-1], -1), -1, axis)


def _correct_dot_scaled_formats() -> None:
    """Up to 3.7, Triton reads the formats as constexprs, and the interpreter passes texts."""
    semantic = importlib.import_module("triton.language.semantic").TritonSemantic
    if "lhs_format.value" not in inspect.getsource(semantic.dot_scaled):
        return
    original, tl = semantic.dot_scaled, language()

    def dot_scaled(
        self: Any, a: Any, a_scale: Any, a_format: Any, b: Any, b_scale: Any, b_format: Any,
        *options: Any,
    ) -> Any:  # fmt: skip
        formats = [
            f if isinstance(f, tl.constexpr) else tl.constexpr(f) for f in (a_format, b_format)
        ]
        return original(self, a, a_scale, formats[0], b, b_scale, formats[1], *options)

    semantic.dot_scaled = dot_scaled


# --- libdevice, inline assembly, autotuning -----------------------------------------------------


@cache
def _functions_of_libdevice() -> dict[str, Callable[..., Any]]:
    """Return functions on float64 by the symbol in libdevice, without `__nv_` and a final `f`."""
    same = (
        "cbrt ceil copysign cos cosh exp exp2 expm1 floor fmod hypot isinf isnan log log10 log1p "
    )
    same += "log2 rint signbit sin sinh sqrt tan tanh trunc"
    named: dict[str, str] = {name: name for name in same.split()}
    for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
        named[f"a{name}"] = f"arc{name}"
    for name in ("sin", "cos", "tan", "tanh", "exp", "log", "log2", "log10"):
        named[f"fast_{name}"] = name
    named |= {
        "abs": "abs", "fabs": "abs", "atan2": "arctan2", "pow": "power", "powi": "power",
        "fast_pow": "power",
        "nearbyint": "rint", "fast_fdivide": "divide", "fadd_rn": "add", "fsub_rn": "subtract",
        "fmul_rn": "multiply", "fdiv_rn": "divide", "ddiv_rn": "divide", "frcp_rn": "reciprocal",
        "fsqrt_rn": "sqrt", "dsqrt_rn": "sqrt", "finite": "isfinite", "isfinited": "isfinite",
        "isinfd": "isinf", "isnand": "isnan", "signbitd": "signbit",
    }  # fmt: skip
    functions: dict[str, Callable[..., Numbers]] = {
        symbol: getattr(np, name) for symbol, name in named.items()
    }
    for name in ("erf", "erfc"):
        functions[name] = np.vectorize(getattr(math, name), otypes=[np.float64])
    functions |= {
        "lgamma": np.vectorize(_log_gamma, otypes=[np.float64]),
        "tgamma": np.vectorize(_gamma, otypes=[np.float64]),
        "fdim": _positive_difference,
        "round": _round_half_away,
    }
    of_one: dict[str, Callable[[Numbers], Numbers]] = {
        "cospi": lambda x: np.cos(np.pi * np.fmod(x, 2)),
        "exp10": lambda x: np.power(10.0, x),
        "frsqrt_rn": lambda x: 1 / np.sqrt(x),
        "rcbrt": lambda x: 1 / np.cbrt(x),
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "saturate": lambda x: np.where(x > 0, np.minimum(x, 1.0), 0.0),
        "sinpi": lambda x: np.sin(np.pi * np.fmod(x, 2)),
    }
    return functions | of_one


def _positive_difference(x: Numbers, y: Numbers) -> Numbers:
    return np.where(x <= y, 0.0, x - y)


def _round_half_away(values: Numbers) -> Numbers:
    whole = np.trunc(values)
    return whole + np.copysign(np.abs(values - whole) >= 0.5, values)


def _log_gamma(value: float) -> float:
    """At its poles, and beyond float64, infinite: Python raises there."""
    try:
        return math.lgamma(value)
    except (ValueError, OverflowError):
        return math.inf


def _gamma(value: float) -> float:
    """Infinite at 0 and beyond float64, NaN at negative whole numbers: Python raises there."""
    try:
        return math.gamma(value)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan if value else math.copysign(math.inf, value)


def libdevice(symbol: str) -> Callable[..., Numbers] | None:
    """Return the function on float64 for a symbol without `__nv_`; None if it is not known."""
    functions = _functions_of_libdevice()
    return functions.get(symbol) or functions.get(symbol.removesuffix("f"))


def _library_call(
    _self: Any, _name: str, _path: str, symbol: str, operands: list[Any], result: Any, _pure: Any
) -> Any:
    function = libdevice(symbol.removeprefix("__nv_"))
    if function is None:
        raise NotInterpreted(f"libdevice's {symbol}", "Write it with tl's own functions.")
    values = function(*(floats(one).data.astype(np.float64) for one in operands))
    return _handle(values.astype(interpreter()._get_np_dtype(result.scalar)), result)


def _correct_libdevice() -> None:
    """Let both forms of importing libdevice give functions that a kernel can call here."""
    general = importlib.import_module("triton.language.extra.libdevice")
    cuda = importlib.import_module("triton.language.extra.cuda.libdevice")
    for name, function in inspect.getmembers(cuda, language().core.is_builtin):
        call = _with_semantic(function)
        setattr(cuda, name, call)
        setattr(general, name, call)


def _with_semantic(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*operands: Any, **_options: Any) -> Any:
        return function(*operands, _semantic=interpreter().interpreter_semantic)

    return call


def _inline_assembly(*_args: Any) -> Any:
    raise NotInterpreted("tl.inline_asm_elementwise", "Write it with tl's own functions.")


def _missing(_self: Any, name: str) -> Any:
    """Answer for an attribute that the builder lacks."""
    if name.startswith("create_"):
        operation = name.removeprefix("create_")
        raise NotInterpreted(f"`{operation}`", "Write it with other functions of tl.")
    raise AttributeError(name)


def _correct_autotuning() -> None:
    """Take the first of the configurations that are left, since there is no GPU to time them on."""
    tuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    tuner.do_bench = staticmethod(_equally_fast)


def _equally_fast(_kernel_call: Any, quantiles: Any = None) -> list[float]:
    return [0.0] * len(quantiles or (1,))
