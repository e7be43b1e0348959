"""Checks of a Gluon kernel for Hopper without a GPU: values, races, PTX, and what is read in it.

The candidate's process compiles the kernel to TritonGPU IR. A process of ours runs the IR, another
one compiles it to PTX; neither has any of the candidate's code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP16, FP32
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, dict_mismatch
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, reading
from hotloop.judge.written_files import Assignment, file_written

PROGRAMS = Path(__file__).parent / "programs"
MACHINE = Program({"ttgir_machine.py": PROGRAMS / "ttgir_machine.py"}, "ttgir_machine.py")
COMPILER = Program({"ttgir_compiling.py": PROGRAMS / "ttgir_compiling.py"}, "ttgir_compiling.py")

FILE = "kernel.ttgir"
TILE_M, TILE_K = 128, 64
CONSTANTS = ((64, 2), (128, 3), (256, 4))
"""Columns of a tile, and stages."""
STEPS = (1, 2, 7)
"""Tiles along k: fewer than there are stages, as many, and more."""
MOST_SHARED = 232_448
"""Bytes of shared memory that a block of an H100 may have."""
TIMEOUT_S = 120.0

Look = Callable[[Message, int], str | None]
Kernel = tuple[int, int]


def right(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require the product's values where loads take no time."""
    yield from _kernels(rng, session, "run_eagerly", lambda _report, _tiles: None)


def races(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require that nothing touches a tile while a load writes it or a product reads it."""
    yield from _kernels(rng, session, "run", _fault)


def overlapped(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require that a load is under way whenever a product starts, but for the last of a tile."""
    yield from _kernels(rng, session, "run", _exposed)


def compiles(_rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require PTX with wgmma of full width and TMA loads, and nothing of older GPUs."""
    for kernel in CONSTANTS:
        yield Assignment(_label(kernel), kernel, FILE, partial(_ptx_mismatch, kernel, session))


def readings(_rng: Rng, session: Session) -> Iterator[Question]:
    """Yield a question about the PTX of the candidate's own kernel, for each pair of constants."""
    for kernel in CONSTANTS:
        written = Assignment(_label(kernel), kernel, FILE, lambda _: None)
        data = file_written(written, session.of("export_ir"))
        _, ptx = _compiled(data, session)
        mismatch = partial(dict_mismatch, "the reading", want=facts(ptx))
        yield Question(_label(kernel), (GivenFile("kernel.ptx", ptx.encode()),), mismatch)


def _label(kernel: Kernel) -> str:
    return "{} columns, {} stages".format(*kernel)


# --- run ------------------------------------------------------------------------------------------


def _kernels(rng: Rng, session: Session, run: str, look: Look) -> Iterator[Assignment]:
    for kernel in CONSTANTS:
        mismatch = partial(_mismatch, kernel=kernel, run=run, look=look, rng=rng, session=session)
        yield Assignment(_label(kernel), kernel, FILE, mismatch)


def _mismatch(
    data: bytes, kernel: Kernel, run: str, look: Look, rng: Rng, session: Session
) -> str | None:
    process = MACHINE.given(session, "runs the kernel")
    fault = process.ask("load", GivenFile(FILE, data))
    if fault is not None:
        return str(fault)
    for steps in STEPS:
        rows, columns = (int(n) for n in rng.integers(1, 3, 2))
        m, n, k = TILE_M * rows, kernel[0] * columns, TILE_K * steps
        inputs = [InputTensor(rng.standard_normal(shape), FP16) for shape in ((m, k), (k, n))]
        a, b = (each.rounded() for each in inputs)
        floats = (InputTensor(a, FP32), InputTensor(b, FP32))
        case = Case("", floats, TensorSpec((m, n), FP32))
        got = process.answer(run, case, TIMEOUT_S, framework="numpy")
        report = as_message(process.ask("report"))
        if report is None:
            raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
        with reading():
            found = report["refused"] or look(report, rows * columns)
        if not found:
            want = a @ b
            difference = compare(got, want, Tolerance(2e-3, 2e-3 * float(np.abs(want).max())))
            found = None if difference is None else difference.sentence()
        if found:
            return f"{steps} steps along k: {found}"
    return None


def _fault(report: Message, _tiles: int) -> str | None:
    if report["fault"] is not None:
        return str(report["fault"])
    return None if int(report["copies"]) else "the kernel starts no TMA load"


def _exposed(report: Message, tiles: int) -> str | None:
    exposed, products = int(report["exposed"]), int(report["products"])
    if exposed > tiles:
        return (
            f"at {exposed} of {products} products no load is under way; only at the last one of "
            f"each tile of the result may that be"
        )
    return None


# --- PTX ------------------------------------------------------------------------------------------


def _compiled(data: bytes, session: Session) -> tuple[int, str]:
    """Return bytes of shared memory, and the PTX that our compiler generates from the IR."""
    process = COMPILER.given(session, "compiles")
    told = as_message(process.ask("compiled", GivenFile(FILE, data), timeout_s=TIMEOUT_S)) or {}
    with reading():
        if told["error"] is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"The IR does not compile: {told['error']}.")
        return int(told["shared"]), process.take(told["ptx"]).decode("utf-8", "replace")


def _ptx_mismatch(kernel: Kernel, session: Session, data: bytes) -> str | None:
    columns, stages = kernel
    shared, ptx = _compiled(data, session)
    found = facts(ptx)
    counts = {name: each for name, each in found.items() if isinstance(each, int)}
    shape = f"m64n{columns}k16"
    fewest = (TILE_M // 64) * (TILE_K // 16)
    if found["shape"] != shape or counts["products"] < fewest:
        return (
            f"the PTX has {counts['products']} wgmma of {found['shape']}, expected {fewest} of "
            f"{shape}: a warp group has 64 rows, and k is 16"
        )
    for name, old in (("mma.sync", r"\bmma\.sync\b"), ("cp.async", r"\bcp\.async\.c[ag]\b")):
        if re.search(old, ptx):
            return f"the PTX has {name}, which is for GPUs before Hopper"
    if counts["loads"] < 4 or counts["stages"] < stages:
        return (
            f"the PTX has {counts['loads']} TMA loads and {counts['stages']} barriers, expected at "
            f"least 4 and {stages}"
        )
    if shared > MOST_SHARED:
        return f"it needs {shared} bytes of shared memory, and a block may have {MOST_SHARED}"
    return None


def facts(ptx: str) -> dict[str, int | str | None]:
    """Return what `read_ptx` must return."""
    lines = [line.split("//")[0].strip() for line in ptx.splitlines()]
    text = "\n".join(lines)
    shapes = re.findall(r"\bwgmma\.mma_async\.sync\.aligned\.(m\d+n\d+k\d+)\.", text)
    expected = re.findall(r"\bmbarrier\.arrive\.expect_tx\.[\w.:]+\s+\w+, \[[^]]+\], (\d+);", text)
    return {
        "shape": shapes[0] if shapes else None,
        "products": len(shapes),
        "stages": len(re.findall(r"\bmbarrier\.init\.", text)),
        "loads": len(re.findall(r"\bcp\.async\.bulk\.tensor\.\dd\.shared", text)),
        "stores": len(re.findall(r"\bcp\.async\.bulk\.tensor\.\dd\.global", text)),
        "bytes": max((int(each) for each in expected), default=0),
    }
