"""Checks of a Pallas kernel that copies tiles while it multiplies: values, races and overlap.

The candidate's process exports the kernel for a TPU. A process of ours runs what was exported, as
data, in a machine that knows which copies are under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, reading
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.xla_vs_eager.given_files import program

MACHINE = program("mosaic_machine.py")

FILE = "kernel.bin"
TILE = 128
TILE_BYTES = 4 * TILE * TILE
STEPS = (1, 2, 5, 9)
"""Tiles along k: one, an even number, odd ones. Strips of the last do not fit into VMEM_TILES."""
VMEM_TILES = 12
TIMEOUT_S = 120.0

Look = Callable[[Message, tuple[int, int, int]], str | None]


def right(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require the product's values, on a machine whose copies take no time."""
    yield from _kernels(rng, session, "run_eagerly", lambda _report, _size: None)


def races(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require that nothing touches a tile whose copy nobody has waited for."""
    yield from _kernels(rng, session, "run", _race)


def overlapped(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require that copies run while tiles are multiplied, and that VMEM holds few of them."""
    yield from _kernels(rng, session, "run", _exposed)


def _kernels(rng: Rng, session: Session, run: str, look: Look) -> Iterator[Assignment]:
    for steps in STEPS:
        rows, columns = (int(n) for n in rng.integers(1, 4, 2))
        size = (TILE * rows, TILE * columns, TILE * steps)
        mismatch = partial(_mismatch, size=size, run=run, look=look, rng=rng, session=session)
        yield Assignment("m = {}, n = {}, k = {}".format(*size), size, FILE, mismatch)


def _mismatch(
    data: bytes, size: tuple[int, int, int], run: str, look: Look, rng: Rng, session: Session
) -> str | None:
    process = MACHINE.given(session, "runs the kernel")
    fault = process.ask("load", GivenFile(FILE, data))
    if fault is not None:
        return str(fault)
    m, n, k = size
    a, b = (InputTensor(rng.standard_normal(shape), FP32) for shape in ((m, k), (k, n)))
    case = Case("", (a, b), TensorSpec((m, n), FP32))
    got = process.answer(run, case, TIMEOUT_S, framework="numpy")
    report = as_message(process.ask("report"))
    if report is None:
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    with reading():
        if report["refused"] is not None:
            return str(report["refused"])
        return look(report, size) or _difference(got, a.rounded() @ b.rounded())


def _difference(got: Floats, want: Floats) -> str | None:
    allowed = Tolerance(0.0, 1e-4 * float(np.abs(want).max()))
    found = compare(got, want, allowed)
    return None if found is None else found.sentence()


def _race(report: Message, size: tuple[int, int, int]) -> str | None:
    if report["fault"] is not None:
        return str(report["fault"])
    steps = size[2] // TILE
    if int(report["copies"]) < 2 * min(steps, 2):
        return "the kernel copies no tiles itself: keep a and b where they are and copy from there"
    return None


def _exposed(report: Message, size: tuple[int, int, int]) -> str | None:
    m, n, k = (extent // TILE for extent in size)
    exposed, products = int(report["exposed"]), int(report["products"])
    if exposed > max(m * n, products // k):
        return (
            f"{exposed} of {products} products are computed while no copy is under way; "
            f"only the last one of each tile of the result may be"
        )
    if int(report["copied"]) > (2 * k + 1) * m * n * TILE_BYTES:
        return f"it copies {int(report['copied'])} bytes, more than the tiles and the result"
    if int(report["vmem"]) > VMEM_TILES * TILE_BYTES:
        return (
            f"its VMEM is {int(report['vmem']) // 1024} KiB, with windows counted twice, "
            f"and at most {VMEM_TILES * TILE_BYTES // 1024} KiB are allowed"
        )
    return None
