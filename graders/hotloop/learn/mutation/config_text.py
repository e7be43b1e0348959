"""Changes to a Triton model's config.pbtxt, by patterns on its text without comments.

Some are mistakes, some only cost throughput, and some have no effect.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from hotloop.learn.mutation import Edit

_COMMENT = re.compile(r"#[^\n]*")
_BATCHING = re.compile(r"\bdynamic_batching\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_STEP = re.compile(r'\bmodel_name\s*:\s*"[^"]*"')
_MAP = re.compile(r'\b(input_map|output_map)\s*\{\s*key\s*:\s*"[^"]*"\s*,?\s*value\s*:\s*"([^"]*)"')


def _halved(number: int) -> int:
    return number // 2 if number > 1 else 2


def _one_more(number: int) -> int:
    return number + 1 if number > 0 else 1


_NUMBERS: tuple[tuple[str, str, Callable[[int], int]], ...] = (
    ("other batch size", r"\bmax_batch_size\s*:\s*(\d+)", _halved),
    ("no batches", r"\bmax_batch_size\s*:\s*([1-9]\d*)", lambda _: 0),
    ("other preferred size", r"\bpreferred_batch_size\s*:\s*\[?\s*(\d+)", _halved),
    ("other queue delay", r"\bmax_queue_delay_microseconds\s*:\s*(\d+)", lambda n: 100 * n or 100),
    ("other instances", r"\bcount\s*:\s*(\d+)", _one_more),
    ("other dimensions", r"\bdims\s*:\s*\[?\s*(-?\d+)", _one_more),
)

_TYPES = {
    "TYPE_FP32": "TYPE_FP16",
    "TYPE_FP16": "TYPE_FP32",
    "TYPE_INT64": "TYPE_INT32",
    "TYPE_INT32": "TYPE_INT64",
}


def edits(text: str) -> Iterator[Edit]:
    """Yield every change that the operators can make in the file."""
    shown = _COMMENT.sub(lambda m: " " * len(m[0]), text)
    for match in _BATCHING.finditer(shown):
        yield Edit("no dynamic batching", match.start(), match.end(), "")
    for operator, pattern, other in _NUMBERS:
        for match in re.finditer(pattern, shown):
            yield Edit(operator, match.start(1), match.end(1), str(other(int(match[1]))))
    for match in re.finditer(r"\bTYPE_\w+", shown):
        if match[0] in _TYPES:
            yield Edit("other type", match.start(), match.end(), _TYPES[match[0]])
    yield from _wiring(text, shown)


def _wiring(text: str, shown: str) -> Iterator[Edit]:
    """Swap two tensors of one step, or give a step the input of the step before it."""
    names = [match.start() for match in _STEP.finditer(shown)]

    def step(match: re.Match[str]) -> tuple[int, str]:
        return sum(start < match.start() for start in names), match[1]

    maps = list(_MAP.finditer(shown))
    for one, other in pairwise(maps):
        if step(one) == step(other) and one[2] != other[2]:
            between = text[one.end(2) : other.start(2)]
            yield Edit(
                "swapped tensors", one.start(2), other.end(2), f"{other[2]}{between}{one[2]}"
            )
    for one, other in pairwise(match for match in maps if match[1] == "input_map"):
        if step(one) != step(other) and one[2] != other[2]:
            yield Edit("other tensor", other.start(2), other.end(2), one[2])
