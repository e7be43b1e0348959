"""Every part of an axis that a kernel may process separately determines a row's result."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.judge.adversarial import reductions

LENGTHS = st.one_of(st.integers(1, 3000), st.integers(1, 40_000))
SEEDS = st.integers(0, 1 << 30)


def parts(length: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield sets of positions that a wrong kernel may leave out, as masks."""
    c = np.arange(length)
    for count in (2, 4, 8):
        for number in range(count):
            yield f"part {number} of {count}", c * count // length == number
    for lanes in (2, 4, 8, 16, 32):
        for lane in range(lanes):
            yield f"lane {lane} of {lanes}", c % lanes == lane
    for warp in range(8):
        yield f"warp {warp}", c // 32 % 8 == warp
    for threads in (64, 128, 256, 512, 1024):
        yield f"half of the {threads} threads", c % threads >= threads // 2
    block = 1 << max(length - 1, 1).bit_length()
    yield "the half of a block that the row does not fill", c >= block // 2
    for size in (4, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192):
        yield f"the tail behind blocks of {size}", c >= length - length % size
        yield f"the last whole block of {size}", c // size == length // size - 1
    yield "the last element", c == length - 1
    yield "the first element", c == 0


@pytest.mark.slow
@given(SEEDS, LENGTHS)
def test_every_part_has_a_place(seed: int, length: int) -> None:
    found = reductions.places(np.random.default_rng(seed), length)
    assert len(found) == reductions.ROWS
    assert ((found >= 0) & (found < length)).all()
    for name, part in parts(length):
        assert not part.any() or part[found].any(), name


@pytest.mark.slow
@given(SEEDS, LENGTHS)
def test_a_maximum_over_less_than_the_row_is_wrong_somewhere(seed: int, length: int) -> None:
    x = reductions.spikes(np.random.default_rng(seed), length, 300.0)
    whole = x.max(axis=1)
    for name, part in parts(length):
        if part.any() and not part.all():
            assert (x[:, ~part].max(axis=1) < whole - 104).any(), name


@pytest.mark.slow
@given(SEEDS, st.integers(2, 3000))
def test_a_sum_that_cancels_is_off_where_a_part_is_missing(seed: int, length: int) -> None:
    x = reductions.opposites(np.random.default_rng(seed), length, 1e4)
    whole = x.sum(axis=1)
    for name, part in parts(length):
        if part.any() and not part.all():
            assert (np.abs(x[:, ~part].sum(axis=1) - whole) > 5e3).any(), name


def test_random_rows_do_not_show_half_of_a_maximum() -> None:
    """Shows why the builders are needed: with normal numbers the same mistake is barely visible."""
    x = 3.0 * np.random.default_rng(1).standard_normal((64, 1000))
    assert not (x[:, :500].max(axis=1) < x.max(axis=1) - 104).any()


@pytest.mark.parametrize("rows", [1, 2, 5, 20])
def test_with_few_rows_the_ends_come_first(rows: int) -> None:
    found = reductions.places(np.random.default_rng(3), 1000, rows)
    assert set(found) >= set([999, 0, 512, 511][:rows])


def test_lifted_rows_are_below_zero_and_above() -> None:
    x = reductions.lifted(np.random.default_rng(5), 100, 500.0)
    assert (x[::2] < -490).all()
    assert (x[1::2] > 490).all()
