"""Inspect a candidate's matrix product without running it; return message fragments, or None."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import accesses
import bare_tvm  # noqa: F401 - first, without PyTorch
import coalescing
import races
import tvm
import tvm_ffi
import vetting
from tvm import tirx
from tvm.s_tir import SBlock
from tvm.target import Target

MOST_THREADS = 1024
MOST_SHARED_BYTES = 48 * 1024
LEAST_LOOPS = 7
"""Of loops around a tuned block. 4 tiles each of i and j and 2 of k make 10, of which a trace fuses
up to 4 into the parallel one. The recorded trials have 7 to 10.
"""


def cuda(path: str) -> dict[str, Any]:
    """Generate CUDA C++ from the module, without a GPU and without nvcc.

    Returns path: of the source. threads: of a block. shared_bytes: declared. mismatch: a message
    fragment, or None.
    """
    module = vetting.read(path, vetting.TIR)
    target = Target({"kind": "cuda", "arch": "sm_80"}, host="llvm")
    text = tvm.compile(module, target=target).mod.imports[0].inspect_source()
    source = Path(tempfile.mkdtemp()) / "matmul.cu"
    source.write_text(text)
    threads = int((re.findall(r"__launch_bounds__\((\d+)\)", text) or ["1"])[0])
    shared = 4 * sum(map(int, re.findall(r"__shared__ [^;=]*\[(\d+)\];", text)))
    return {
        "path": str(source),
        "threads": threads,
        "shared_bytes": shared,
        "mismatch": _launch_mismatch(text, threads, shared)
        or next(coalescing.mismatches(module["main"]), None),
    }


def _launch_mismatch(text: str, threads: int, shared: int) -> str | None:
    kernels = len(re.findall(r"__global__ void[^;{]*\{", text))
    if kernels != 1:
        return (
            f"it became {kernels} kernels, expected one: all of it belongs in the loops "
            "that are bound to threads"
        )
    if threads > MOST_THREADS:
        return f"a block has {threads} threads, and no GPU starts more than {MOST_THREADS}"
    if shared > MOST_SHARED_BYTES:
        most = MOST_SHARED_BYTES
        return f"a block declares {shared} bytes of shared memory, and a kernel may {most}"
    if "(float4*)" not in text:
        return "nothing is loaded four floats at a time: vectorize the last loop of the copies"
    return None


Mismatches = Callable[[tvm.IRModule, str, int, int, int], Iterator[str]]
Look = Callable[[str, int, int, int], str | None]


def _first(mismatches: Mismatches) -> Look:
    """Return a function that returns the first mismatch of the module in a file, or None."""

    @wraps(mismatches)
    def first(path: str, m: int, n: int, k: int) -> str | None:
        try:
            module = vetting.read(path, vetting.TIR)
        except vetting.Refused as refusal:
            return str(refusal)
        wanted = [f"float32[{m}, {k}]", f"float32[{k}, {n}]", f"float32[{m}, {n}]"]
        mismatch = vetting.signature_mismatch(module, wanted)
        if mismatch is not None:
            return mismatch
        if len(module.functions) > 1:
            return f"the module has {len(module.functions)} functions and should have one"
        return next(mismatches(module, path, m, n, k), None)

    return first


def _mismatches(module: tvm.IRModule, path: str) -> Iterator[str]:
    for dtype in sorted(_float_types(path) - {"float32"}):
        yield f"something in it is {dtype}: all of it is computed and kept in float32"
    yield from races.mismatches(module["main"])


@_first
def naive(module: tvm.IRModule, path: str, m: int, n: int, k: int) -> Iterator[str]:
    """Yield why it is not the naive product, three plain loops around one block."""
    loops = _all(module["main"], tirx.For)
    extents = [int(loop.extent) for loop in loops]
    if extents != [m, n, k]:
        yield f"its loops go over {extents} and should go over {[m, n, k]}"
    if any(loop.kind != tirx.ForKind.SERIAL for loop in loops):
        yield "one of its loops is not an ordinary one: the naive product is not scheduled yet"
    blocks = [block for block in _all(module["main"], SBlock) if block.iter_vars]
    if len(blocks) != 1:
        yield f"it has {len(blocks)} blocks with axes and should have one"
        return
    block = blocks[0]
    if block.name_hint != "C":
        yield f"its block is called {block.name_hint!r} and should be called 'C'"
    axes = [(int(v.iter_type), int(v.dom.extent)) for v in block.iter_vars]
    wanted = [(tirx.IterVar.DataPar, m), (tirx.IterVar.DataPar, n), (tirx.IterVar.CommReduce, k)]
    if axes != wanted:
        yield "the block's axes are not two spatial ones and a reduction over k, in that order"
    if block.init is None:
        yield "the block has no T.init: the sum begins with whatever lies in the memory"
    yield from _mismatches(module, path)


@_first
def scheduled(module: tvm.IRModule, path: str, m: int, n: int, k: int) -> Iterator[str]:
    """Yield why it is no scheduled float32 product of this size without races."""
    loops = _all(module["main"], tirx.For)
    plain = all(loop.kind == tirx.ForKind.SERIAL for loop in loops)
    if plain and [str(loop.extent) for loop in loops] == [str(m), str(n), str(k)]:
        yield "its loops are still those of the naive product: nothing is scheduled"
    yield from _mismatches(module, path)


@_first
def tuned(module: tvm.IRModule, path: str, _m: int, _n: int, _k: int) -> Iterator[str]:
    """Like `scheduled`; the loops must also have the structure that MetaSchedule produces."""
    loops = _all(module["main"], tirx.For)
    deepest = max(len(access.loops) for access in accesses.accesses(module["main"].body))
    if deepest < LEAST_LOOPS:
        yield (
            f"at most {deepest} loops lie in each other, and at least {LEAST_LOOPS} do where tiles "
            "of several levels were sampled: apply the whole trace"
        )
    if not any(loop.kind == tirx.ForKind.PARALLEL for loop in loops):
        yield "no loop is parallel: a trace of MetaSchedule for the CPU makes the outermost one so"
    if not any("pragma_auto_unroll_max_step" in loop.annotations for loop in loops):
        yield "no loop says how far it is unrolled: the trace goes on behind its last sample"
    yield from _mismatches(module, path)


@_first
def on_gpu(module: tvm.IRModule, path: str, _m: int, _n: int, _k: int) -> Iterator[str]:
    """Like `scheduled`; it must also bind threads and cache both factors in shared memory."""
    tags = {accesses.thread_axis(loop) for loop in _all(module["main"], tirx.For)}
    for axis in ("blockIdx.x", "threadIdx.x"):
        if axis not in tags:
            yield f"no loop is bound to {axis}"
    scopes = [
        accesses.scope(buffer)
        for block in _all(module["main"], SBlock)
        for buffer in block.alloc_buffers
    ]
    if scopes.count("shared") < 2:
        yield "the factors are not both cached in shared memory"
    yield from _mismatches(module, path)


def _all(function: Any, kind: type) -> list[Any]:
    """Return all nodes of a type, outermost first."""
    nodes: list[Any] = []
    tvm_ffi.structural_walk(function.body, (kind, nodes.append), order="pre")
    return nodes


def _float_types(path: str) -> set[str]:
    """Return the names of the floating-point types that occur anywhere in the module."""
    nodes = json.loads(Path(path).read_text())["nodes"]
    dtypes = {
        node["data"]["dtype"].split("x")[0] for node in nodes if node["type"] == "ir.PrimType"
    }
    return {dtype for dtype in dtypes if "float" in dtype}
