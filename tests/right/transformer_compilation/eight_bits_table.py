"""The nearest of a table of all codes, by bisection in plain Python; scales are powers of two, 1 among them."""


### BEGIN SOLUTION transformer_compilation.eight_bits
import json
import math
from bisect import bisect_left


def value(code):
    exponent, fraction = code >> 3 & 15, code & 7
    if exponent == 0:
        return fraction * 2.0**-9
    return (8 + fraction) * 2.0 ** (exponent - 10)


POSITIVE = [value(code) for code in range(127)]  # 127 is NaN


def nearest(x):
    at = min(bisect_left(POSITIVE, abs(x)), 126)
    if at and abs(x) - POSITIVE[at - 1] < POSITIVE[at] - abs(x):
        at -= 1
    return at | (128 if x < 0 else 0)


def to_fp8(path):
    """Codes and scales; see the notebook."""
    codes, scales = [], []
    for row in json.load(open(path)):
        largest = max(map(abs, row))
        scale = 2 ** (math.frexp(largest)[1] - 8) if largest else 1
        scales.append(scale)
        codes.append(tuple(nearest(x / scale) for x in row))
    return dict(codes=codes, scales=scales)


### END SOLUTION
