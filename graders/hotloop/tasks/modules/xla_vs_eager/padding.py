"""Questions about sizes to pad batches to, and programs that must ignore the padding.

The judge assigns each batch to the smallest size that holds it, and counts programs and rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.xla_vs_eager import exported
from hotloop.tasks.modules.xla_vs_eager.exported import RunCheck, tensor

Lengths = list[int]

MOST_WASTE = 1.05
PADDED = RunCheck("padded", "unpadded", first=1, trees=1)


def questions(
    rng: Rng, mismatch: Callable[[object, Lengths, int], str | None]
) -> Iterator[Question]:
    """Yield a question about each history. mismatch: `budget_mismatch` or `waste_mismatch`."""
    for number, lengths in enumerate(_histories(rng), start=1):
        budget = int(rng.integers(3, 7))
        file = GivenFile("sizes.json", json.dumps(lengths).encode())
        yield Question(
            f"History {number}, {budget} programs at most",
            (file, budget),
            lambda answer, lengths=lengths, budget=budget: mismatch(answer, lengths, budget),
        )


def _histories(rng: Rng) -> Iterator[Lengths]:
    """Yield histories of batch sizes.

    They are: mostly small; two clusters; 90 % equal; just above powers of two; all equal; many of 1
    with a few of 100 or more, which need two programs.
    """
    yield _whole(rng.exponential(18, 300))
    near, far = int(rng.integers(20, 40)), int(rng.integers(150, 220))
    yield _whole(np.concatenate([rng.normal(near, 4, 220), rng.normal(far, 9, 60)]))
    yield _whole(np.where(rng.random(250) < 0.9, 96, rng.integers(1, 96, 250)))
    yield _whole(2.0 ** rng.integers(3, 8, 260) + rng.integers(1, 4, 260))
    yield [int(rng.integers(2, 40))] * 50
    yield [1] * 150 + [int(rng.integers(100, 200))] * 10


def _whole(sizes: NDArray[np.floating[Any]]) -> Lengths:
    return [int(n) for n in np.clip(np.rint(sizes), 1, 256)]


def budget_mismatch(answer: object, lengths: Lengths, budget: int) -> str | None:
    """Return a message about sizes below the largest batch or too many programs, or None."""
    sizes = _sizes(answer, lengths)
    if isinstance(sizes, str):
        return sizes
    programs = len({_place(length, sizes) for length in lengths})
    if programs > budget:
        return f"{programs} programs are made, and {budget} are allowed"
    return None


def waste_mismatch(answer: object, lengths: Lengths, budget: int) -> str | None:
    """Return a message about more rows than MOST_WASTE times the minimum, or None."""
    sizes = _sizes(answer, lengths)
    if isinstance(sizes, str):
        return sizes
    computed = sum(_place(length, sizes) for length in lengths)
    fewest = fewest_rows(lengths, budget)
    if computed > MOST_WASTE * fewest:
        return (
            f"{computed} rows are computed for {sum(lengths)} real ones; with {budget} sizes "
            f"{fewest} are enough"
        )
    return None


def fewest_rows(lengths: Lengths, budget: int) -> int:
    """Return the minimum rows for at most `budget` sizes, by dynamic programming."""
    seen = Counter(lengths)
    sizes = sorted(seen)
    below = np.concatenate([[0], np.cumsum([seen[size] for size in sizes])])
    cost = np.full(len(sizes) + 1, np.inf)
    cost[0] = 0
    for _ in range(budget):
        better = cost.copy()
        for end in range(1, len(sizes) + 1):
            rows = cost[:end] + (below[end] - below[:end]) * sizes[end - 1]
            better[end] = min(better[end], float(rows.min()))
        cost = better
    return int(cost[-1])


def _place(length: int, sizes: Lengths) -> int:
    return min(size for size in sizes if size >= length)


def _sizes(answer: object, lengths: Lengths) -> Lengths | str:
    """Return the sizes in samples, or a message. In a variant, the candidate returns bytes."""
    numbers = as_list(answer)
    if not numbers or not all(_is_whole(size) and size > 0 for size in numbers):
        return f"the answer is {shown(answer)}, not a list of sizes"
    unit = constant("SAMPLE_BYTES", 1, range(501, 1000))
    if odd := next((size for size in map(int, numbers) if size % unit), None):
        return f"{odd} is no multiple of {unit}"
    sizes = [int(size) // unit for size in numbers]
    if max(lengths) > max(sizes):
        return f"no size holds the batch of {max(lengths)}"
    return sizes


def _is_whole(size: object) -> bool:
    return isinstance(size, int | float) and not isinstance(size, bool) and size == int(size)


def padded_programs(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield programs for two sizes, each run with several counts of real samples.

    The padding holds garbage.
    """
    for size in (int(n) for n in rng.permutation(np.arange(6, 25))[:2]):
        yield Assignment(
            f"A program for {size} samples",
            (size,),
            exported.FILE,
            lambda data, size=size: _program_mismatch(data, size, rng, session),
        )


def _program_mismatch(data: bytes, size: int, rng: Rng, session: Session) -> str | None:
    facts = exported.facts(data, session)
    others = (f"float32[{size},8,8,1]", f"int32[{size}]", "int32[]")
    mismatch = exported.foreign_call(facts) or exported.arguments_mismatch(facts, 1, others)
    if mismatch is not None:
        return mismatch
    for count, rubbish in ((size, 0.0), (size - 2, 50.0), (2, np.nan), (size // 2, np.inf)):
        images, labels = exported.random_images(rng, size), exported.labels(rng, size)
        images[count:] = rubbish
        labels[count:] = rng.integers(-3, 99, size - count)
        inputs = (exported.parameters(rng), images, labels, np.array([float(count)]))
        wrong = PADDED.mismatch(data, tuple(map(tensor, inputs)), session)
        if wrong is not None:
            return f"with {count} real samples and {rubbish:g} in the padding, {wrong}"
    return None
