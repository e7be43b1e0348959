"""Sizes: all even, and an odd length of the sum."""

SHAPES = [
    {"M": 64, "N": 2048, "K": 2048},
    {"M": 16, "N": 4096, "K": 4097},
]
