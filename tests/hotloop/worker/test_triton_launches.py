"""The launches of a learner's function are recorded as plain data."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import wire

from .started import Started

FILE = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, scale, BLOCK: tl.constexpr, KIND: tl.constexpr = tl.float32):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * scale, mask=at < n)


def plain(x, out):
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
    copy[grid](x, out, x.numel(), 2.0, BLOCK=16, num_warps=2)


def rows(x, out):
    copy[(1, 1)](x[1], out[1], n=8, scale=float("inf"), BLOCK=8, KIND=tl.bfloat16)


def through_temporaries(x, out):
    zeros, halves, copied = torch.zeros(8), torch.full((8,), 0.5), x[0].clone()
    for _ in range(2):
        copy[(1,)](zeros, out, 8, 3, BLOCK=8)
    copy[(1,)](halves, out, 8, 1, BLOCK=8)
    copy[(1,)](copied[4:], copied, 4, 1, BLOCK=4)


def through_fresh_memory(x, out):
    for temporary in (torch.empty(1 << 20), x.new_empty(8), torch.empty(8, dtype=torch.int32)):
        copy[(1,)](temporary, out, 8, 1, BLOCK=8)


@triton.autotune([triton.Config({"BLOCK": 8}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["BLOCK"] == 0})
@triton.jit
def chosen(x_ptr, out_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    pass


def decorated(x, out):
    chosen[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, 12, "leaky_relu")


def nothing(x, out):
    out.copy_(x)


def many(x, out):
    for _ in range(200):
        copy[(1,)](x, out, 4, 1, BLOCK=4)


def failing(x, out):
    copy[(1,)](x, out, 4, "text", BLOCK=4)
"""


class Recorder(Started):
    """A worker that runs the file above, and buffers of 4×8 floats for its calls."""

    def __init__(self, folder: Path) -> None:
        (folder / "kernels.py").write_text(FILE)
        super().__init__("hotloop.worker", folder)

    def record(self, name: str) -> wire.Message:
        self.ask({"op": "resolve", "name": name, "file": "kernels.py"})
        fds = [os.memfd_create("test") for _ in range(2)]
        for fd in fds:
            os.ftruncate(fd, 128)
        buffers = [{"id": i, "bytes": 128, "writable": True} for i in range(2)]
        self.ask({"op": "map", "buffers": buffers}, tuple(fds))
        for fd in fds:
            os.close(fd)
        place = {"offset": 0, "dtype": "fp32", "shape": [4, 8], "strides": [8, 1]}
        args = [{"tensor": {"buffer": i, **place}} for i in range(2)]
        call = {"args": args, "returns": None}
        plan = {"framework": "torch", "style": "destination", "watch": "launches", "calls": [call]}
        assert self.ask({"op": "plan", **plan})["ok"]
        reply = self.ask({"op": "run"})
        self.ask({"op": "unmap"})
        return reply

    def plan(self, name: str) -> dict[str, Any]:
        reply = self.record(name)
        assert reply["ok"], reply
        return reply["watched"][0]


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    recorder = Recorder(tmp_path_factory.mktemp("submission"))
    yield recorder
    recorder.close()


@pytest.mark.slow
def test_notes_grid_arguments_and_options(recorder: Recorder) -> None:
    assert recorder.plan("plain") == {
        "launches": [
            {
                "kernel": "copy",
                "grid": [2],
                "arguments": {
                    "x_ptr": {"tensor": "argument", "index": 0, "offset": 0, "dtype": "fp32"},
                    "out_ptr": {"tensor": "argument", "index": 1, "offset": 0, "dtype": "fp32"},
                    "n": {"value": 32},
                    "scale": {"value": 2.0},
                    "BLOCK": {"value": 16},
                },
                "num_warps": 2,
                "num_stages": 3,
            }
        ],
        "scratch": [],
        "returned": [{}],
    }


@pytest.mark.slow
def test_notes_where_a_view_begins_and_what_is_not_json(recorder: Recorder) -> None:
    (launch,) = recorder.plan("rows")["launches"]
    arguments = launch["arguments"]
    assert launch["grid"] == [1, 1]
    assert [arguments[name]["offset"] for name in ("x_ptr", "out_ptr")] == [32, 32]
    assert arguments["scale"] == {"float": "inf"}
    assert arguments["KIND"] == {"type": "bf16"}


def test_notes_what_decorators_choose_and_texts(recorder: Recorder) -> None:
    (launch,) = recorder.plan("decorated")["launches"]
    assert (launch["kernel"], launch["grid"], launch["num_warps"]) == ("chosen", [4], 8)
    chosen = {name: launch["arguments"][name] for name in ("HOW", "BLOCK", "EVEN")}
    assert chosen == {
        "HOW": {"value": "leaky_relu"},
        "BLOCK": {"value": 8},
        "EVEN": {"value": False},
    }


@pytest.mark.slow
def test_notes_temporaries_and_what_fills_them(recorder: Recorder) -> None:
    plan = recorder.plan("through_temporaries")
    pointers = [launch["arguments"]["x_ptr"] for launch in plan["launches"]]
    assert [p["index"] for p in pointers] == [0, 0, 1, 2]
    assert {p["tensor"] for p in pointers} == {"scratch"}
    assert pointers[3]["offset"] == 16
    for scratch, fill in zip(plan["scratch"], ("00000000", "0000003f"), strict=False):
        digest = hashlib.sha256(bytes.fromhex(fill) * 8).hexdigest()
        assert scratch == {"bytes": 32, "fill": fill, "digest": digest}
    assert plan["launches"][0]["arguments"]["scale"] == {"value": 3}


@pytest.mark.slow
def test_fresh_memory_holds_no_zeros(recorder: Recorder) -> None:
    """It would where the system gives a new page, so that a kernel could add to it unpunished."""
    fills = [scratch["fill"] for scratch in recorder.plan("through_fresh_memory")["scratch"]]
    assert fills == ["0000c07f", "0000c07f", "ffffff7f"]


@pytest.mark.slow
def test_a_function_without_kernels_has_no_launches(recorder: Recorder) -> None:
    assert recorder.plan("nothing") == {"launches": [], "scratch": [], "returned": [{}]}


@pytest.mark.slow
def test_a_long_list_is_cut_where_the_judge_sees_that_it_is_too_long(recorder: Recorder) -> None:
    assert len(recorder.plan("many")["launches"]) == 65


@pytest.mark.slow
def test_a_failing_launch_is_an_error_with_what_the_kernel_raised(recorder: Recorder) -> None:
    reply = recorder.record("failing")
    assert not reply["ok"]
    assert reply["error"]["type"] == "AttributeError"


@pytest.mark.slow
def test_triton_is_left_as_it_was(recorder: Recorder) -> None:
    first, second = recorder.plan("plain"), recorder.plan("plain")
    assert first == second
