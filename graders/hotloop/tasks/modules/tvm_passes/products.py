"""Checks of matrix products that candidates write, schedule and tune.

The candidate's functions write TVM modules. One program of ours inspects them, another runs them,
and the outputs are compared here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.cuda_compiles import CudaCompiles
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Plain, ask_plainly
from hotloop.judge.session import RESOLVE_TIMEOUT_S, Session
from hotloop.judge.verification import Rows
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection, reading
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.tvm_passes.given_files import PROGRAMS, ours

Rng = np.random.Generator
Size = tuple[int, int, int]

FILES = ours(
    "accesses.py",
    "bare_tvm.py",
    "coalescing.py",
    "matmul_inputs.py",
    "matmul_looks.py",
    "matmul_runs.py",
    "races.py",
    "threads_in_turn.py",
    "vetting.py",
)
INPUTS = Program(FILES, "matmul_inputs.py")
LOOKS = Program(FILES, "matmul_looks.py")
RUNS = Program(FILES, "matmul_runs.py")

MODULE = "scheduled.json"
LOAD_TIMEOUT_S = 60.0
TUNED_SIZE = (256, 256, 256)
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)

ROUNDING = 2.0**-24
"""Unit roundoff of float32."""


def naive_module(session: Session, size: Size) -> GivenFile:
    """Return the naive product of this size, written by our own program."""
    program = INPUTS.trusted(session)
    return GivenFile("naive.json", program.take(program.ask("make", *size)))


def difference(got: Floats, a: Floats, b: Floats) -> str | None:
    """Return a description of the first element where `got` is not a @ b, or None.

    Each element may be off by what adding k products in float32, in any order, can explain: 4
    times the expected √k roundings of the sum of the products' magnitudes.
    Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., §3.1 and §4.2.
    """
    want = a @ b
    allowed = 4 * ROUNDING * (np.sqrt(a.shape[1]) + 4) * (np.abs(a) @ np.abs(b)) + 1e-30
    with np.errstate(invalid="ignore"):
        good = np.abs(got - want) <= allowed
    if good.all():
        return None
    row, column = np.argwhere(~good)[0]
    value, expected = got[row, column], want[row, column]
    share = f"{np.count_nonzero(~good)} of {good.size} elements are wrong"
    if np.isnan(value):
        return f"NaN, or never written, at [{row}, {column}]; {share}"
    return f"at [{row}, {column}] it is {value:.6g} and should be {expected:.6g}; {share}"


@dataclass(frozen=True)
class Inspection:
    """How a candidate's module is checked.

    look: the function of matmul_looks.py that inspects it.
    load, run: the functions of matmul_runs.py that run it.
    """

    look: str
    load: str = "load"
    run: str = "run"

    def mismatch(self, data: bytes, size: Size, rng: Rng, session: Session) -> str | None:
        """Inspect the module in one process, run it in another; return what is wrong, or None."""
        file = GivenFile(MODULE, data)
        fault = LOOKS.given(session, "looks at").ask(self.look, file, *size)
        if fault is not None:
            return str(fault)
        runner = RUNS.given(session, "runs")
        runner.ask(self.load, file, timeout_s=LOAD_TIMEOUT_S)
        m, n, k = size
        a, b = (
            InputTensor(rng.standard_normal((m, k)), FP32),
            InputTensor(rng.standard_normal((k, n)), FP32),
        )
        case = Case(shown(size), (a, b), TensorSpec((m, n), FP32))
        return difference(runner.answer(self.run, case), a.rounded(), b.rounded())


def shown(size: Size) -> str:
    """Format a size for messages to the learner."""
    return "m = {}, n = {}, k = {}".format(*size)


def other_size(rng: Rng, multiple: int, most: int) -> Size:
    """Return three different sides: multiples of `multiple` from 2 to `most` - 1 times it."""
    return _three(rng, np.arange(2, most) * multiple)


def written(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: naive products of fixed and hidden sizes, two of them with prime sides."""
    for size in ((8, 8, 8), _three(rng, PRIMES), _three(rng, PRIMES), other_size(rng, 16, 8)):
        mismatch = partial(Inspection("naive").mismatch, size=size, rng=rng, session=session)
        yield Assignment(shown(size), size, MODULE, mismatch)


def scheduled(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: two hidden sizes with three different sides, then 512³ and 1024³."""
    sizes = (
        other_size(rng, 32, 12),
        other_size(rng, 32, 12),
        (512, 512, 512),
        (1024, 1024, 1024),
    )
    return rescheduled(sizes, Inspection("scheduled"), rng, session)


def for_threads(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments of small sizes, as the check runs GPU threads one by one on the CPU."""
    sizes = (other_size(rng, 64, 6), (128, 128, 128))
    return rescheduled(sizes, Inspection("on_gpu", "load_threads", "run_threads"), rng, session)


def replayed(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield the assignment of the tuned size."""
    return rescheduled((TUNED_SIZE,), Inspection("tuned"), rng, session)


def searched(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield the assignment of a hidden size that is small enough for a search."""
    return rescheduled((other_size(rng, 32, 6),), Inspection("scheduled"), rng, session)


def rescheduled(
    sizes: Sequence[Size], inspection: Inspection, rng: Rng, session: Session
) -> Iterator[Assignment]:
    """Yield one assignment a size: the naive module goes in, an equivalent one must come out."""
    for size in sizes:
        source = naive_module(session, size)
        mismatch = partial(inspection.mismatch, size=size, rng=rng, session=session)
        yield Assignment(shown(size), (source,), MODULE, mismatch)


def _three(rng: Rng, sides: Sequence[int] | NDArray[np.int64]) -> Size:
    m, n, k = rng.permutation(sides)[:3]
    return int(m), int(n), int(k)


# --- speed ----------------------------------------------------------------------------------------


def fast(size: Size) -> Fast:
    """Return a check that times the schedule against the naive module of the same size.

    The same program compiles both.
    """
    baseline = Baseline(
        PROGRAMS / "matmul_runs.py",
        "run",
        beside={name: path for name, path in FILES.items() if name != "matmul_runs.py"},
        prepare=partial(_give_naive, size=size),
    )
    return Fast(
        workload(size),
        baseline,
        moved_bytes,
        fewest_flops=flops,
        entrant=partial(_entrant, size=size),
        seconds=40.0,
    )


def workload(size: Size) -> Workload:
    """Return products of one size on new random inputs for each call."""
    m, n, k = size
    a, b, out = (TensorSpec(shape, FP32) for shape in ((m, k), (k, n), (m, n)))
    spec = CallSpec((a, b), out)
    return Workload(lambda _rng, _index: spec, fill, verify)


def fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill the inputs with numbers in [-1, 1).

    hostile: also scale rows of a and columns of b by powers of two from 2^-20 to 2^19, and set some
    rows to 0.
    """
    for index, place in enumerate(call.inputs()):
        values = 2 * rng.random(place.shape, np.float32) - 1
        if hostile:
            exponents = rng.integers(-20, 20, int(place.shape[index]))
            powers = np.exp2(exponents.astype(np.float32))
            values *= powers[:, None] if index == 0 else powers
            values[rng.integers(place.shape[0], size=place.shape[0] // 8)] = 0
        place[...] = values


def verify(call: PlacedCall, rows: Rows) -> None:
    """Recompute the sampled rows of a timed call.

    rows: None for all. Raises Ruling if one is wrong.
    """
    pick = slice(None) if rows is None else rows
    a, b = (place.astype(np.float64) for place in call.inputs())
    fault = difference(call.output_values()[pick], a[pick], b)
    if fault is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call: {fault}.")


def flops(spec: CallSpec) -> int:
    """Return the FLOPs of a call: one multiplication and one addition for each product, 2·m·n·k."""
    a, b = _tensors(spec)[:2]
    return 2 * a.shape[0] * a.shape[1] * b.shape[1]


def moved_bytes(spec: CallSpec) -> int:
    """Return the bytes of a call's inputs and output."""
    return sum(tensor.bytes for tensor in _tensors(spec))


def _tensors(spec: CallSpec) -> list[TensorSpec]:
    return [t for t in (*spec.arguments, spec.out) if isinstance(t, TensorSpec)]


def _entrant(session: Session, size: Size) -> tuple[WorkerConnection, Candidate]:
    """Start a process of ours that runs the candidate's module, after closing its worker."""
    own = session.worker()
    data = reschedule(size, session, "scheduled")
    own.close()
    process = RUNS.another(session, given=True)
    process.ask("load", GivenFile(MODULE, data), timeout_s=LOAD_TIMEOUT_S)
    process.resolve("run")
    return process.worker, process.as_candidate("run")


def reschedule(size: Size, session: Session, look: str = "") -> bytes:
    """Return the module that the candidate makes of the naive product of this size.

    look: a function of matmul_looks.py to inspect the module with; raises Ruling if it finds a
    fault.
    """
    source = naive_module(session, size)
    data = file_written(Assignment(shown(size), (source,), MODULE, lambda _: None), session)
    if look:
        fault = LOOKS.given(session, "looks at").ask(look, GivenFile(MODULE, data), *size)
        if fault is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{shown(size)}: {fault}.")
    return data


def _give_naive(worker: WorkerConnection, session: Session, size: Size) -> None:
    """Load the naive product in a new baseline worker, which compiles it."""
    arguments: tuple[Plain | GivenFile, ...] = (naive_module(session, size),)
    worker.resolve("load", "matmul_runs.py", RESOLVE_TIMEOUT_S)
    ask_plainly(worker, arguments, LOAD_TIMEOUT_S)


# --- CUDA -----------------------------------------------------------------------------------------

CUDA_SIZE = (512, 512, 512)
KERNEL = "main_kernel"
TARGETS = (80, 90)
"""Compute capabilities: sm_80 and sm_90."""


@check(after=("correct",))
def generates_cuda(session: Session) -> str:
    """Check that TVM generates one launchable CUDA kernel from the schedule, with 16-byte loads.

    Needs no GPU. Where nvcc is installed, the kernel must also compile for TARGETS without spills.
    """
    data = reschedule(CUDA_SIZE, session)
    looks = LOOKS.given(session, "looks at")
    report = looks.ask("cuda", GivenFile(MODULE, data), timeout_s=LOAD_TIMEOUT_S)
    generated = as_message(report) or {}
    with reading():
        if generated["mismatch"] is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"In the CUDA source: {generated['mismatch']}.")
        threads, shared = int(generated["threads"]), int(generated["shared_bytes"])
    session.note(threads=threads, shared_bytes=shared)
    compiles = CudaCompiles((KERNEL,), TARGETS, threads, min_load_bytes=16)
    kernel = session.with_files({"matmul.cu": looks.take(generated["path"])})
    return compiles(kernel.about(Candidate(KERNEL, "matmul.cu")))
