"""Rows of a key cache in e4m3 with one scale per row, as plain data.

e4m3 (fn): a sign bit, four exponent bits with a bias of 7, three fraction bits. The largest number
is 448; 0x7f and 0xff are NaN, and there is no infinity.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list, as_message
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, shown

Rng = np.random.Generator

LARGEST = 448.0
NEAREST = 2.0**-4 * 1.0001
"""Half a unit in the last of three fraction bits, relative to the number, plus scale rounding."""

SMALLEST_STEP = 2.0**-9
"""The distance between subnormal numbers."""


def numbers() -> Floats:
    """Return the value of each of the 256 codes, float64 [256]."""
    codes = np.arange(256)
    exponent, fraction = (codes >> 3) & 15, codes & 7
    normal = (1 + fraction / 8) * 2.0 ** (exponent - 7)
    values = np.where(exponent == 0, fraction / 8 * 2.0**-6, normal)
    values[(codes & 127) == 127] = np.nan
    return np.where(codes >= 128, -values, values)


NUMBERS = numbers()


def plain_questions(rng: Rng) -> Iterator[Question]:
    """Yield matrices whose rows have similar sizes."""
    rows, width = int(rng.integers(20, 40)), int(rng.integers(8, 33))
    x = rng.standard_normal((rows, width))
    yield _question("Numbers of about 1", x)
    yield _question("Numbers of about 10,000", 1e4 * x)
    yield _question("Numbers of about a millionth", 1e-6 * x)
    zeros = x.copy()
    zeros[int(rng.integers(rows))] = 0.0
    yield _question("A row of zeros", zeros)
    yield _question("One row", x[:1])


def uneven_questions(rng: Rng) -> Iterator[Question]:
    """Yield rows of very different sizes, and outliers within a row."""
    x = rng.standard_normal((int(rng.integers(20, 40)), 16))
    one = x.copy()
    one[int(rng.integers(len(x))), int(rng.integers(16))] = 400_000.0
    yield _question("One number of 400,000", one)
    yield _question(
        "Rows from a millionth to a million", x * 10 ** np.linspace(-6, 6, len(x))[:, None]
    )
    within = x.copy()
    within[:, 3] = 100.0
    yield _question("A number of 100 in each row", within)


def _question(label: str, x: Floats) -> Question:
    file = GivenFile("keys.json", json.dumps(x.tolist()).encode())
    return Question(label, (file,), partial(mismatch, x))


def mismatch(x: Floats, answer: object) -> str | None:
    """Return a message if codes and scales do not represent `x`, else None."""
    reported = as_message(answer)
    if reported is None:
        return f"the answer is {shown(answer)}, not a dict"
    # In a take-home's variant, codes start at another number than 0.
    first = constant("FIRST_CODE", 0, range(2, 1000))
    codes = _codes(reported.get("codes"), x.shape, first)
    if codes is None:
        which = f"whole numbers from {first} to {first + 255}"
        return f"“codes” are no {x.shape[0]} rows of {x.shape[1]} {which}"
    scales = _scales(reported.get("scales"), len(x))
    if scales is None:
        return f"“scales” are no {len(x)} finite numbers above 0"
    return wrong(x, codes, scales)


def wrong(x: Floats, codes: NDArray[np.int64], scales: Floats) -> str | None:
    """Return the element that exceeds its allowed error the most as a sentence's start, or None.

    Allowed is the error of rounding to nearest if a row's largest element becomes 28 or more in
    e4m3, so a scale need not use the whole range.
    """
    got = NUMBERS[codes] * scales[:, None]
    finest = np.abs(x).max(axis=1, keepdims=True) / (LARGEST / 16) * SMALLEST_STEP / 2
    allowed = NEAREST * np.abs(x) + finest
    excess = np.abs(got - x) - allowed
    excess = np.where(np.isnan(got), np.inf, excess)
    row, column = np.unravel_index(int(excess.argmax()), x.shape)
    if excess[row, column] <= 0:
        return None
    value, want = got[row, column], x[row, column]
    return f"row {row}, column {column} is {value:.6g} and should be about {want:.6g}"


def _codes(answer: object, shape: tuple[int, ...], first: int) -> NDArray[np.int64] | None:
    rows = [as_list(row) for row in as_list(answer)]
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        return None
    known = range(first, first + 256)
    if not all(type(code) in (int, float) and code in known for row in rows for code in row):
        return None
    return np.array(rows, np.int64) - first


def _scales(answer: object, count: int) -> Floats | None:
    numbers = as_list(answer)
    if len(numbers) != count or not all(type(n) in (int, float) for n in numbers):
        return None
    scales = np.array(numbers, np.float64)
    return scales if np.isfinite(scales).all() and (scales > 0).all() else None
