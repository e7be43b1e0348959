"""Writes past the tensors of a repro program: told, and deadly to no process."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

from hotloop.learn.repro.guarded_memory import ROOM_BYTES, GuardedMemory

FLOAT = 4


def written(memory: GuardedMemory, count: int, first: int, last: int) -> list[str]:
    """Write elements [first, last] of a new output, with its address alone."""
    output = memory.new("the output", [count], [1], FLOAT)
    ctypes.memset(output.ctypes.data + first * FLOAT, 0, (last + 1 - first) * FLOAT)
    return memory.stray_writes()


@pytest.mark.parametrize("count", [1, 3, 1000, 5000])
def test_a_write_past_the_end_is_told_with_its_elements(count: int) -> None:
    [told] = written(GuardedMemory(), count, 0, 1023 + count)
    places = f"1024 elements, [{count}] to [{count + 1023}],"
    assert told == f"the output, of length {count}: {places} written past its end"


def test_a_write_before_the_start_is_told() -> None:
    assert written(GuardedMemory(), 4, -1, -1) == [
        "the output, of length 4: element [-1] written before its start"
    ]


def test_all_of_a_tensor_may_be_written() -> None:
    assert written(GuardedMemory(), 1000, 0, 999) == []


def test_what_is_read_past_one_tensor_and_written_past_another_is_told() -> None:
    memory = GuardedMemory()
    source, target = (
        memory.new("argument_0", [8], [1], FLOAT),
        memory.new("the output", [8], [1], FLOAT),
    )
    ctypes.memmove(target.ctypes.data, source.ctypes.data, 16 * FLOAT)
    assert memory.stray_writes() == [
        "the output, of length 8: 8 elements, [8] to [15], written past its end"
    ]


def test_a_write_between_rows_is_told_and_one_to_each_element_is_not() -> None:
    memory = GuardedMemory()
    rows = memory.new("the output", [3, 4], [6, 1], FLOAT).view(np.float32)
    np.lib.stride_tricks.as_strided(rows, (3, 4), (24, 4))[...] = np.nan
    assert memory.stray_writes() == []
    rows[4] = 1
    assert memory.stray_writes() == [
        "the output, of length 16: element [4] written between its rows"
    ]


@pytest.mark.parametrize("shape", [[0], [0, 5], [3, 0]])
def test_a_tensor_without_elements_has_room_only(shape: list[int]) -> None:
    memory = GuardedMemory()
    assert memory.new("argument_0", shape, [8, 1][-len(shape) :], FLOAT).size == 0
    assert memory.stray_writes() == []


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_the_bytes_can_be_elements_of_any_dtype(dtype: type[np.generic]) -> None:
    item = np.dtype(dtype).itemsize
    values = GuardedMemory().new("argument_0", [7], [1], item).view(dtype)
    values[...] = 3
    assert values.tolist() == [3] * 7


@pytest.mark.slow
def test_a_write_past_the_room_ends_at_once_and_python_says_where() -> None:
    program = f"""
import ctypes, faulthandler
from hotloop.learn.repro.guarded_memory import GuardedMemory
faulthandler.enable()
output = GuardedMemory().new("the output", [4], [1], 4)
ctypes.memset(output.ctypes.data, 0, {2 * ROOM_BYTES})
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode < 0
    assert 'File "<string>", line 6' in done.stderr
