"""Accesses are counted, and each must be inside the elements of a tensor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.worker.triton_memory import MemoryFault, ReplayMemory, TensorRegion, element_bytes


def memory(**last: object) -> ReplayMemory:
    """Two arguments of 64 bytes; `last` changes the second, which is writable."""
    return ReplayMemory(
        [
            TensorRegion(("argument", 0), 64, writable=False),
            TensorRegion(("argument", 1), 64, writable=True, **last),  # pyright: ignore
        ]
    )


def at(region: TensorRegion, *offsets: int) -> np.ndarray:
    return np.array([region.start + offset for offset in offsets], np.uint64)


def numbers(count: int) -> np.ndarray:
    return np.arange(1, count + 1, dtype=np.float32)


def test_counts_loads_and_stores_by_tensor() -> None:
    tensors = memory()
    x, out = tensors.regions
    tensors.load(at(x, 0, 4, 8), 4)
    tensors.store(at(out, 0, 60), numbers(2))
    assert (x.loaded_bytes, x.stored_bytes) == (12, 0)
    assert (out.loaded_bytes, out.stored_bytes) == (0, 8)


def test_an_address_counts_once_in_an_access_and_again_in_the_next() -> None:
    tensors = memory()
    x = tensors.regions[0]
    tensors.load(at(x, 0, 0, 0, 4), 4)
    assert x.loaded_bytes == 8
    tensors.load(at(x, 0), 4)
    assert x.loaded_bytes == 12


def test_one_access_may_touch_two_tensors() -> None:
    tensors = memory()
    x, out = tensors.regions
    tensors.load(np.concatenate([at(x, 0), at(out, 0, 4)]), 4)
    assert (x.loaded_bytes, out.loaded_bytes) == (4, 8)


def test_nothing_is_moved_by_an_access_without_lanes() -> None:
    tensors = memory()
    tensors.load(np.zeros(0, np.uint64), 4)
    tensors.store(np.zeros(0, np.uint64), numbers(0))
    assert [r.loaded_bytes + r.stored_bytes for r in tensors.regions] == [0, 0]


@pytest.mark.parametrize(
    ("offset", "distance"),
    [(64, 4), (61, 1), (160, 100), (-4, -4), (-1, -1), (1 << 40, (1 << 40) - 60)],
)
def test_an_address_outside_is_a_fault(offset: int, distance: int) -> None:
    tensors = memory()
    out = tensors.regions[1]
    with pytest.raises(MemoryFault) as caught:
        tensors.store(at(out, 0, offset), numbers(2))
    assert (caught.value.kind, caught.value.distance) == ("outside", distance)
    assert caught.value.region is out
    assert out.stored_bytes == 0


@pytest.mark.parametrize("address", [0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_wild_addresses_are_faults(address: int) -> None:
    with pytest.raises(MemoryFault, match="outside"):
        memory().load(np.array([address], np.uint64), 8)


def test_an_input_cannot_be_written() -> None:
    tensors = memory()
    with pytest.raises(MemoryFault, match="read_only"):
        tensors.store(at(tensors.regions[0], 0), numbers(1))


def test_gaps_between_rows_are_not_elements() -> None:
    valid = element_bytes((2, 2), (5, 1), 4)
    tensors = ReplayMemory([TensorRegion(("argument", 0), len(valid), False, valid=valid)])
    x = tensors.regions[0]
    tensors.load(at(x, 0, 4, 20, 24), 4)
    assert x.loaded_bytes == 16
    with pytest.raises(MemoryFault, match="gap"):
        tensors.load(at(x, 8), 4)


def test_a_temporary_is_read_only_after_it_was_written() -> None:
    tensors = memory(known=np.zeros(64, np.bool_))
    out = tensors.regions[1]
    with pytest.raises(MemoryFault, match="uninitialized"):
        tensors.load(at(out, 0), 4)
    tensors.store(at(out, 0), numbers(1))
    tensors.load(at(out, 0), 4)
    with pytest.raises(MemoryFault, match="uninitialized"):
        tensors.load(at(out, 2), 4)


def test_reading_a_fill_counts_the_store_that_made_it_once() -> None:
    tensors = memory(known=np.zeros(64, np.bool_), filled=True)
    out = tensors.regions[1]
    tensors.load(at(out, 0, 4), 4)
    tensors.load(at(out, 0, 4), 4)
    assert (out.loaded_bytes, out.stored_bytes) == (16, 8)


@pytest.mark.slow
@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    gap=st.integers(0, 3),
    item=st.sampled_from([1, 2, 4]),
)
def test_element_bytes_are_exactly_those_of_the_elements(
    shape: list[int], gap: int, item: int
) -> None:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1] + gap
    valid = element_bytes(shape, strides, item)
    assert valid.sum() == np.prod(shape) * item
    assert valid[0]
    assert valid[-1]
