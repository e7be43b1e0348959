"""A launch plan is replayed with vetted kernels only; bytes are counted, stray accesses fail."""

import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import wire
from hotloop.worker import triton_replay

from .started import Started

HEAD = "import triton\nimport triton.language as tl\n"
ROWS, COLUMNS = 4, 100

COPY = (
    HEAD
    + """
@triton.jit
def copy(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr, times: tl.constexpr = 1):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    for _ in range(times):
        x = tl.load(x_ptr + row * stride + columns, mask=inside, other=0.0)
    tl.store(out_ptr + row * n + columns, x, mask=inside)
"""
)

SUM = (
    HEAD
    + """
@triton.jit
def total(x_ptr, sum_ptr, n, stride, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * stride + columns, mask=columns < n, other=0.0)
    tl.atomic_add(sum_ptr, tl.sum(x, 0))

@triton.jit
def spread(sum_ptr, out_ptr, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    value = tl.load(sum_ptr + columns * 0)
    tl.store(out_ptr + tl.program_id(0) * n + columns, value, mask=columns < n)
"""
)

BLOCKED = (
    HEAD
    + """
@triton.jit
def copy(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.make_tensor_descriptor(x_ptr, (4, n), (stride, 1), (1, BLOCK))
    target = tl.make_tensor_descriptor(out_ptr, (4, n), (n, 1), (1, BLOCK))
    target.store([row, 0], source.load([row, 0]))
"""
)


class Replayer(Started):
    """The replay program with two buffers: an input with gaps between rows, and an output."""

    def __init__(self, folder: Path, gap: int = 4) -> None:
        self.stride = COLUMNS + gap
        super().__init__("hotloop.worker.triton_replay", folder)
        self.x = self._buffer(0, np.zeros((ROWS, self.stride), np.float32))
        self.out = self._buffer(1, np.zeros((ROWS, COLUMNS), np.float32))
        self.x[...] = np.arange(self.x.size).reshape(self.x.shape) % 89

    def replay(
        self,
        source: str,
        launches: list[dict[str, Any]],
        scratch: list[dict[str, Any]] | None = None,
        returned: list[dict[str, Any]] | None = None,
    ) -> wire.Message:
        self.out[...] = np.nan
        shape = [ROWS, COLUMNS]
        place = {"offset": 0, "dtype": "fp32", "shape": shape}
        reply = self.ask(
            {
                "op": "replay",
                "resident": 2,
                "source": source,
                "tensors": [
                    {"buffer": 0, **place, "strides": [self.stride, 1]},
                    None,
                    {"buffer": 1, **place, "strides": [COLUMNS, 1]},
                ],
                "writable": [2],
                "plan": {"launches": launches, "scratch": scratch or []},
                "returned": returned or [],
                "seed": 7,
            }
        )
        assert reply["ok"], reply
        return reply

    def launch(self, kernel: str = "copy", grid: int = ROWS, **changes: Any) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "x_ptr": pointer("argument", 0),
            "out_ptr": pointer("argument", 2),
            "n": {"value": COLUMNS},
            "stride": {"value": self.stride},
            "BLOCK": {"value": 128},
        }
        arguments.update(changes)
        kept = {name: value for name, value in arguments.items() if value is not None}
        return {"kernel": kernel, "grid": [grid, 1, 1], "arguments": kept}

    def _buffer(self, index: int, like: np.ndarray) -> np.ndarray:
        fd = os.memfd_create("test")
        os.ftruncate(fd, like.nbytes)
        view = np.frombuffer(mmap.mmap(fd, like.nbytes), like.dtype).reshape(like.shape)
        described = {"id": index, "bytes": like.nbytes, "writable": index == 1}
        assert self.ask({"op": "map", "buffers": [described]}, (fd,))["ok"]
        os.close(fd)
        return view


def pointer(tensor: str, index: int, offset: int = 0, dtype: str = "fp32") -> dict[str, Any]:
    return {"tensor": tensor, "index": index, "offset": offset, "dtype": dtype}


def moved(reply: wire.Message) -> list[tuple[int, int]]:
    return [(entry["loaded_bytes"], entry["stored_bytes"]) for entry in reply["traffic"]]


@pytest.fixture(scope="module")
def replayer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replayer]:
    replayer = Replayer(tmp_path_factory.mktemp("replayer"))
    yield replayer
    replayer.close()


WHOLE = ROWS * COLUMNS * 4


@pytest.mark.slow
def test_replays_and_counts(replayer: Replayer) -> None:
    reply = replayer.replay(COPY, [replayer.launch()])
    assert moved(reply) == [(WHOLE, 0), (0, WHOLE)]
    np.testing.assert_array_equal(replayer.out, replayer.x[:, :COLUMNS])


@pytest.mark.slow
def test_counts_every_pass(replayer: Replayer) -> None:
    reply = replayer.replay(COPY, [replayer.launch(times={"value": 3})])
    assert moved(reply) == [(3 * WHOLE, 0), (0, WHOLE)]


@pytest.mark.slow
def test_a_missing_launch_leaves_the_output_unwritten(replayer: Replayer) -> None:
    reply = replayer.replay(COPY, [replayer.launch(grid=ROWS - 1)])
    assert moved(reply) == [(WHOLE * 3 // 4, 0), (0, WHOLE * 3 // 4)]
    assert np.isnan(replayer.out[3]).all()
    assert moved(replayer.replay(COPY, [replayer.launch(grid=0)])) == [(0, 0), (0, 0)]


def test_temporaries_and_atomics_count(replayer: Replayer) -> None:
    shared = pointer("scratch", 0)
    launches = [
        replayer.launch("total", out_ptr=None, sum_ptr=shared),
        replayer.launch("spread", x_ptr=None, stride=None, sum_ptr=shared),
    ]
    reply = replayer.replay(SUM, launches, [{"bytes": 4, "fill": "00000000"}])
    # Four atomic updates, four broadcast reads, and the fill that the first update read.
    assert moved(reply) == [(WHOLE, 0), (0, WHOLE), (4 * 4 + 4 * 4, 4 * 4 + 4)]
    assert (replayer.out == replayer.x[:, :COLUMNS].sum()).all()


def test_a_mask_leaves_nothing_where_no_other_is_named(replayer: Replayer) -> None:
    """The interpreter would give zeros; a GPU guarantees nothing."""
    right = replayer.replay(COPY.replace(", other=0.0", ""), [replayer.launch()])
    assert right["undefined"] == ROWS
    np.testing.assert_array_equal(replayer.out, replayer.x[:, :COLUMNS])  # they are not stored
    launches = [replayer.launch("add")]
    adding = COPY.replace("def copy(", "def add(")
    adding = adding.replace("    tl.store(", "    x = x * 0 + tl.sum(x, 0)\n    tl.store(")
    assert replayer.replay(adding, launches)["undefined"] == 0
    assert (replayer.out == replayer.x[:, :COLUMNS].sum(1, keepdims=True)).all()
    assert replayer.replay(adding.replace(", other=0.0", ""), launches)["undefined"] == ROWS
    assert np.isnan(replayer.out).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("uint16", 0x7FFF), ("int8", 127), ("int64", 2**63 - 1), ("bool", True)],
)
def test_what_is_undefined_is_no_usual_number(name: str, value: int) -> None:
    assert triton_replay.undefined(np.dtype(name)) == np.array(value, name)
    assert np.isnan(triton_replay.undefined(np.dtype("float16")))


def test_a_temporary_that_no_kernel_wrote_is_a_fault(replayer: Replayer) -> None:
    launch = replayer.launch(x_ptr=pointer("scratch", 0), stride={"value": COLUMNS})
    fault = replayer.replay(COPY, [launch], [{"bytes": WHOLE, "fill": None}])["fault"]
    assert (fault["kind"], fault["tensor"], fault["launch"]) == ("uninitialized", ["scratch", 0], 0)


def test_descriptors_are_counted_too(replayer: Replayer) -> None:
    reply = replayer.replay(BLOCKED, [replayer.launch()])
    assert moved(reply) == [(WHOLE, 0), (0, WHOLE)]
    np.testing.assert_array_equal(replayer.out, replayer.x[:, :COLUMNS])


@pytest.mark.parametrize(
    ("changes", "grid", "expected"),
    [
        ({}, ROWS + 1, ("outside", "read", ["argument", 0])),
        ({"n": {"value": COLUMNS + 1}}, 1, ("gap", "read", ["argument", 0])),
        ({"stride": {"value": 0}}, ROWS + 1, ("outside", "write", ["argument", 2])),
        ({"stride": {"value": 1 << 40}}, ROWS, ("outside", "read", ["argument", 2])),
        # No further: if the heap has low addresses, as with Debian's Python, an address would wrap.
        ({"stride": {"value": -(1 << 19)}}, ROWS, ("outside", "read", ["argument", 0])),
        ({"x_ptr": pointer("argument", 0, 1 << 40)}, 1, ("outside", "read", ["argument", 2])),
        ({"x_ptr": pointer("argument", 0, 16)}, ROWS, ("gap", "read", ["argument", 0])),
        ({"x_ptr": pointer("argument", 0, 0, "fp64")}, 1, ("gap", "read", ["argument", 0])),
        ({"out_ptr": pointer("argument", 0)}, 1, ("read_only", "write", ["argument", 0])),
    ],
)
def test_strays_are_faults(
    replayer: Replayer, changes: dict[str, Any], grid: int, expected: tuple[str, str, list[Any]]
) -> None:
    fault = replayer.replay(COPY, [replayer.launch(grid=grid, **changes)])["fault"]
    assert (fault["kind"], fault["access"], fault["tensor"]) == expected
    line = COPY.splitlines()[fault["line"] - 1]
    assert f"tl.{'load' if fault['access'] == 'read' else 'store'}" in line


def test_says_how_far_outside(replayer: Replayer) -> None:
    launch = replayer.launch(x_ptr=pointer("argument", 2, WHOLE - COLUMNS * 4 + 12), grid=1)
    fault = replayer.replay(COPY, [launch])["fault"]
    assert (fault["kind"], fault["distance"], fault["far"]) == ("outside", 12, False)
    far = replayer.replay(COPY, [replayer.launch(stride={"value": 1 << 40})])["fault"]
    assert far["far"]


def test_errors_of_a_kernel_carry_its_line(replayer: Replayer) -> None:
    broken = COPY.replace("x, mask=inside)", "missing, mask=inside)")
    fault = replayer.replay(broken, [replayer.launch()])["fault"]
    assert (fault["kind"], fault["type"]) == ("error", "NameError")
    assert "missing" in broken.splitlines()[fault["line"] - 1]


def test_what_the_interpreter_lacks_is_named(replayer: Replayer) -> None:
    text = COPY.replace(
        "    tl.store",
        '    x = tl.inline_asm_elementwise("", "=r,r", [x], tl.float32, True, 1)\n    tl.store',
    )
    fault = replayer.replay(text, [replayer.launch()])["fault"]
    assert (fault["kind"], fault["type"]) == ("error", "NotInterpreted")
    assert "cannot run tl.inline_asm_elementwise" in fault["message"]


def test_a_mask_of_and_keeps_both_halves(replayer: Replayer) -> None:
    text = COPY.replace("columns < n\n", "columns < n and columns < 7\n").replace(
        "other=0.0)\n", "other=0.0)\n    inside = inside or not (columns >= n)\n"
    )
    replayer.replay(text, [replayer.launch()])
    assert (replayer.out[:, :7] == replayer.x[:, :7]).all()
    assert (replayer.out[:, 7:] == 0).all()


def test_a_float_argument_is_a_tensor(replayer: Replayer) -> None:
    text = COPY.replace("stride, BLOCK", "stride, half, BLOCK").replace(
        "x, mask=inside)", "x * half.to(tl.float32), mask=inside)"
    )
    replayer.replay(text, [replayer.launch(half={"value": 0.5})])
    assert (replayer.out == replayer.x[:, :COLUMNS] / 2).all()


@pytest.mark.slow
def test_a_while_without_an_end_is_told(replayer: Replayer) -> None:
    text = COPY.replace("    tl.store", "    while n > 0:\n        pass\n    tl.store")
    fault = replayer.replay(text, [replayer.launch()])["fault"]
    assert "has gone round" in fault["message"]
    assert "while" in text.splitlines()[fault["line"] - 1]


def test_programs_run_in_no_promised_order(replayer: Replayer) -> None:
    """A kernel that accumulates over programs by reading what the previous one stored."""
    chained = HEAD + (
        "@triton.jit\ndef chain(x_ptr, out_ptr):\n"
        "    i = tl.program_id(0)\n"
        "    before = tl.load(out_ptr + i - 1, mask=i > 0, other=0.0)\n"
        "    tl.store(out_ptr + i, before + 1.0)\n"
    )
    arguments = {"n": None, "stride": None, "BLOCK": None}
    replayer.replay(chained, [replayer.launch("chain", COLUMNS, **arguments)])
    in_order = np.arange(1, COLUMNS + 1)
    assert not np.array_equal(replayer.out[0], in_order)


def test_a_program_leaves_nothing_for_the_next(replayer: Replayer) -> None:
    """Arguments are made anew, so that no loaded value can be kept in one."""
    keeping = HEAD + (
        "@triton.jit\ndef keep(x_ptr, out_ptr):\n"
        "    s = x_ptr.shape\n"
        "    s += (1,)\n"
        "    tl.store(out_ptr + tl.program_id(0), len(x_ptr.shape) * 1.0)\n"
    )
    arguments = {"n": None, "stride": None, "BLOCK": None}
    replayer.replay(keeping, [replayer.launch("keep", ROWS, **arguments)])
    assert len(set(replayer.out[0, :ROWS].tolist())) == 1


@pytest.mark.slow
def test_refuses_to_start_without_the_interpreter() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hotloop.worker.triton_replay", "--fd", "0"],
        env={k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "TRITON_INTERPRET=1" in done.stderr
