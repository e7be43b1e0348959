"""Four-bit weights with a scale per group, and block-scaled formats.

Sources: OCP Microscaling Formats (MX) Specification v1.0, sections 5.3 (elements), 5.4 (E8M0) and
6.3 (conversion); NVFP4 as NVIDIA documents it: E2M1 in blocks of 16, scales in E4M3, and a float32
scale for the tensor.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.compare import Floats
from hotloop.judge.questions import GivenFile, Question, number_mismatch, same, shown
from hotloop.judge.seeds import Rng

# --- weights of four bits -------------------------------------------------------------------------

NEAREST = 0.5 * 1.001
"""Largest distance of a weight from its quantized value in steps, with the scale's rounding."""


def weights(rng: Rng) -> Iterator[Question]:
    """Yield matrices of several groups: columns of different sizes, outliers, zeros."""
    group = int(rng.choice([4, 8, 16]))
    k, n = group * int(rng.integers(2, 5)), int(rng.integers(3, 8))
    w = rng.standard_normal((k, n))
    yield _weights("weights of about 1", w, group)
    yield _weights("one group", w[:group], group)
    yield _weights("columns from a thousandth to a thousand", w * np.logspace(-3, 3, n), group)
    outlier = w.copy()
    outlier[:, int(rng.integers(n))] *= 50.0
    yield _weights("one outlier column", outlier, group)
    zeros = w.copy()
    zeros[:group, 1] = 0.0
    yield _weights("a group of zeros", zeros, group)
    yield _weights(
        "groups of different sizes",
        w * np.repeat(2.0 ** np.arange(k // group), group)[:, None],
        group,
    )


def _weights(label: str, w: Floats, group: int) -> Question:
    file = GivenFile("weights.json", json.dumps(w.tolist()).encode())
    return Question(label, (file, group), partial(_weights_mismatch, w, group))


def _weights_mismatch(w: Floats, group: int, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it returns {shown(answer)}, not a dict"
    k, n = w.shape
    packed = _rows(reported.get("packed"), (k // 2, n))
    scales = _rows(reported.get("scales"), (k // group, n))
    if packed is None or not np.isin(packed, np.arange(256)).all():
        return f"“packed” are no {k // 2} rows of {n} whole numbers from 0 to 255"
    if scales is None or not np.isfinite(scales).all() or (scales <= 0).any():
        return f"“scales” are no {k // group} rows of {n} finite numbers above 0"
    codes = packed.astype(np.int64)
    values = np.stack([codes & 15, codes >> 4], axis=1).reshape(k, n) - 8.0
    got = values * np.repeat(scales, group, axis=0)
    largest = np.abs(w).reshape(-1, group, n).max(axis=1)
    allowed = np.repeat(largest / 7 * NEAREST, group, axis=0)
    row, column = np.unravel_index(int((np.abs(got - w) - allowed).argmax()), w.shape)
    if abs(got[row, column] - w[row, column]) <= allowed[row, column]:
        return None
    return (
        f"row {row}, column {column} stands for {got[row, column]:.5g} and is "
        f"{w[row, column]:.5g}; the largest of its group is {largest[row // group, column]:.5g}"
    )


def _rows(answer: object, shape: tuple[int, int]) -> Floats | None:
    rows = [as_list(row) for row in as_list(answer)]
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        return None
    if not all(type(value) in (int, float) for row in rows for value in row):
        return None
    return np.array(rows, np.float64)


# --- block-scaled formats -------------------------------------------------------------------------


@dataclass(frozen=True)
class Minifloat:
    """A small float format: fraction bits, exponent bias, largest finite number, sign bit."""

    fraction: int
    bias: int
    largest: float
    sign_bit: int

    def code(self, value: float) -> int:
        """Return the nearest code, ties to even; larger values become the largest number."""
        sign = self.sign_bit if math.copysign(1.0, value) < 0 else 0
        magnitude = min(abs(value), self.largest)
        exponent = max(math.frexp(magnitude)[1] - 1, 1 - self.bias) if magnitude else 1 - self.bias
        steps = round(magnitude / 2.0 ** (exponent - self.fraction))  # Python rounds ties to even
        return sign | (steps + ((exponent + self.bias - 1) << self.fraction))

    def value(self, code: int) -> float:
        """Return the value of a code without its sign bit."""
        exponent, fraction = code >> self.fraction, code & ((1 << self.fraction) - 1)
        if exponent == 0:
            return fraction * 2.0 ** (1 - self.bias - self.fraction)
        return (1 + fraction / (1 << self.fraction)) * 2.0 ** (exponent - self.bias)


E4M3 = Minifloat(3, 7, 448.0, 128)
E2M1 = Minifloat(1, 1, 6.0, 8)


@dataclass(frozen=True)
class Blocks:
    """A row of numbers in a block-scaled format. elements: codes, in order."""

    scales: list[int]
    elements: list[int]
    tensor_scale: float = 1.0


def mx(values: Sequence[float], element: Minifloat) -> Blocks:
    """Convert to MX: blocks of 32 with a power-of-two scale (section 6.3)."""
    scales: list[int] = []
    elements: list[int] = []
    largest_exponent = math.frexp(element.largest)[1] - 1
    for first in range(0, len(values), 32):
        block = values[first : first + 32]
        amax = max(map(abs, block))
        exponent = math.frexp(amax)[1] - 1 - largest_exponent if amax else -127
        exponent = min(max(exponent, -127), 127)
        scales.append(exponent + 127)
        elements += [element.code(value / 2.0**exponent) for value in block]
    return Blocks(scales, elements)


def nvfp4(values: Sequence[float]) -> Blocks:
    """Convert to NVFP4: blocks of 16 with E4M3 scales, and a scale for the whole tensor."""
    scales: list[int] = []
    elements: list[int] = []
    amax = max(map(abs, values))
    tensor = amax / (E2M1.largest * E4M3.largest) if amax else 1.0
    for first in range(0, len(values), 16):
        block = values[first : first + 16]
        code = E4M3.code(max(map(abs, block)) / E2M1.largest / tensor)
        scale = E4M3.value(code) * tensor
        scales.append(code)
        elements += [E2M1.code(value / scale) if scale else 0 for value in block]
    return Blocks(scales, elements, tensor)


FORMATS: dict[str, Callable[[Sequence[float]], Blocks]] = {
    "mxfp8": partial(mx, element=E4M3),
    "mxfp4": partial(mx, element=E2M1),
    "nvfp4": nvfp4,
}


def mx_blocks(rng: Rng) -> Iterator[Question]:
    """Yield rows for both MX formats: ties, saturation, subnormals, zeros, powers of two."""
    for name, element in (("mxfp8", E4M3), ("mxfp4", E2M1)):
        for label, row in _rows_of(rng, element):
            yield _blocks(f"{name}, {label}", name, row)


def nvfp4_blocks(rng: Rng) -> Iterator[Question]:
    """Yield blocks of different sizes, zeros, and an outlier that shrinks the other scales."""
    x = rng.standard_normal(64)
    yield _blocks("nvfp4, numbers of about 1", "nvfp4", x)
    yield _blocks(
        "nvfp4, blocks of different sizes", "nvfp4", x * np.repeat([1e-3, 1, 30, 0.1], 16)
    )
    outlier = x.copy()
    outlier[int(rng.integers(64))] = 3e5
    yield _blocks("nvfp4, one outlier", "nvfp4", outlier)
    zeros = x.copy()
    zeros[16:32] = 0.0
    yield _blocks("nvfp4, a block of zeros", "nvfp4", zeros)


def _rows_of(rng: Rng, element: Minifloat) -> Iterator[tuple[str, Floats]]:
    x = rng.standard_normal(64)
    yield "numbers of about 1", x
    yield "blocks of different sizes", x * np.repeat([1e-4, 300.0], 32)
    # Halfway between two elements; the scale is 1, because the maximum is the largest element.
    codes = np.arange(1, element.code(element.largest))
    some = rng.choice(codes, 31)
    ties = [(element.value(int(c)) + element.value(int(c) + 1)) / 2 for c in some]
    signs = rng.choice([-1.0, 1.0], 32)
    yield "ties", np.array([*ties, element.largest]) * signs * 2.0 ** int(rng.integers(-9, 9))
    # Between the largest element and the next power of two the exponent stays, and values saturate.
    near = 1.96875 * 2.0 ** int(rng.integers(-5, 6))
    yield "a number that saturates", np.array([near, *(near * rng.uniform(-1, 1, 31))])
    power = 2.0 ** int(rng.integers(-5, 6))
    below = float(np.nextafter(np.float32(power), np.float32(0)))
    yield "the largest is a power of two", np.array([power, *(power * rng.uniform(-1, 1, 31))])
    yield (
        "the largest is just below a power of two",
        np.array([below, *(below * rng.uniform(-1, 1, 31))]),
    )
    small = x[:32] * 2.0 ** rng.uniform(-12, 0, 32)
    yield "subnormal elements", small
    yield "zeros", np.concatenate([np.zeros(32), x[:32]])


def _blocks(label: str, name: str, row: Floats) -> Question:
    values = [float(v) for v in row.astype(np.float32)]
    file = GivenFile("values.json", json.dumps(values).encode())
    return Question(label, (file, name), partial(_blocks_mismatch, values, FORMATS[name](values)))


def _blocks_mismatch(values: Sequence[float], want: Blocks, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it returns {shown(answer)}, not a dict"
    tensor = reported.get("tensor_scale")
    # float32 is enough for it.
    if mismatch := number_mismatch("“tensor_scale”", tensor, want.tensor_scale, 1e-6):
        return mismatch
    for key, expected in (("scales", want.scales), ("elements", want.elements)):
        got = as_list(reported.get(key))
        if len(got) != len(expected):
            return f"“{key}” has {len(got)} codes, expected {len(expected)}"
        for i, (one, right) in enumerate(zip(got, expected, strict=True)):
            if not same(one, right):
                of = f" (of {values[i]!r})" if key == "elements" else ""
                return f"“{key}” [{i}] is {shown(one)}, expected {right}{of}"
    return None
