"""A table of Triton's operations and types, each with the right result, and a program that runs it.

`python triton_operations.py FOLDER` runs all of it in Triton's interpreter, as corrected, and
prints as JSON what differs, by operation and type: an empty text if nothing does. The right result
is PyTorch's in float64, rounded to the type. Kernels are written into FOLDER, because Triton reads
their source.
"""

# ruff: noqa: E501 - one operation a line
import functools
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch

SIZE = 256
"""Elements of the inputs `a` and `b`; `m` and `n` are the same as blocks of 16 by 16."""

FLOAT8 = {"fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn}
NARROW = {"fp16": torch.float16, "bf16": torch.bfloat16}
FLOATS = {"fp32": torch.float32, **NARROW}
INTEGERS = {"i8": torch.int8, "i32": torch.int32, "i64": torch.int64}
DTYPES = {**FLOATS, **FLOAT8, **INTEGERS}
LONGEST = {"fp8e5": 57344.0, "fp8e4nv": 448.0}

F, N, F8 = tuple(FLOATS), tuple(INTEGERS), tuple(FLOAT8)
ALL = F + N

Truth = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Operation:
    """An operation, and what is right.

    body: statements of a kernel that compute `r`. truth: its result of `a` and `b`, in float64 or
    int64, or a pair of that and of the size that errors are relative to, if that is another. types:
    in which it is right. refused: in which it raises an error, as the compiler does. out: type of
    the result, if it is another than that of the inputs. ulps: most units in the last place of a
    difference.
    """

    body: str
    truth: Truth
    types: tuple[str, ...] = ALL
    refused: tuple[str, ...] = ()
    out: str = ""
    ulps: float = 0.5


def expression(text: str, truth: Truth, types: tuple[str, ...] = ALL, **more: Any) -> Operation:
    """An operation that is one expression. It is refused in float8 if it is right in floats."""
    refused = F8 if "fp32" in types else ()
    return Operation(f"r = {text}", truth, types, more.pop("refused", refused), **more)


def _rows(a: Any) -> Any:
    return a.reshape(16, 16)


def _reduced(text: str, truth: Callable[[Any], Any], **more: Any) -> Operation:
    return expression(text, lambda a, _b: truth(_rows(a)), **more)


def _summed(text: str, truth: Callable[[Any], Any], **more: Any) -> Operation:
    sums: Truth = lambda a, _b: (truth(_rows(a)), _rows(a.abs()).sum(1))  # noqa: E731
    return expression(text, sums, ulps=8, **more)


def _scanned(text: str, truth: Callable[[Any], Any], **more: Any) -> Operation:
    sums: Truth = lambda a, _b: (truth(a), a.abs().sum())  # noqa: E731
    return expression(text, sums, ulps=8, **more)


def _product(a: Any, b: Any, more: float = 0) -> Any:
    return (a @ b + more).reshape(-1), (a.abs() @ b.abs()).reshape(-1)


def _to(name: str) -> tuple[str, ...]:
    """The types that Triton converts to this one: float8 only to and from the larger floats."""
    types = F if name in F8 else (*F, "i8", "i32") if name in N else (*F, *F8, "i8", "i32")
    return tuple(t for t in types if t != name)


def _trunc(a: Any, b: Any) -> Any:
    return torch.div(a, b, rounding_mode="trunc")


def _atomic(name: str, truth: Truth, types: tuple[str, ...], **more: Any) -> Operation:
    """Four lanes at one address, which holds zero; `r` is what is there afterwards."""
    body = (
        f"tl.atomic_{name}(scratch + o // 4, a)\ntl.debug_barrier()\nr = tl.load(scratch + o // 4)"
    )
    return Operation(body, truth, types, **more)


def _fours(a: Any, reduce: Callable[[Any], Any]) -> Any:
    """Each four's result with the zero that was there, once for each of its lanes."""
    groups = torch.cat([a.reshape(-1, 4), torch.zeros(len(a) // 4, 1, dtype=a.dtype)], 1)
    return reduce(groups).repeat_interleave(4)


def _joined(join: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    return lambda groups: functools.reduce(join, groups.unbind(1))


AT = torch.arange(SIZE)
ROW, COLUMN = AT // 16, AT % 16

OPERATIONS: dict[str, Operation] = {
    # arithmetic
    "add": expression("a + b", lambda a, b: a + b),
    "subtract": expression("a - b", lambda a, b: a - b),
    "multiply": expression("a * b", lambda a, b: a * b),
    "divide": expression("a / b", lambda a, b: a / b, F, refused=(), ulps=1),
    "negative": expression("-a", lambda a, _b: -a),
    "abs": expression("tl.abs(a)", lambda a, _b: a.abs(), refused=()),
    "maximum": expression("tl.maximum(a, b)", torch.maximum),
    "minimum": expression("tl.minimum(a, b)", torch.minimum),
    "less": expression("(a < b)", lambda a, b: a < b, out="i8"),
    "equal": expression("(a == b)", lambda a, b: a == b, out="i8"),
    "not equal": expression("(a != b)", lambda a, b: a != b, out="i8"),
    "where": expression("tl.where(a > b, a, b)", torch.maximum),
    "times a number": expression("a * 2.0", lambda a, _b: a * 2, F),
    "plus one": expression("a + 1", lambda a, _b: a + 1),
    "one minus": expression("1 - a", lambda a, _b: 1 - a),
    "clamp": expression("tl.clamp(a, -1.0, 1.0)", lambda a, _b: a.clamp(-1, 1), F, refused=()),
    "fma": expression("tl.fma(a, b, a)", lambda a, b: a * b + a, F, ulps=1),
    "div_rn": expression("tl.div_rn(a, b)", lambda a, b: a / b, ("fp32",), refused=()),
    "with float32": expression("a * 0.5 + b.to(tl.float32)", lambda a, b: a * 0.5 + b, F, out="fp32", refused=(), ulps=1),
    "floor division": expression("a // b", _trunc, N),
    "remainder": expression("a % b", torch.fmod, N),
    "and": expression("a & b", lambda a, b: a & b, N),
    "or": expression("a | b", lambda a, b: a | b, N),
    "xor": expression("a ^ b", lambda a, b: a ^ b, N),
    "invert": expression("~a", lambda a, _b: ~a, N),
    "shift right": expression("a >> 1", lambda a, _b: a >> 1, N),
    "shift left": expression("a << 1", lambda a, _b: a << 1, N),
    "umulhi": expression("tl.umulhi(a, b)", lambda a, b: ((a & 0xFFFFFFFF) * (b & 0xFFFFFFFF)) >> 32, ("i32",)),
    "int8 that wraps": Operation("r = (o.to(tl.int8) + o.to(tl.int8)).to(tl.int32)", lambda _a, _b: (AT * 2).to(torch.int8).long(), ("i32",)),
    "int1 that wraps": Operation("r = ((a > 0) + (b > 0)).to(tl.int32)", lambda a, b: (a > 0) ^ (b > 0), ("i32",)),
    # functions, in float32
    **{
        name: expression(f"tl.{name}({'tl.abs(a)' if name in ('log', 'log2', 'sqrt', 'rsqrt') else 'a'})",
            lambda a, _b, of=function: of(a.abs() if of in (torch.log, torch.log2, torch.sqrt, torch.rsqrt) else a),
            ("fp32",), refused=(), ulps=4)
        for name, function in {"exp": torch.exp, "exp2": torch.exp2, "log": torch.log, "log2": torch.log2, "sqrt": torch.sqrt,
            "rsqrt": torch.rsqrt, "sin": torch.sin, "cos": torch.cos, "erf": torch.erf, "floor": torch.floor, "ceil": torch.ceil,
            "sigmoid": torch.sigmoid}.items()
    },
    "libdevice": expression("libdevice.tanh(a) * cuda_libdevice.rsqrt(tl.abs(b))", lambda a, b: a.tanh() * b.abs().rsqrt(), ("fp32",), refused=(), ulps=4),
    "libdevice that tells": expression("libdevice.isnan(tl.where(a > 0, float('nan'), a))", lambda a, _b: a > 0, ("fp32",), refused=(), out="i8"),
    "a function imported by name": expression("rsqrt(tl.abs(a)) + exp_of_math(b)", lambda a, b: a.abs().rsqrt() + b.exp(), ("fp32",), refused=(), ulps=4),
    # NaN
    "maximum with NaN": expression("tl.maximum(tl.where(o % 2 == 0, float('nan'), a), b)", lambda a, b: torch.where(AT % 2 == 0, b, torch.maximum(a, b)), ("fp32",), refused=()),
    "maximum that keeps NaN": expression("tl.maximum(tl.where(o % 2 == 0, float('nan'), a), b, propagate_nan=tl.PropagateNan.ALL)", lambda a, b: torch.where(AT % 2 == 0, torch.nan, torch.maximum(a, b)), ("fp32",), refused=()),
    "clamp of NaN": expression("tl.clamp(tl.where(o % 2 == 0, float('nan'), a), -1.0, 1.0)", lambda a, _b: torch.where(AT % 2 == 0, -1.0, a.clamp(-1, 1)), ("fp32",), refused=()),
    "argmax of nothing but NaN": Operation("v = tl.where(r16 < 8, float('nan'), m)\nr = (tl.argmax(v, axis=1) < 16).to(tl.int32)", lambda _a, _b: torch.ones(16), ("fp32",), out="i32"),
    # the order of elements
    "flip": expression("tl.flip(a, 0)", lambda a, _b: a.flip(0), ALL + F8, refused=()),
    "sort": expression("tl.sort(a)", lambda a, _b: a.sort()[0]),
    "sort, descending": expression("tl.sort(a, descending=True)", lambda a, _b: a.sort(descending=True)[0]),
    "gather": expression("tl.gather(a, 255 - o, 0)", lambda a, _b: a.flip(0), ALL, refused=()),
    "trans": expression("tl.reshape(tl.trans(m), (256,))", lambda a, _b: _rows(a).T.reshape(-1), ALL + F8, refused=()),
    "join and split": Operation("c, d = tl.split(tl.join(a, b))\nr = d", lambda _a, b: b, ALL + F8),
    "interleave": Operation("c, d = tl.split(tl.reshape(tl.interleave(a, b), (256, 2)))\nr = d", lambda _a, b: b, ALL),
    # reductions
    "sum": _summed("tl.sum(m, axis=1)", lambda m: m.sum(1), types=("fp32", "bf16", "fp16", "i32", "i64")),
    "sum of everything": Operation("r = tl.sum(a) + tl.zeros((16,), a.dtype)", lambda a, _b: (a.sum().expand(16), a.abs().sum()), ("fp32", "bf16", "fp16", "i32", "i64"), F8, ulps=16),
    "max": _reduced("tl.max(m, axis=1)", lambda m: m.amax(1), types=ALL + F8, refused=()),
    "min": _reduced("tl.min(m, axis=1)", lambda m: m.amin(1), types=ALL + F8, refused=()),
    "max, kept": Operation("r = tl.reshape(tl.max(m, axis=1, keep_dims=True), (16,))", lambda a, _b: _rows(a).amax(1), ALL),
    "argmax": _reduced("tl.argmax(m, axis=1)", lambda m: m.argmax(1), out="i32"),
    "argmin": _reduced("tl.argmin(m, axis=1)", lambda m: m.argmin(1), out="i32"),
    "max with its index": Operation("v, r = tl.max(m, axis=1, return_indices=True)", lambda a, _b: _rows(a).argmax(1), ALL, F8, out="i32"),
    "xor_sum": _reduced("tl.xor_sum(m, axis=1)", _joined(torch.bitwise_xor), types=("i32", "i64"), refused=()),
    "reduce by a sum": _summed("tl.reduce(m, 1, plus)", lambda m: m.sum(1)),
    "reduce down columns": Operation("r = tl.reduce(m, 0, larger)", lambda a, _b: _rows(a).amax(0), ALL, F8),
    "reduce of pairs": Operation("v, w = tl.reduce((m, m * 0 + 1), 1, plus_each)\nr = v / w", lambda a, _b: (_rows(a).mean(1), _rows(a).abs().mean(1)), ("fp32",), ulps=8),
    "reduce with an if": _reduced("tl.reduce(m, 1, larger_by_if)", lambda m: m.amax(1), types=("fp32", "bf16", "i32"), refused=()),
    "reduce with and": _reduced("tl.reduce((m > 0).to(tl.int1), 1, both).to(tl.int32)", lambda m: (m > 0).all(1), types=("fp32",), refused=(), out="i32"),
    "reduce whose order counts": _reduced("tl.reduce(m, 1, last)", lambda m: m[:, -1], refused=()),
    "cumsum": _scanned("tl.cumsum(a, 0)", lambda a: a.cumsum(0), types=("fp32", "fp16", "bf16", "i32", "i64")),
    "cumsum, reverse": _scanned("tl.cumsum(a, 0, reverse=True)", lambda a: a.flip(0).cumsum(0).flip(0), types=("fp32", "fp16", "bf16", "i32", "i64")),
    "cumprod": expression("tl.cumprod(tl.where(o % 32 == 0, 2, 1).to(a.dtype), 0)", lambda a, _b: 2.0 ** (AT // 32 + 1), ("fp32", "fp16", "bf16", "i32", "i64"), refused=()),
    "scan by a sum": _scanned("tl.associative_scan(a, 0, plus)", lambda a: a.cumsum(0)),
    "scan along rows": Operation("r = tl.reshape(tl.associative_scan(m, 1, larger), (256,))", lambda a, _b: _rows(a).cummax(1)[0].reshape(-1), ALL, F8),
    "scan, reverse": Operation("r = tl.associative_scan(a, 0, larger, reverse=True)", lambda a, _b: a.flip(0).cummax(0)[0].flip(0), ALL, F8),
    "scan of a recurrence": Operation("g = 0.5 + a * 0\nv, r = tl.associative_scan((g, a), 0, recurrence)", lambda a, _b: (_recurrence(a), torch.tensor(4.0)), ("fp32",), ulps=8),
    "softmax": Operation("r = tl.softmax(a)", lambda a, _b: a.softmax(0), ("fp32",), ulps=16),
    # products
    "dot": Operation("r = tl.reshape(tl.dot(m, n, input_precision='ieee'), (256,))", lambda a, b: _product(_rows(a), _rows(b)), F, out="fp32", ulps=4),
    "dot onto an accumulator": Operation("r = tl.reshape(tl.dot(m, n, tl.full((16, 16), 1.0, tl.float32), input_precision='ieee'), (256,))", lambda a, b: _product(_rows(a), _rows(b), 1), F, out="fp32", ulps=4),
    "dot of the transpose": Operation("r = tl.reshape(tl.dot(m, tl.trans(n), input_precision='ieee'), (256,))", lambda a, b: _product(_rows(a), _rows(b).T), F, out="fp32", ulps=4),
    "dot of float8": Operation("k = tl.join(m, m).reshape(16, 32)\nr = tl.reshape(tl.dot(k, tl.trans(tl.join(n, n).reshape(16, 32))), (256,))", lambda a, b: _product(2 * _rows(a), _rows(b).T), F8, out="fp32", ulps=4),
    "dot of int8": Operation("r = tl.reshape(tl.dot(tl.join(tl.trans(m), tl.trans(m)).reshape(16, 32), tl.trans(tl.join(n, n).reshape(16, 32))), (256,))", lambda a, b: (2 * _rows(a).T @ _rows(b).T).reshape(-1), ("i8",), out="i32"),
    "dot_scaled": Operation("s = tl.full((16, 1), 128, tl.uint8)\nk = tl.join(m, m).reshape(16, 32)\nl = tl.join(n, n).reshape(16, 32)\nr = tl.reshape(tl.dot_scaled(k, s, 'bf16', tl.trans(l), None, 'bf16'), (256,))", lambda a, b: _product(4 * _rows(a), _rows(b).T), ("bf16",), out="fp32", ulps=4),
    # conversions
    **{
        f"to {name}": Operation("r = a.to(out.dtype.element_ty)", lambda a, _b: a, _to(name), tuple(t for t in F8 if name in F8 and t != name), out=name)
        for name in F + F8 + ("i32",)
    },
    "stored as bf16": Operation("r = a * 1.0", lambda a, _b: a, ("fp32", "fp16"), out="bf16"),
    "special values to bf16": Operation("r = special(a, o).to(tl.bfloat16)", lambda a, _b: _special(a), ("fp32",), out="bf16"),
    "special values to fp8e5": Operation("r = special(a, o).to(tl.float8e5)", lambda a, _b: _special(a), ("fp32",), out="fp8e5"),
    "special values to fp8e4nv": Operation("r = special(a, o).to(tl.float8e4nv)", lambda a, _b: _special(a), ("fp32",), out="fp8e4nv"),
    "cut off to bf16": Operation("r = a.to(tl.bfloat16, fp_downcast_rounding='rtz')", lambda a, _b: (a.float().view(torch.int32) & -65536).view(torch.float32).double(), ("fp32",), out="bf16"),
    "bitcast": Operation("r = a.to(tl.int16, bitcast=True).to(tl.bfloat16, bitcast=True)", lambda a, _b: a, ("bf16",)),
    # atomics
    "atomic_add": _atomic("add", lambda a, _b: (_fours(a, lambda g: g.sum(1)), _fours(a.abs(), lambda g: g.sum(1))), ("fp32", "fp16", "bf16", "i32", "i64"), ulps=4),
    "atomic_max": _atomic("max", lambda a, _b: _fours(a, lambda g: g.amax(1)), ("fp32", "i32", "i64")),
    "atomic_min": _atomic("min", lambda a, _b: _fours(a, lambda g: g.amin(1)), ("fp32", "i32", "i64")),
    "atomic_or": _atomic("or", lambda a, _b: _fours(a, _joined(torch.bitwise_or)), ("i32", "i64")),
    "atomic_xor": _atomic("xor", lambda a, _b: _fours(a, _joined(torch.bitwise_xor)), ("i32", "i64")),
    "atomic_and": _atomic("and", lambda a, _b: a * 0, ("i32", "i64")),
    "atomic_xchg": Operation("tl.atomic_xchg(scratch + o, a)\ntl.debug_barrier()\nr = tl.atomic_xchg(scratch + o, b)", lambda a, _b: a, ("fp32", "i32", "i64")),
    "atomic_add, masked": Operation("tl.atomic_add(scratch + o, a, mask=o < 100)\ntl.debug_barrier()\nr = tl.load(scratch + o)", lambda a, _b: torch.where(AT < 100, a, 0 * a.abs()), ("fp32", "fp16", "bf16", "i32")),
    "histogram": Operation("h = tl.histogram(tl.abs(a) % 32, 16)\nr = tl.reshape(h, (16,))", lambda a, _b: torch.bincount(a.abs() % 32, minlength=32)[:16], ("i32",)),
    "histogram, masked": Operation("r = tl.histogram(tl.abs(a) % 16, 16, mask=o < 100)", lambda a, _b: torch.bincount(a[:100].abs() % 16, minlength=16), ("i32",)),
    "tensor descriptor": Operation("d = tl.make_tensor_descriptor(x, shape=[16, 16], strides=[16, 1], block_shape=[16, 16])\nr = tl.reshape(d.load([0, 0]), (256,))", lambda a, _b: a, (*F, "i32")),
    # Python's words and a kernel's arguments
    "and of masks": Operation("r = tl.where(r16 < 5 and c16 < 7, 1, 0).reshape(256)", lambda _a, _b: (ROW < 5) & (COLUMN < 7), ("i32",)),
    "or of masks": Operation("r = tl.where(r16 < 5 or c16 < 7, 1, 0).reshape(256)", lambda _a, _b: (ROW < 5) | (COLUMN < 7), ("i32",)),
    "not of a mask": Operation("r = tl.where(not (r16 + c16 * 0 < 5), 1, 0).reshape(256)", lambda _a, _b: ROW >= 5, ("i32",)),
    "and, or and not in a helper": Operation("r = tl.where(in_corner(r16, c16, 5), 1, 0).reshape(256)", lambda _a, _b: (ROW < 5) & (COLUMN < 5) | ~((ROW < 9) | (COLUMN < 9)), ("i32",)),
    "and with what is known before": Operation("r = tl.where(EVEN and o < 9, 1, 0) + tl.where(o < 9 and EVEN, 1, 0)", lambda _a, _b: (AT < 9) * 2, ("i32",)),
    "and that decides before": Operation("r = o * 0\nif not EVEN and tl.load(x + 1000000) > 0:\n    r = r + 1", lambda _a, _b: AT * 0, ("i32",)),
    "if of and": Operation("r = a\nif n_elements > 3 and n_elements < 1000:\n    r = a * 2", lambda a, _b: a * 2, ("i32",)),
    "if and else in an expression": Operation("r = a * (2 if n_elements > 3 else 1)", lambda a, _b: a * 2, ("i32",)),
    "a float argument converted": Operation("r = a + half.to(tl.float32)", lambda a, _b: a + 0.5, ("fp32",)),
    "a float argument's dtype": Operation("r = (a * half).to(half.dtype)", lambda a, _b: a * 0.5, ("fp32",)),
    "a float argument is float32": Operation("r = a * third", lambda a, _b: a * float(torch.tensor(1 / 3)), ("fp32",), ulps=1),
    "a float argument with float16": Operation("r = a * third", lambda a, _b: a * float(torch.tensor(1 / 3)), ("fp16", "bf16"), out="fp32", ulps=1),
    "a loop variable converted": Operation("r = o * 0\nfor i in range(3):\n    r += i.to(tl.int32)", lambda _a, _b: AT * 0 + 3, ("i32",)),
    "a variable of tl.range": Operation("r = o * 0\nfor i in tl.range(0, n_elements, 100, num_stages=2):\n    r += (i.to(tl.int64) // 100).to(tl.int32)", lambda _a, _b: AT * 0 + 3, ("i32",)),
    "a loop backwards": Operation("r = o * 0\nfor i in range(3, -1, -1):\n    r = r * 2 + (i - 4) // 3", lambda _a, _b: AT * 0 - 3, ("i32",)),
    "static_range": Operation("r = o * 0\nfor i in tl.static_range(3):\n    r += tl.arange(0, 256) * i", lambda _a, _b: AT * 3, ("i32",)),
    "while": Operation("i = 0\nr = a * 0\nwhile i < n_elements // 64:\n    r += tl.load(x + i)\n    i += 1", lambda a, _b: AT * 0 + a[:4].sum(), ("i32",)),
    "min and max of numbers": Operation("r = o * 0 + min(n_elements, 100) + max(n_elements, 3, 500)", lambda _a, _b: AT * 0 + 600, ("i32",)),
    "min and max of what is known": Operation("r = o + min(SIZE, 8) * max(SIZE, 8)", lambda _a, _b: AT + 2048, ("i32",)),
    "a constexpr's value": Operation("r = o + SIZE.value", lambda _a, _b: AT + 256, ("i32",)),
    "a mask of one number": Operation("r = tl.load(x + o, mask=n_elements > half) + tl.load(x + o, mask=n_elements < half, other=0.0)", lambda a, _b: a, F),
    "a load's other": Operation("r = tl.load(x + o, mask=o < 9, other=-float('inf'))", lambda a, _b: torch.where(AT < 9, a, -torch.inf), F),
    "an early return": Operation("r = a\nif n_elements < 3:\n    return", lambda a, _b: a, ("i32",)),
    "an accumulator of this type": Operation("r = tl.zeros((256,), a.dtype)\nfor i in range(4):\n    r += a", lambda a, _b: (4 * a, 4 * a.abs()), ("fp32", "fp16", "bf16"), F8, ulps=2),
}  # fmt: skip

HELPERS = """
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.math import exp as exp_of_math, rsqrt

@triton.jit
def plus(a, b):
    return a + b

@triton.jit
def larger(a, b):
    return tl.maximum(a, b)

@triton.jit
def last(a, b):
    return b

@triton.jit
def larger_by_if(a, b):
    if a > b:
        r = a
    else:
        r = b
    return r

@triton.jit
def both(a, b):
    return a and b

@triton.jit
def plus_each(a, b, c, d):
    return a + c, b + d

@triton.jit
def recurrence(g, a, h, b):
    return g * h, h * a + b

@triton.jit
def in_corner(r, c, n):
    return (r < n and c < n) or not (r < 9 or c < 9)

@triton.jit
def special(a, o):
    v = tl.where(o == 0, float("inf"), a)
    v = tl.where(o == 1, -float("inf"), v)
    v = tl.where(o == 2, float("nan"), v)
    v = tl.where(o == 3, (o * 0).to(tl.float32) * -1.0, v)
    v = tl.where(o == 4, 1.99, v)
    v = tl.where(o == 5, 1.00390625, v)
    v = tl.where(o == 6, 1.01171875, v)
    v = tl.where(o == 7, 255.9, v)
    v = tl.where(o == 8, 1e-5, v)
    v = tl.where(o == 9, 0.0019, v)
    return tl.where(o == 10, 3.3e38, v)
"""

KERNEL = """
@triton.jit
def {name}(x, y, out, scratch, n_elements, half, third, SIZE: tl.constexpr, EVEN: tl.constexpr, N: tl.constexpr):
    o = tl.arange(0, SIZE)
    r16, c16 = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    a, b = tl.load(x + o), tl.load(y + o)
    m, n = tl.reshape(a, (16, 16)), tl.reshape(b, (16, 16))
{body}
    tl.store(out + tl.arange(0, N), r)
"""


def _special(a: Any) -> Any:
    first = [
        torch.inf,
        -torch.inf,
        torch.nan,
        -0.0,
        1.99,
        1.00390625,
        1.01171875,
        255.9,
        1e-5,
        0.0019,
        3.3e38,
    ]
    return torch.cat([torch.tensor(first).double(), a[len(first) :]])


def _recurrence(a: Any) -> Any:
    values: list[Any] = [a[0]]
    for element in a[1:]:
        values.append(0.5 * values[-1] + element)
    return torch.stack(values)


def kernel_name(operation: str) -> str:
    """The function's name in the kernels' file."""
    return "k_" + "".join(c if c.isalnum() else "_" for c in operation)


def indented(body: str) -> str:
    """The body, as it stands in a kernel."""
    return "\n".join(f"    {line}" for line in body.splitlines())


def source() -> str:
    """The text of a file with all kernels."""
    return HELPERS + "".join(
        KERNEL.format(name=kernel_name(name), body=indented(one.body))
        for name, one in OPERATIONS.items()
    )


def inputs(dtype: str, seed: int) -> Any:
    """Elements between -3 and 3, or whole numbers other than zero between -11 and 11."""
    maker = torch.Generator().manual_seed(seed)
    if dtype in INTEGERS:
        numbers = torch.randint(1, 12, (SIZE,), generator=maker)
        return (numbers * (1 - 2 * torch.randint(0, 2, (SIZE,), generator=maker))).to(DTYPES[dtype])
    return (torch.rand(SIZE, generator=maker) * 6 - 3).to(DTYPES[dtype])


def table(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Run all; yield operation, type, and what is wrong or an empty text."""
    path = folder / "kernels.py"
    path.write_text(source())
    spec = importlib.util.spec_from_file_location("kernels", path)
    assert spec is not None
    assert spec.loader is not None
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    for name, operation in OPERATIONS.items():
        for dtype in operation.types:
            yield name, dtype, wrong(kernels, name, dtype)
        for dtype in operation.refused:
            text = wrong(kernels, name, dtype)
            named = text.startswith(
                ("TypeError: Triton does not compile", "AttributeError: get_fp8")
            )
            yield name, dtype, "" if named else f"not refused: {text}"


def wrong(kernels: Any, name: str, dtype: str) -> str:
    """Say what is wrong with an operation; empty if nothing is."""
    operation = OPERATIONS[name]
    a, b = inputs(dtype, 1), inputs(dtype, 2)
    want, size = expected(operation, a, b)
    out_type = operation.out or dtype
    out = torch.zeros(want.numel(), dtype=DTYPES[out_type])
    try:
        getattr(kernels, kernel_name(name))[(1,)](
            a,
            b,
            out,
            torch.zeros(SIZE, dtype=a.dtype),
            SIZE,
            0.5,
            1 / 3,
            SIZE=SIZE,
            EVEN=True,
            N=out.numel(),
        )
    except Exception as error:  # noqa: BLE001 - it is reported
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        return f"{type(cause).__name__}: {str(cause)[:200]}"
    return difference(out, want, size, operation.ulps)


def expected(operation: Operation, a: Any, b: Any) -> tuple[Any, Any]:
    """Return the right result, and the size that errors are relative to, None for the result's."""
    wide = torch.float64 if a.is_floating_point() else torch.int64
    truth: Any = operation.truth(a.to(wide), b.to(wide))
    return cast(tuple[Any, Any], truth if isinstance(truth, tuple) else (truth, None))


def difference(out: Any, want: Any, size: Any, ulps: float) -> str:
    """Say where the output is not what it should be."""
    if not out.is_floating_point():
        rounded = want.to(out.dtype)
        bad = out != rounded
    else:
        longest = LONGEST.get(next((n for n, t in FLOAT8.items() if t == out.dtype), ""), torch.inf)
        finite = want.double()
        finite = torch.where(
            finite.isfinite() | (out.dtype == torch.float8_e4m3fn),
            finite.clamp(-longest, longest),
            finite,
        )
        rounded = finite.float().to(out.dtype).double()
        info = torch.finfo(out.dtype)
        near = (out.double() - finite).abs() <= ulps * info.eps * (
            finite if size is None else size
        ).abs() + info.tiny * info.eps
        same = (out.double() == rounded) & (out.double().signbit() == rounded.signbit())
        bad = ~(same | (near & (ulps > 0.5)) | (out.isnan() & rounded.isnan()))
    if not bad.any():
        return ""
    at = int(bad.nonzero()[0])
    return f"{int(bad.sum())} of {bad.numel()} wrong; at {at} got {out[at].item()}, expected {rounded[at].item()}"


def main() -> None:
    """Run the table in a process with TRITON_INTERPRET=1 and print it as JSON."""
    os.environ["TRITON_INTERPRET"] = "1"
    from hotloop.worker import triton_compat

    triton_compat.correct_interpreter()
    found: dict[str, dict[str, str]] = {}
    for name, dtype, text in table(Path(sys.argv[1])):
        found.setdefault(name, {})[dtype] = text
    print(json.dumps(found))


if __name__ == "__main__":
    main()
