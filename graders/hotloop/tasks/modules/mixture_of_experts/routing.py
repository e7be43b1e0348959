"""Hidden logits for a router, and sizes for capacities; what a router answers is checked whole.

Where scores are equal, any of the experts is right: what follows from the choice is computed from
the learner's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.compare import Floats
from hotloop.judge.questions import Question, number_mismatch, same, shown
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.mixture_of_experts.cases import Ints, chosen

CLOSE = 1e-6
"""Tolerance of probabilities, absolute: a router may compute in float32."""
RELATIVE = 1e-5
"""Tolerance of weights and losses, of float32 sums over all tokens."""
GRID = 1024
"""Logits are multiples of 1/1024, which float32 holds exactly up to 16384."""


# --- routing --------------------------------------------------------------------------------------


def logits(rng: Rng, losses: bool) -> Iterator[Question]:
    """Yield logits of ordinary and of extreme size. losses: the question is about the losses."""
    for label, tokens, experts, k, scale, bias in (
        ("two of eight experts", 40, 8, 2, 1.0, 0.0),
        ("one of four experts", 25, 4, 1, 1.0, 0.0),
        ("a bias that changes the choice", 60, 16, 4, 0.5, 0.3),
        ("all experts", 9, 3, 3, 2.0, 0.1),
        ("logits of thousands", 30, 6, 2, 3000.0, 0.0),
        ("an expert that nobody chooses", 30, 6, 2, 1.0, 4.0),
        ("equal logits, as padding has them", 8, 6, 2, 0.0, 0.0),
    ):
        given = np.round(GRID * scale * rng.standard_normal((tokens, experts))) / GRID
        added = np.round(GRID * bias * rng.standard_normal(experts)) / GRID
        if bias > 1:
            added = np.where(np.arange(experts) == rng.integers(experts), -bias, 0.0)
        arguments = (given.tolist(), added.tolist(), k)
        yield Question(label, arguments, partial(_mismatch, given, added, k, losses))


def _mismatch(given: Floats, bias: Floats, k: int, losses: bool, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it returns {shown(answer)}, not a dict"
    shifted = np.exp(given - given.max(1, keepdims=True))
    p = shifted / shifted.sum(1, keepdims=True)
    rows = [as_list(row) for row in as_list(reported.get("experts"))]
    weights = [as_list(row) for row in as_list(reported.get("weights"))]
    if len(rows) != len(given) or len(weights) != len(given):
        return f"experts and weights have {len(rows)} and {len(weights)} rows of {len(given)}"
    for token, (row, mine) in enumerate(zip(rows, weights, strict=True)):
        mismatch = _token_mismatch(p[token], p[token] + bias, row, mine, k)
        if mismatch is not None:
            return f"token {token}: {mismatch}"
    ids = np.array(rows, np.int64)
    return _losses_mismatch(given, p, ids, reported) if losses else None


def _token_mismatch(
    p: Floats, scores: Floats, row: Sequence[object], weights: Sequence[object], k: int
) -> str | None:
    ids = [e for e in row if type(e) is int and 0 <= e < len(p)]
    if len(ids) != len(row) or len(set(ids)) != k or len(row) != k or len(weights) != k:
        return f"{k} different experts with weights are asked for, it has {shown(list(row))}"
    left = np.delete(scores, ids)
    if left.size and left.max() > scores[ids].min() + CLOSE:
        return (
            f"expert {ids[int(scores[ids].argmin())]} is chosen, and another one has a higher "
            "sum of probability and bias"
        )
    total = float(p[ids].sum())
    for expert, weight in zip(ids, weights, strict=True):
        want = float(p[expert]) / total
        mismatch = number_mismatch(f"the weight of expert {expert}", weight, want, RELATIVE, CLOSE)
        if mismatch is not None:
            return mismatch
    return None


def _losses_mismatch(
    given: Floats, p: Floats, ids: Ints, reported: dict[str, object]
) -> str | None:
    counts = np.bincount(ids.ravel(), minlength=given.shape[1])
    got = as_list(reported.get("counts"))
    if not same(list(got), counts.tolist()):
        return f"the counts are {shown(reported.get('counts'))}, expected {counts.tolist()}"
    balance = given.shape[1] * float(counts @ p.mean(0)) / ids.size
    height = given.max(1)
    lse = np.log(np.exp(given - height[:, None]).sum(1)) + height
    return number_mismatch(
        "balance_loss", reported.get("balance_loss"), balance, RELATIVE
    ) or number_mismatch("z_loss", reported.get("z_loss"), float((lse**2).mean()), RELATIVE)


# --- capacity and tiles ---------------------------------------------------------------------------


def buffers(rng: Rng) -> Iterator[Question]:
    """Yield choices with a skew, for which some capacity factors drop and some do not."""
    for label, tokens, experts, k, skew, factor in (
        ("nearly uniform", 64, 8, 2, 0.2, 1.0),
        ("a skew", 50, 8, 2, 1.5, 1.25),
        ("one expert a token", 37, 5, 1, 1.0, 1.0),
        ("room for all", 40, 4, 2, 1.0, 4.0),
        ("a fraction of a row", 10, 7, 2, 0.5, 1.5),
        ("more experts than choices", 3, 16, 2, 0.5, 1.0),
    ):
        ids = chosen(rng, tokens, experts, k, skew)
        arguments = (ids.tolist(), experts, factor)
        yield Question(label, arguments, partial(_places_mismatch, ids, experts, factor))


def _places_mismatch(ids: Ints, experts: int, factor: float, answer: object) -> str | None:
    tokens, k = ids.shape
    room = math.ceil(factor * tokens * k / experts)
    taken = np.zeros(experts, np.int64)
    places: list[list[int | None]] = [[None] * k for _ in range(tokens)]
    for slot in range(k):
        for token in range(tokens):
            expert = int(ids[token, slot])
            if taken[expert] < room:
                places[token][slot] = int(taken[expert])
                taken[expert] += 1
    want = {
        "capacity": room,
        "places": places,
        "dropped_tokens": sum(all(p is None for p in row) for row in places),
        "empty_rows": experts * room - int(taken.sum()),
    }
    return _entries_mismatch(want, answer)


def tiles(rng: Rng) -> Iterator[Question]:
    """Yield rows of each expert, some without any, and heights of a tile."""
    for label, experts, most, height in (
        ("many rows an expert", 8, 300, 64),
        ("few rows an expert", 24, 9, 16),
        ("tiles of one row", 5, 7, 1),
        ("one expert", 1, 200, 128),
    ):
        sizes = rng.integers(0, most, experts)
        sizes[int(rng.integers(experts))] = height  # a whole tile, and nothing beside it
        if experts > 1:
            sizes[int(rng.integers(experts))] = 0
        yield Question(
            label, (sizes.tolist(), height), partial(_tiles_mismatch, sizes.tolist(), height)
        )


def _tiles_mismatch(sizes: list[int], height: int, answer: object) -> str | None:
    found: list[list[int]] = []
    first = 0
    for expert, size in enumerate(sizes):
        found += [[expert, first + row, min(height, size - row)] for row in range(0, size, height)]
        first += size
    wasted = len(found) * height - sum(sizes)
    return _entries_mismatch({"tiles": found, "wasted_rows": wasted}, answer)


def _entries_mismatch(want: Mapping[str, object], answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it returns {shown(answer)}, not a dict"
    for name, value in want.items():
        got = reported.get(name)
        if same(got, value):
            continue
        if isinstance(value, list):
            rows, mine = as_list(got), list[object](value)  # pyright: ignore[reportUnknownArgumentType]
            if len(rows) != len(mine):
                return f"{name} has {len(rows)} entries, expected {len(mine)}"
            at = next(n for n, pair in enumerate(zip(rows, mine, strict=True)) if not same(*pair))
            return f"{name}[{at}] is {shown(rows[at])}, expected {shown(mine[at])}"
        return f"{name} is {shown(got)}, expected {shown(value)}"
    return None
