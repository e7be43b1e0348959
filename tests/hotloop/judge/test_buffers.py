"""Only the judge can resize a buffer or write an input."""

import mmap
import os

import numpy as np
import pytest

from hotloop.judge.buffers import PAGE, Buffer, TensorPlacement, extent_bytes, row_strides
from hotloop.judge.dtypes import FP32


@pytest.mark.parametrize("writable", [True, False])
def test_a_buffer_cannot_be_resized_or_unsealed(writable: bool) -> None:
    import fcntl

    with Buffer(10_000, writable=writable) as buffer:
        for size in (0, PAGE, 10 * PAGE):
            with pytest.raises(PermissionError):
                os.ftruncate(buffer.fd, size)
        with pytest.raises(PermissionError):
            fcntl.fcntl(buffer.fd, 1033, 0)


def test_an_input_is_written_by_the_judge_alone() -> None:
    with Buffer(PAGE, writable=False) as buffer:
        with pytest.raises(PermissionError):
            mmap.mmap(buffer.fd, PAGE, mmap.MAP_SHARED, mmap.PROT_WRITE | mmap.PROT_READ)
        with pytest.raises(PermissionError):
            os.pwrite(buffer.fd, b"x", 0)
        seen = mmap.mmap(buffer.fd, PAGE, mmap.MAP_SHARED, mmap.PROT_READ)
        buffer.bytes[0] = 42
        assert seen[0] == 42


def test_an_output_is_shared_both_ways() -> None:
    with Buffer(1, writable=True) as buffer:
        theirs = mmap.mmap(buffer.fd, PAGE)
        theirs[5] = 7
        assert buffer.bytes[5] == 7


def test_a_placement_views_strided_rows() -> None:
    strides = row_strides((3, 4), gap=2)
    assert strides == (6, 1)
    assert extent_bytes((3, 4), strides, FP32) == 4 * (2 * 6 + 4)
    assert extent_bytes((0, 4), strides, FP32) == 0
    with Buffer(400, writable=True) as buffer:
        view = TensorPlacement(0, 8, FP32, (3, 4), strides).view(buffer)
        view[...] = np.arange(12).reshape(3, 4)
        flat = buffer.bytes.view(np.float32)
        assert flat[2 + 6] == 4
        assert flat[2 + 4] == 0
