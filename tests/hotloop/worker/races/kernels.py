# ruff: noqa: C901, N803 - kernels in many variants, with the constants of Triton
"""Launches whose programs share memory: RIGHT ones, and RACY ones.

Each is a function without arguments; its name says what the programs do. Interpreted only.
"""

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

Launch = Callable[[], object]
RIGHT: dict[str, Launch] = {}
RACY: dict[str, Launch] = {}
PROGRAMS = 8


def right(*hows: str) -> Callable[[Callable[[str], object]], Callable[[str], object]]:
    """Register a function with each argument as a right launch."""
    return lambda launch: _add(RIGHT, launch, hows)


def racy(*hows: str) -> Callable[[Callable[[str], object]], Callable[[str], object]]:
    """Register a function with each argument as a racy launch."""
    return lambda launch: _add(RACY, launch, hows)


def _add(table: dict[str, Launch], launch: Callable[[str], object], hows: tuple[str, ...]) -> Any:
    for how in hows:
        table[f"{launch.__name__} {how}"] = lambda how=how: launch(how)
    return launch


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape)


def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.zeros(*shape, dtype=dtype)


def flags(count: int = 1) -> torch.Tensor:
    return zeros(count, dtype=torch.int32)


# --- a sum over all programs ----------------------------------------------------------------------


@triton.jit
def part_of(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    return tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0)


@triton.jit
def sum_kernel(x_ptr, out_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    part = part_of(x_ptr, n, BLOCK)
    first = tl.program_id(0) == 0
    if HOW == "atomic":
        tl.atomic_add(out_ptr, part)
    elif HOW == "relaxed":
        tl.atomic_add(out_ptr, part, sem="relaxed")
    elif HOW == "max":
        tl.atomic_max(out_ptr, part)
    elif HOW == "swap":  # tries again until nobody came between
        old = tl.load(out_ptr, volatile=True)
        seen = tl.atomic_cas(out_ptr, old, old + part)
        while seen != old:
            old = seen
            seen = tl.atomic_cas(out_ptr, old, old + part)
    elif HOW == "of_the_block":
        tl.atomic_add(out_ptr, part, scope="cta")
    elif HOW == "plain":
        tl.store(out_ptr, tl.load(out_ptr) + part)
    elif HOW == "half_atomic":
        if tl.program_id(0) % 2 == 0:
            tl.atomic_add(out_ptr, part)
        else:
            tl.store(out_ptr, tl.load(out_ptr) + part)
    elif HOW == "cleared_inside":
        if first:
            tl.store(out_ptr, 0.0)
        tl.atomic_add(out_ptr, part)
    elif HOW == "first_stores":
        if first:
            tl.store(out_ptr, part)
        else:
            tl.atomic_add(out_ptr, part)
    elif HOW == "read_by_all":
        tl.atomic_add(out_ptr, part)
        tl.store(x_ptr + tl.program_id(0) * BLOCK, tl.load(out_ptr))


@right("atomic", "relaxed", "max", "swap")
@racy("of_the_block", "plain", "half_atomic", "cleared_inside", "first_stores", "read_by_all")
def sum_of_all(how: str) -> None:
    sum_kernel[(PROGRAMS,)](numbers(1000), zeros(1), 1000, HOW=how, BLOCK=128)


# --- a lock ---------------------------------------------------------------------------------------


@triton.jit
def lock_kernel(x_ptr, out_ptr, lock_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    part = part_of(x_ptr, n, BLOCK)
    before = 0.0
    if HOW == "read_before":
        before = tl.load(out_ptr)
    if HOW == "relaxed_lock":
        while tl.atomic_cas(lock_ptr, 0, 1, sem="relaxed") == 1:
            pass
    elif HOW == "semantics_swapped":
        while tl.atomic_cas(lock_ptr, 0, 1, sem="release") == 1:
            pass
    elif HOW == "named":
        while tl.atomic_cas(lock_ptr, 0, 1, sem="acquire") == 1:
            pass
    elif HOW == "test_and_set":
        while tl.atomic_xchg(lock_ptr, 1, sem="acquire") == 1:
            pass
    elif HOW == "lock_of_the_block":
        while tl.atomic_cas(lock_ptr, 0, 1, scope="cta") == 1:
            pass
    elif HOW == "two_locks":
        while tl.atomic_cas(lock_ptr + tl.program_id(0) % 2, 0, 1) == 1:
            pass
    elif HOW == "ticket":
        ticket = tl.atomic_add(lock_ptr, 1)
        while tl.atomic_add(lock_ptr + 1, 0) != ticket:
            pass
    elif HOW == "counts_its_tries":
        tries = 0
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            tries += 1
    elif HOW != "no_lock":
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            pass
    if HOW != "read_before":
        before = tl.load(out_ptr)
    if HOW == "stored_after":
        tl.atomic_xchg(lock_ptr, 0)
    tl.store(out_ptr, before + part)
    tl.debug_barrier()
    if HOW == "relaxed_unlock":
        tl.atomic_xchg(lock_ptr, 0, sem="relaxed")
    elif HOW == "semantics_swapped":
        tl.atomic_xchg(lock_ptr, 0, sem="acquire")
    elif HOW == "named" or HOW == "test_and_set":
        tl.atomic_xchg(lock_ptr, 0, sem="release")
    elif HOW == "plain_unlock":
        tl.store(lock_ptr, 0)
    elif HOW == "two_locks":
        tl.atomic_xchg(lock_ptr + tl.program_id(0) % 2, 0)
    elif HOW == "ticket":
        tl.atomic_add(lock_ptr + 1, 1)
    elif HOW != "stored_after":
        tl.atomic_xchg(lock_ptr, 0)


@right("usual", "named", "test_and_set", "ticket", "counts_its_tries")
@racy("relaxed_lock", "relaxed_unlock", "semantics_swapped", "plain_unlock", "two_locks")
@racy("read_before", "stored_after", "lock_of_the_block", "no_lock")
def lock(how: str) -> None:
    lock_kernel[(PROGRAMS,)](numbers(1000), zeros(1), flags(2), 1000, HOW=how, BLOCK=128)


# --- the last one to arrive -----------------------------------------------------------------------


@triton.jit
def last_kernel(x_ptr, parts_ptr, count_ptr, out_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    number, programs = tl.program_id(0), tl.num_programs(0)
    part = part_of(x_ptr, n, BLOCK)
    if HOW != "stored_late":
        tl.store(parts_ptr + number, part)
    if HOW == "relaxed":
        arrived = tl.atomic_add(count_ptr, 1, sem="relaxed")
    elif HOW == "plain_count":
        arrived = tl.load(count_ptr)
        tl.store(count_ptr, arrived + 1)
    elif HOW == "wraps":
        arrived = tl.atomic_add(count_ptr, 1, sem="acq_rel") % programs
    else:
        arrived = tl.atomic_add(count_ptr, 1)
    if HOW == "stored_late":
        tl.store(parts_ptr + number, part)
    last = programs - 1
    if HOW == "last_but_one":
        last = programs - 2
    if HOW == "last_number":
        arrived = number
    if arrived == last:
        tl.store(out_ptr, tl.sum(tl.load(parts_ptr + tl.arange(0, 8)), axis=0))


@right("usual", "wraps")
@racy("relaxed", "stored_late", "last_but_one", "last_number", "plain_count")
def last_to_arrive(how: str) -> None:
    parts = numbers(1000), zeros(PROGRAMS), flags(), zeros(1)
    last_kernel[(PROGRAMS,)](*parts, 1000, HOW=how, BLOCK=128)


# --- a running sum: each program waits for the one before -----------------------------------------


@triton.jit
def scan_kernel(x_ptr, flag_ptr, out_ptr, HOW: tl.constexpr):
    number, programs = tl.program_id(0), tl.num_programs(0)
    mine = tl.load(x_ptr + number)
    before = number - 1
    if HOW == "backwards":  # waits for a later program
        before = number + 1
    if (before >= 0) & (before < programs):
        if HOW == "volatile_wait":
            while tl.load(flag_ptr + before, volatile=True) == 0:
                pass
        elif HOW == "plain_wait":
            while tl.load(flag_ptr + before) == 0:
                pass
        elif HOW == "other_flag":
            while tl.atomic_cas(flag_ptr + (number + programs - 2) % programs, 1, 1) != 1:
                pass
        elif HOW == "by_sum":
            while tl.atomic_add(flag_ptr + before, 0, sem="acquire") == 0:
                pass
        elif HOW == "two_at_a_time":  # two reads in one loop
            done = 0
            while done == 0:
                one = tl.atomic_or(flag_ptr + before, 0)
                other = tl.atomic_or(flag_ptr + before, 0)
                done = one & other
        elif HOW != "no_wait":
            while tl.atomic_cas(flag_ptr + before, 1, 1) != 1:
                pass
        mine += tl.load(out_ptr + before)
    if HOW == "flag_first":
        tl.atomic_xchg(flag_ptr + number, 1)
    tl.store(out_ptr + number, mine)
    tl.debug_barrier()
    if HOW == "plain_flag":
        tl.store(flag_ptr + number, 1)
    elif HOW == "relaxed_flag":
        tl.atomic_xchg(flag_ptr + number, 1, sem="relaxed")
    elif HOW == "by_sum":
        tl.atomic_add(flag_ptr + number, 1, sem="release")
    elif HOW != "flag_first" and HOW != "flag_forgotten":
        tl.atomic_xchg(flag_ptr + number, 1)


@right("usual", "by_sum", "backwards", "two_at_a_time")
@racy("volatile_wait", "plain_wait", "no_wait", "other_flag", "flag_first", "plain_flag")
@racy("relaxed_flag", "flag_forgotten")
def running_sum(how: str) -> None:
    scan_kernel[(PROGRAMS,)](numbers(PROGRAMS), flags(PROGRAMS), zeros(PROGRAMS), HOW=how)


# --- a barrier of the whole grid ------------------------------------------------------------------


@triton.jit
def barrier_kernel(x_ptr, out_ptr, count_ptr, HOW: tl.constexpr, BLOCK: tl.constexpr):
    number, programs = tl.program_id(0), tl.num_programs(0)
    lanes = tl.arange(0, BLOCK)
    tl.store(x_ptr + number * BLOCK + lanes, number + lanes * 1.0)
    if HOW == "usual":
        tl.atomic_add(count_ptr, 1)
        while tl.atomic_add(count_ptr, 0) < programs:
            pass
    elif HOW == "read_acquires":
        tl.atomic_add(count_ptr, 1, sem="release")
        while tl.atomic_cas(count_ptr, programs, programs, sem="acquire") != programs:
            pass
    elif HOW == "a_flag_for_each":  # waits for a block of flags
        tl.atomic_xchg(count_ptr + number, 1, sem="release")
        waiting = 1
        while waiting > 0:
            seen = tl.atomic_or(count_ptr + tl.arange(0, 8), 0, sem="acquire")
            waiting = 8 - tl.sum(seen, axis=0)
    elif HOW == "relaxed":
        tl.atomic_add(count_ptr, 1, sem="relaxed")
        while tl.atomic_add(count_ptr, 0, sem="relaxed") < programs:
            pass
    elif HOW == "one_short":
        tl.atomic_add(count_ptr, 1)
        while tl.atomic_add(count_ptr, 0) < programs - 1:
            pass
    elif HOW == "one_too_many":
        tl.atomic_add(count_ptr, 1)
        while tl.atomic_add(count_ptr, 0) < programs + 1:
            pass
    elif HOW == "of_the_block":
        tl.debug_barrier()
    tl.store(
        out_ptr + number * BLOCK + lanes, tl.load(x_ptr + (number + 1) % programs * BLOCK + lanes)
    )


@right("usual", "read_acquires", "a_flag_for_each")
@racy("relaxed", "one_short", "of_the_block", "one_too_many")
def barrier(how: str) -> None:
    size = PROGRAMS * 16
    barrier_kernel[(PROGRAMS,)](zeros(size), zeros(size), flags(PROGRAMS), HOW=how, BLOCK=16)


# --- many flags at once ---------------------------------------------------------------------------


@triton.jit
def many_flags_kernel(x_ptr, out_ptr, flags_ptr, HOW: tl.constexpr, EACH: tl.constexpr):
    number, programs = tl.program_id(0), tl.num_programs(0)
    all_flags = flags_ptr + tl.arange(0, 8 * EACH)
    own_flags = flags_ptr + number * EACH + tl.arange(0, EACH)
    if HOW == "waits_for_all" or HOW == "relaxed_wait" or HOW == "some_late":
        tl.store(x_ptr + number, number * 1.0)
        tl.debug_barrier()
        tl.atomic_xchg(own_flags, 1)
        set_flags = 0
        while set_flags < 8 * EACH - (HOW == "some_late") * EACH:
            if HOW == "relaxed_wait":
                seen = tl.atomic_or(all_flags, 0, sem="relaxed")
            else:
                seen = tl.atomic_or(all_flags, 0)
            set_flags = tl.sum(seen, axis=0)
    else:
        if number == 0:
            tl.store(x_ptr + tl.arange(0, 8), tl.arange(0, 8) * 1.0)
            tl.debug_barrier()
            if HOW == "relaxed_set":
                tl.atomic_xchg(all_flags, 1, sem="relaxed")
            else:
                tl.atomic_xchg(all_flags, 1)
        while tl.atomic_or(flags_ptr + number * EACH, 0) == 0:
            pass
    tl.store(out_ptr + number, tl.load(x_ptr + (number + 1) % programs))


@right("waits_for_all", "one_sets_all")
@racy("relaxed_wait", "some_late", "relaxed_set")
def many_flags(how: str) -> None:
    each = 32
    x, out = zeros(PROGRAMS), zeros(PROGRAMS)
    many_flags_kernel[(PROGRAMS,)](x, out, flags(PROGRAMS * each), HOW=how, EACH=each)


# --- blocks of one tensor -------------------------------------------------------------------------


@triton.jit
def blocks_kernel(x_ptr, out_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    number = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    at = number * BLOCK + lanes
    if HOW == "in_place":
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)
    elif HOW == "neighbor":
        after = tl.load(x_ptr + at + 1, mask=at + 1 < n, other=0.0)
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0) + after, mask=at < n)
    elif HOW == "reversed":
        tl.store(x_ptr + at, tl.load(x_ptr + n - 1 - at, mask=at < n, other=0.0), mask=at < n)
    elif HOW == "overlap_in_place":
        at = number * (BLOCK - 1) + lanes
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)
    elif HOW == "overlap_same_values":
        at = number * (BLOCK - 1) + lanes
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)
    elif HOW == "overlap_other_values":
        at = number * (BLOCK - 1) + lanes
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2 + number, mask=at < n)
    elif HOW == "past_the_row":
        wide = number * BLOCK + tl.arange(0, 2 * BLOCK)
        tl.store(out_ptr + wide, tl.load(x_ptr + wide, mask=wide < n) + number, mask=wide < n)
    elif HOW == "two_places":
        value = tl.load(x_ptr + at, mask=at < n, other=0.0)
        tl.store(out_ptr + number % 2 * BLOCK + lanes, value)
    elif HOW == "any_found":  # whoever finds one stores the same
        if tl.max(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0) > 0:
            tl.store(out_ptr, 1.0)
    elif HOW == "all_store_the_same":
        tl.store(out_ptr, n * 1.0)
        tl.store(x_ptr + at, 1.0, mask=at < n)
    elif HOW == "read_back":
        tl.store(out_ptr + number, n * 1.0)
        tl.store(x_ptr + at, tl.load(out_ptr + number), mask=at < n)
    elif HOW == "same_parameter_again":  # reads one number again and again, and waits for nobody
        total = tl.load(x_ptr + at, mask=at < n, other=0.0)
        for _ in range(300):
            total += tl.load(out_ptr + 1100)
        tl.store(out_ptr + at, total, mask=at < n)
    elif HOW == "same_parameter_in_each_part":
        last = out_ptr + 1100
        if (tl.load(last) > 2) or (tl.load(last) > 1) or (tl.load(last) > 0):
            n = 0
        tl.store(out_ptr + at, at * 1.0, mask=at < n)
    elif HOW == "one_stores_all_read":
        if number == 0:
            tl.store(out_ptr, n * 1.0)
        tl.store(x_ptr + at, tl.load(out_ptr), mask=at < n)
    elif HOW == "two_lanes":
        tl.store(out_ptr + number * BLOCK + lanes // 2, tl.load(x_ptr + at, mask=at < n))
    elif HOW == "two_lanes_same_value":
        tl.store(out_ptr + number * BLOCK + lanes // 2, n * 1.0)
    elif HOW == "descriptor":
        blocks = tl.make_tensor_descriptor(out_ptr, (1024,), (1,), (BLOCK,))
        blocks.store([number * BLOCK], tl.load(x_ptr + at, mask=at < n, other=0.0))
    elif HOW == "descriptors_overlap":
        blocks = tl.make_tensor_descriptor(out_ptr, (1024,), (1,), (BLOCK,))
        blocks.store([number * BLOCK // 2], tl.load(x_ptr + at, mask=at < n, other=0.0))


@right("in_place", "overlap_same_values", "any_found", "all_store_the_same", "read_back")
@right("same_parameter_again", "same_parameter_in_each_part", "two_lanes_same_value", "descriptor")
@racy("neighbor", "reversed", "overlap_in_place", "overlap_other_values", "past_the_row")
@racy("two_places", "one_stores_all_read", "two_lanes", "descriptors_overlap")
def blocks(how: str) -> None:
    blocks_kernel[(PROGRAMS,)](numbers(1000), zeros(1200), 1000, HOW=how, BLOCK=128)


# --- a matrix product over a part of K ------------------------------------------------------------


@triton.jit
def product_kernel(
    a_ptr, b_ptr, out_ptr, M, N, K, HOW: tl.constexpr, TILE: tl.constexpr, SPLIT: tl.constexpr
):
    row, column, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    steps = tl.arange(0, TILE)
    rows, columns = row * TILE + steps, column * TILE + steps
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(part * TILE, K, TILE * SPLIT):
        a = tl.load(a_ptr + rows[:, None] * K + (start + steps)[None, :])
        b = tl.load(b_ptr + (start + steps)[:, None] * N + columns[None, :])
        total += tl.dot(a, b)
    tile = out_ptr + rows[:, None] * N + columns[None, :]
    if HOW == "atomic":
        tl.atomic_add(tile, total, sem="relaxed")
    elif HOW == "plain":
        tl.store(tile, tl.load(tile) + total)
    elif HOW == "stored":
        tl.store(tile, total)
    elif HOW == "parts":
        tl.store(tile + part * M * N, total)
    elif HOW == "parts_too_short":
        tl.store(tile + part * (M - 1) * N, total)
    elif HOW == "first_stores":
        if part == 0:
            tl.store(tile, total)
        else:
            tl.atomic_add(tile, total)


@right("atomic", "parts")
@racy("plain", "stored", "parts_too_short", "first_stores")
def split_product(how: str) -> None:
    factors = numbers(32, 64), numbers(64, 32), zeros(4, 32, 32)
    product_kernel[(2, 2, 2)](*factors, 32, 32, 64, HOW=how, TILE=16, SPLIT=2)


# --- tiles from a counter, and fixed shares -------------------------------------------------------


@triton.jit
def queue_kernel(x_ptr, out_ptr, queue_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    tile = 0
    while tile < 8:
        if HOW == "plain":
            tile = tl.load(queue_ptr)
            tl.store(queue_ptr, tile + 1)
        elif HOW == "relaxed":
            tile = tl.atomic_add(queue_ptr, 1, sem="relaxed")
        else:
            tile = tl.atomic_add(queue_ptr, 1)
        at = tile * BLOCK + tl.arange(0, BLOCK)
        inside = (at < n) & (tile < 8)
        value = tl.load(x_ptr + at, mask=inside, other=0.0)
        if HOW == "sum":
            tl.store(out_ptr, tl.load(out_ptr) + tl.sum(value, axis=0))
        else:
            tl.store(out_ptr + at, value + tile, mask=inside)
        if HOW == "overlap":
            tl.store(out_ptr + at + 1, value + tile, mask=inside & (at + 1 < n))


@right("usual", "relaxed")
@racy("plain", "overlap", "sum")
def queue(how: str) -> None:
    queue_kernel[(4,)](numbers(1000), zeros(1200), flags(), 1000, HOW=how, BLOCK=128)


@triton.jit
def shares_kernel(x_ptr, out_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    number, step = tl.program_id(0), tl.num_programs(0)
    if HOW == "short_step":
        step -= 1
    for tile in range(number, 8, step):
        at = tile * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x_ptr + at, mask=at < n, other=0.0)
        tl.store(out_ptr + at, value * 2 + number, mask=at < n)


@right("usual")
@racy("short_step")
def shares(how: str) -> None:
    shares_kernel[(3,)](numbers(1000), zeros(1200), 1000, HOW=how, BLOCK=128)


# --- a histogram ----------------------------------------------------------------------------------


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at, mask=at < n, other=0)
    bins = out_ptr + tl.arange(0, 16)
    if HOW == "blocks":
        tl.atomic_add(bins, tl.histogram(value, 16))
    elif HOW == "lanes":
        tl.atomic_add(out_ptr + value, tl.full((BLOCK,), 1, tl.int32), mask=at < n, sem="relaxed")
    elif HOW == "plain":
        tl.store(bins, tl.load(bins) + tl.histogram(value, 16))


@right("blocks", "lanes")
@racy("plain")
def histogram(how: str) -> None:
    values = torch.randint(0, 16, (1000,), dtype=torch.int32)
    histogram_kernel[(PROGRAMS,)](values, flags(16), 1000, HOW=how, BLOCK=128)


# --- rows that need a number of all rows ----------------------------------------------------------


@triton.jit
def rows_kernel(x_ptr, mean_ptr, out_ptr, columns, HOW: tl.constexpr, BLOCK: tl.constexpr):
    row, rows = tl.program_id(0), tl.num_programs(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    other = row
    if HOW == "next_row":
        other = (row + 1) % rows
    if HOW == "of_all":
        other = 0
        tl.atomic_max(mean_ptr, tl.max(x, axis=0))
    else:
        tl.store(mean_ptr + row, tl.sum(x, axis=0))
    tl.store(out_ptr + row * columns + at, x - tl.load(mean_ptr + other), mask=at < columns)


@right("own")
@racy("next_row", "of_all")
def rows(how: str) -> None:
    rows_kernel[(PROGRAMS,)](
        numbers(PROGRAMS, 50), zeros(PROGRAMS), zeros(PROGRAMS, 50), 50, HOW=how, BLOCK=64
    )


# --- stream-K: the owner of a tile waits for LATER programs ---------------------------------------


@triton.jit
def stream_kernel(x_ptr, parts_ptr, flag_ptr, out_ptr, HOW: tl.constexpr, BLOCK: tl.constexpr):
    number = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    value = tl.load(x_ptr + number * BLOCK + lanes)
    tile = number // 4
    if number % 4 == 0:
        for helper in range(1, 4):
            while tl.atomic_cas(flag_ptr + tile * 4 + helper, 1, 1) != 1:
                pass
            if HOW == "one_buffer":
                value += tl.load(parts_ptr + tile * BLOCK + lanes)
            else:
                value += tl.load(parts_ptr + (number + helper) * BLOCK + lanes)
        tl.store(out_ptr + tile * BLOCK + lanes, value)
    else:
        if HOW == "flag_first":
            tl.atomic_xchg(flag_ptr + number, 1)
        if HOW == "one_buffer":
            tl.store(parts_ptr + tile * BLOCK + lanes, value)
        else:
            tl.store(parts_ptr + number * BLOCK + lanes, value)
        tl.debug_barrier()
        if HOW == "relaxed":
            tl.atomic_xchg(flag_ptr + number, 1, sem="relaxed")
        elif HOW != "flag_first":
            tl.atomic_xchg(flag_ptr + number, 1)


@right("usual")
@racy("flag_first", "relaxed", "one_buffer")
def stream(how: str) -> None:
    size = PROGRAMS * 16
    parts = numbers(size), zeros(size), flags(PROGRAMS), zeros(32)
    stream_kernel[(PROGRAMS,)](*parts, HOW=how, BLOCK=16)


# --- two launches ---------------------------------------------------------------------------------


@right("the_second_reads_the_first")
def two_launches(_how: str) -> None:
    """Launches are ordered, even if other programs than before touch the same bytes."""
    x, out = numbers(1000), zeros(1200)
    blocks_kernel[(PROGRAMS,)](x, out, 1000, HOW="overlap_same_values", BLOCK=128)
    blocks_kernel[(PROGRAMS,)](out, x, 1000, HOW="overlap_same_values", BLOCK=64)
