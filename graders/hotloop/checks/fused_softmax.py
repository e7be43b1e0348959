"""What the judge asks of the tasks of module fused_softmax.

Softmax here is exp(x − max) / sum over each row, and zeros for a row without a finite element. For
a take-home's candidate it is what the variant makes of it: `Meaning`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.adversarial import recurrences, reductions
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.cuda_kernel import CudaKernel
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, U8, DType
from hotloop.judge.gpu.recipes import HOSTILE, Draw, Keep, Normal, Twist
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.levels import Level
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.correct import Case, Correct, Tensor
from hotloop.judge.rungs.cuda_clean import CudaClean
from hotloop.judge.rungs.cuda_compiles import CudaCompiles
from hotloop.judge.rungs.cuda_correct import CudaCorrect
from hotloop.judge.rungs.cuda_operator import Called, RightOrRefused
from hotloop.judge.rungs.cuda_traffic import CudaTraffic
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.one_pass import OnePass
from hotloop.judge.rungs.refuses import Refuses
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.rungs.watched import Watched
from hotloop.judge.verification import Rows, Verifier, rows_agree
from hotloop.judge.window import Workload
from hotloop.variants.variant import Variant

Rng = np.random.Generator
Shape = tuple[int, ...]

KERNELS = "softmax_triton.py"
CUDA_FILE = "softmax.cu"
CLEAN = ("correct", "clean")
OPERATOR_SOURCE = "softmax_op.cu"
OPERATOR_FILE = "softmax_op.py"
TRITON_OPERATOR_FILE = "softmax_op_triton.py"
SIMULATOR = ("cuda",)
GPP = {"g++": "g++"}  # an operator's host code is compiled with its headers
HARNESS = Path(__file__).parent / "harness" / "fused_softmax"
BASELINES = Path(__file__).parent / "baselines" / "fused_softmax.py"
FIVE_OPS = Baseline(BASELINES, "five_ops")
COPY = Baseline(BASELINES, "copy")
SCALE_MASK_SOFTMAX = Baseline(BASELINES, "scale_mask_softmax")
SOFTMAX_BACKWARD = Baseline(BASELINES, "softmax_backward")

CPU_SHAPE = (256, 4096)
GPU_SHAPE = (8192, 8192)
GPU_MASKED_SHAPE = (16384, 4096)
ODD_EVERY = 8
TIMED_SCALE = 0.125
LARGEST_ON_GPU = 64.0 * 4.0 * 6.0
"""Of timed numbers, which are drawn with a deviation of 4 and, in a few rows, of 64 · 4."""

BACKWARD_SCALE = 1 / 64
"""Deviation of what stands for the forward's result: the sum of y · dy is then as large as dy."""

LARGE = 300.0
"""More than exp can tell from 0 or from infinity in float32: a maximum that misses it shows."""

PEAK = 14.0
"""A number that much larger is most of a softmax over thousands of normal numbers."""

SMALL_RISE = 3.0
"""A step that leaves what came before it a share of the sum."""

LONGER_THAN_ANY_BLOCK = (1 << 20) + 3
"""Triton allows 2^20 elements a block, so that such a row needs a loop."""

# Provisional on every device: module.yaml says where they were taken from.
CPU_LEVELS = (Level(1.2, 0.5), Level(1.3, 1.0), Level(1.6, 0.0))
GPU_LEVELS = (Level(2.0, 0.5), Level(3.0, 1.0), Level(3.5, 0.0))
COPY_LEVELS = (Level(0.6, 0.5), Level(0.75, 1.0), Level(0.85, 0.0))
"""Shares of the bandwidth that a copy of the same tensors reaches in the same minutes."""

GPU_MASKED_LEVELS = (Level(1.5, 0.5), Level(2.0, 1.0), Level(3.0, 0.0))
GPU_BACKWARD_LEVELS = (Level(1.25, 0.5), Level(1.5, 1.0), Level(1.75, 0.0))


# --- tasks ----------------------------------------------------------------------------------------


def online_pass(variant: Variant | None = None) -> Check:
    """The recurrence over column blocks, in PyTorch."""
    meaning = _meaning(variant)
    calls = Watched(Correct(_cases_of_any_rank, meaning.rows, meaning.tolerance), "operations")
    return Check(Candidate("online_softmax"), {"correct": calls, "one_pass": OnePass(calls)})


def compiled_chain(variant: Variant | None = None) -> Check:
    """The five operations as one compiled kernel."""
    meaning = _meaning(variant)
    return Check(
        Candidate("softmax", style="destination"),
        {
            "correct": Correct(
                _cases_for_a_compiler, meaning.rows, meaning.tolerance, case_timeout_s=180
            ),
            "fast_cpu": Fast(
                _cpu_workload(meaning),
                FIVE_OPS,
                _bytes_of_call,
                CPU_LEVELS,
                baseline_workload=None if meaning == PLAIN else _cpu_workload(PLAIN),
            ),
            "fast_gpu": GpuFast(
                _gpu_workload(meaning),
                FIVE_OPS,
                _bytes_of_call,
                GPU_LEVELS,
                baseline_truth=meaning.plainly(PLAIN.rows_on_device),
                after=("correct",),
            ),
        },
        programs={"g++": "g++"},  # torch.compile builds with it
    )


def triton_forward(variant: Variant | None = None) -> Check:
    """The forward kernel in OpenAI Triton."""
    meaning = _meaning(variant)
    calls = KernelCalls(_cases_of_matrices, _short_rows, meaning.rows, meaning.tolerance)
    return Check(
        Candidate("softmax", KERNELS, "destination"),
        {
            "correct": KernelCorrect(calls),
            "traffic": Traffic(calls, _bytes_of_case),
            "compiles": Compiles(calls),
            "gpu_correct": GpuCorrect(_cases_of_matrices, meaning.rows, meaning.tolerance),
            "gpu_fast": GpuFast(
                _gpu_workload(meaning),
                FIVE_OPS,
                _bytes_of_call,
                GPU_LEVELS,
                baseline_truth=meaning.plainly(PLAIN.rows_on_device),
            ),
        },
    )


def triton_masked(variant: Variant | None = None) -> Check:
    """Scale, mask and softmax in one kernel in OpenAI Triton."""
    meaning = _meaning(variant)
    cases = partial(_masked_cases, meaning=meaning)
    short = partial(_short_masked_rows, meaning=meaning)
    calls = KernelCalls(cases, short, meaning.masked_rows, meaning.tolerance)
    return Check(
        Candidate("masked_softmax", KERNELS, "destination"),
        {
            "correct": KernelCorrect(calls),
            "traffic": Traffic(calls, _bytes_of_case),
            "compiles": Compiles(calls),
            "gpu_correct": GpuCorrect(cases, meaning.masked_rows, meaning.tolerance),
            "gpu_fast": GpuFast(
                _gpu_masked_workload(meaning),
                SCALE_MASK_SOFTMAX,
                _bytes_of_call,
                GPU_MASKED_LEVELS,
                baseline_truth=meaning.plainly(PLAIN.masked_rows_on_device),
            ),
        },
    )


def cuda_naive(variant: Variant | None = None) -> Check:
    """The definition in CUDA C++, one thread a row."""
    meaning = _meaning(variant).with_zeros
    kernel = _cuda_kernel("softmax_naive")
    return Check(
        Candidate("softmax_naive", CUDA_FILE),
        {
            "correct": CudaCorrect(kernel, _cuda_cases, meaning.rows, meaning.one_by_one),
            "clean": CudaClean(kernel, _small_cuda_cases, meaning.rows, meaning.one_by_one),
        },
        extras=SIMULATOR,
    )


def cuda_block(variant: Variant | None = None) -> Check:
    """One block a row, reduced through shared memory."""
    meaning = _meaning(variant).with_zeros
    kernel = _cuda_kernel("softmax_block")
    candidate = Candidate(
        "softmax_block", CUDA_FILE, "destination", harness=HARNESS / f"{kernel.name}.cu"
    )
    traffic = CudaTraffic(
        kernel,
        _quads,
        meaning.rows,
        meaning.tolerance,
        _bytes_of_case,
        (ByteLevel(2.1, 1.0), ByteLevel(4.2, 0.5)),
        advice="Let neighbouring threads read neighbouring elements, and read a row three times.",
    )
    return Check(
        candidate,
        {
            "correct": CudaCorrect(kernel, _cuda_cases, meaning.rows, meaning.tolerance),
            "clean": CudaClean(kernel, _small_cuda_cases, meaning.rows, meaning.tolerance),
            "traffic": traffic,
            "compiles": CudaCompiles(kernels=("softmax_block",), block=256, after=CLEAN),
            "gpu_correct": GpuCorrect(_cuda_cases, meaning.rows, meaning.tolerance),
        },
        extras=SIMULATOR,
    )


def cuda_warp(variant: Variant | None = None) -> Check:
    """Shuffles, the online recurrence and vector loads; a row is read once where it fits."""
    meaning = _meaning(variant).with_zeros
    kernel = _cuda_kernel("softmax_warp")
    candidate = Candidate(
        "softmax_warp", CUDA_FILE, "destination", harness=HARNESS / f"{kernel.name}.cu"
    )
    traffic = CudaTraffic(kernel, _quads, meaning.rows, meaning.tolerance, _bytes_of_case, width=16)
    return Check(
        candidate,
        {
            "correct": CudaCorrect(kernel, _cuda_cases, meaning.rows, meaning.tolerance),
            "clean": CudaClean(kernel, _small_cuda_cases, meaning.rows, meaning.tolerance),
            "traffic": traffic,
            "compiles": CudaCompiles(
                kernels=("softmax_warp",), block=256, min_load_bytes=16, after=CLEAN
            ),
            "gpu_correct": GpuCorrect(_cuda_cases, meaning.rows, meaning.tolerance),
            "gpu_fast": GpuFast(
                _gpu_workload(meaning),
                COPY,
                _bytes_of_call,
                COPY_LEVELS,
                baseline_truth=_unchanged,
            ),
        },
        extras=SIMULATOR,
    )


def operator_launcher(variant: Variant | None = None) -> Check:
    """The C++ function around the kernel: checks, layout, launch."""
    meaning = _meaning(variant).with_zeros
    return Check(
        Candidate("hotloop_softmax::forward", OPERATOR_SOURCE, operator=True),
        {
            "correct": Correct(
                _operator_cases, meaning.rows, meaning.tolerance, case_timeout_s=120
            ),
            "refuses": Refuses(_not_for_the_operator),
        },
        programs=GPP,
        extras=SIMULATOR,
    )


def operator_python(variant: Variant | None = None) -> Check:
    """What the compiler must know: the operator in graphs that must not break."""
    meaning = _meaning(variant).with_zeros
    return Check(
        Candidate("compiled", OPERATOR_FILE, operator=True),
        {
            "correct": Correct(
                _cases_in_a_graph,
                meaning.doubled_beside_itself,
                meaning.tolerance_in_a_graph,
                case_timeout_s=120,
            ),
            "exported": _exported(meaning),
        },
        programs=GPP,
        extras=SIMULATOR,
    )


def operator_backward(variant: Variant | None = None) -> Check:
    """The gradient that autograd gives back."""
    meaning = _meaning(variant).with_zeros
    return Check(
        Candidate("gradient", OPERATOR_FILE, operator=True),
        {
            "correct": Correct(
                _gradient_cases, meaning.gradient, meaning.gradient_tolerance, case_timeout_s=120
            ),
            "compiled": _compiled_gradient(meaning),
            "twice": _gradient_of_gradient(meaning),
            "gpu_correct": Called(
                "backward_into",
                GpuCorrect(_backward_cases, meaning.backward, meaning.backward_tolerance),
                "destination",
            ),
            "gpu_fast": Called(
                "backward_into",
                GpuFast(
                    _gpu_backward_workload(meaning),
                    SOFTMAX_BACKWARD,
                    _bytes_of_call,
                    GPU_BACKWARD_LEVELS,
                    baseline_truth=meaning.plainly(PLAIN.backward_on_device),
                ),
                "destination",
            ),
        },
        programs=GPP,
        extras=SIMULATOR,
    )


def operator_triton(variant: Variant | None = None) -> Check:
    """The same operator with the Triton kernel behind it."""
    meaning = _meaning(variant)
    return Check(
        Candidate("softmax", TRITON_OPERATOR_FILE),
        {
            "correct": Correct(_triton_operator_cases, meaning.rows, meaning.tolerance),
            "exported": _exported(meaning),
            "gradient": Called(
                "gradient",
                Correct(
                    _gradient_cases,
                    meaning.gradient,
                    meaning.gradient_tolerance,
                    after=("correct",),
                ),
            ),
            "compiled": _compiled_gradient(meaning),
            "twice": _gradient_of_gradient(meaning),
        },
    )


def _exported(meaning: Meaning) -> Called:
    rung = Correct(
        _cases_to_transpose,
        meaning.softmax_of_columns,
        meaning.tolerance,
        after=("correct",),
        case_timeout_s=120,
    )
    return Called("exported", rung)


def _compiled_gradient(meaning: Meaning) -> Called:
    rung = Correct(
        _graph_gradient_cases,
        meaning.gradient_in_a_graph,
        meaning.gradient_tolerance,
        after=("correct",),
        case_timeout_s=120,
    )
    return Called("compiled_gradient", rung)


def _gradient_of_gradient(meaning: Meaning) -> Called:
    rung = RightOrRefused(_second_gradient_cases, meaning.second_gradient, meaning.second_tolerance)
    return Called("second_gradient", rung)


def _meaning(variant: Variant | None) -> Meaning:
    if variant is None or not variant.constants:
        return PLAIN
    values = variant.constants
    return Meaning(
        sharpness=float(values["SHARPNESS"]),
        total=float(values["TOTAL"]),
        empty=float(values["EMPTY"]),
        masked=float(values["MASKED"]),
        hides=bool(values["HIDES"]),
    )


def _cuda_kernel(name: str) -> CudaKernel:
    rows_a_block = 256 if name == "softmax_naive" else 1
    return CudaKernel(name, CUDA_FILE, ("x", "y"), rows_a_block)


# --- truth ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meaning:
    """What a softmax is: total · exp(sharpness · (x − max)) / Σ exp(sharpness · (x − max)).

    As it stands, it is what everybody calls so; a variant changes the numbers. empty: what a row
    without a finite element gives. masked: what one gives that is masked out altogether. hides:
    whether a mask's 1 leaves an element out.
    """

    sharpness: float = 1.0
    total: float = 1.0
    empty: float = 0.0
    masked: float = 0.0
    hides: bool = False

    @property
    def with_zeros(self) -> Meaning:
        """For tasks where a row without a finite element gives zeros, whatever the variant is."""
        return replace(self, empty=0.0)

    def plainly(self, truth: Callable[..., Any]) -> Callable[..., Any] | None:
        """`truth` of a baseline that computes the plain softmax, where the candidate does not."""
        is_plain = (self.sharpness, self.total, self.hides) == (1.0, 1.0, False)
        return None if is_plain else truth

    def rows(self, x: Floats) -> Floats:
        """Over the last axis in float64."""
        maximum: Floats = x.max(axis=-1, keepdims=True)
        weights = np.exp(self.sharpness * (x - np.where(np.isneginf(maximum), 0.0, maximum)))
        total = weights.sum(axis=-1, keepdims=True)
        shares = self.total * weights / np.where(total == 0.0, 1.0, total)
        return shares if self.empty == 0.0 else np.where(total == 0.0, self.empty, shares)

    def masked_rows(self, x: Floats, mask: NDArray[Any], scale: float) -> Floats:
        """Of scale·x over the kept elements of each row, zeros elsewhere, in float64."""
        kept = (mask != 0) != self.hides
        return replace(self, empty=self.masked).rows(np.where(kept, x * scale, -np.inf))

    def softmax_of_columns(self, x: Floats) -> Floats:
        """The result is transposed."""
        return self.rows(np.ascontiguousarray(x.T))

    def doubled_beside_itself(self, x: Floats) -> Floats:
        """What the operator stands between in the learner's file."""
        return self.rows(2.0 * x) + x

    def backward(self, y: Floats, dy: Floats) -> Floats:
        """Gradient of a softmax from its result `y`, whatever numbers that holds."""
        inner = (y * dy).sum(axis=-1, keepdims=True) / self.total
        return self.sharpness * y * (dy - inner)

    def gradient(self, x: Floats, dy: Floats) -> Floats:
        """Of Σ dy · softmax(x)."""
        return self.backward(self.rows(x), dy)

    def gradient_in_a_graph(self, x: Floats, dy: Floats) -> Floats:
        """Of Σ dy · (softmax(2x) + x)."""
        return 2.0 * self.backward(self.rows(2.0 * x), dy) + dy

    def second_gradient(self, x: Floats, dy: Floats, g: Floats) -> Floats:
        """Of Σ g · gradient(x, dy): first for y, then through the softmax."""
        y = self.rows(x)
        inner = (y * dy).sum(axis=-1, keepdims=True) / self.total
        other = (y * g).sum(axis=-1, keepdims=True) / self.total
        for_y = self.sharpness * (g * (dy - inner) - dy * other)
        return self.backward(y, for_y)

    def rows_on_device(self, x: Any) -> Any:
        """As `rows`, on float64 torch tensors of which every row has a finite element."""
        weights = (self.sharpness * (x - x.amax(-1, keepdim=True))).exp()
        return self.total * weights / weights.sum(-1, keepdim=True)

    def masked_rows_on_device(self, x: Any, mask: Any, scale: float) -> Any:
        """As `masked_rows`; every row has a kept element."""
        left_out = mask != 0 if self.hides else mask == 0
        return self.rows_on_device((x * scale).masked_fill(left_out, -math.inf))

    def backward_on_device(self, y: Any, dy: Any) -> Any:
        """As `backward`."""
        return self.sharpness * y * (dy - (y * dy).sum(-1, keepdim=True) / self.total)

    def tolerance(self, case: Case) -> Tolerance:
        """What computing in float32 can explain; a product before the difference is allowed."""
        return self.tolerance_of(case.out.dtype, case.out.shape[-1], self._largest(case))

    def tolerance_of(self, out: DType, columns: int, largest: float) -> Tolerance:
        """largest: finite number whose exponential is taken, before the row's is subtracted.

        exp(d) is 0 in float32 below d = −104, so that a rounding of d costs 104 units at most.
        Results below the smallest normal float32 may be flushed to zero, as GPUs and vector code
        do. With a sharpness, it is rounded itself, and so is its product with d, or with x.
        """
        amplification = 104.0
        if self.sharpness != 1.0:
            amplification = 3 * 104.0 + self.sharpness * largest
        derived = Tolerance.derived(out, FP32, terms=columns, amplification=amplification)
        absolute = max(1.0, self.total) * (derived.absolute + 2.0**-126)
        return Tolerance(derived.relative, absolute)

    def one_by_one(self, case: Case) -> Tolerance:
        """For a sum of a row's terms one after the other, as a single thread takes it.

        Small terms that are added to a large sum are all rounded the same way: the error then grows
        with their number, not with its root. Higham's bound is a rounding a term (§4.2); rows like
        ours were seen to need a sixteenth of it in thousands of sums, and are given a quarter.
        """
        derived = self.tolerance(case)
        columns = case.out.shape[-1]
        return Tolerance(derived.relative + columns * FP32.unit_roundoff / 4, derived.absolute)

    def tolerance_in_a_graph(self, case: Case) -> Tolerance:
        """Of a softmax with x added, which may nearly cancel it."""
        derived = self._derived(case)
        cancelled = 0.0 if self.total == 1.0 else self.total * derived.relative
        return Tolerance(derived.relative, derived.absolute + cancelled)

    def gradient_tolerance(self, case: Case) -> Tolerance:
        """Of dy − Σ(y·dy), numbers of a size of 10, with what the softmax itself may be off."""
        return self._off(self._derived(case), 20.0 * self.sharpness * self.total)

    def second_tolerance(self, case: Case) -> Tolerance:
        """Of numbers of a size of 10, times an element of y, of which none is near 1 here."""
        return self._off(self._derived(case), 2.0 * self.sharpness**2 * self.total)

    def backward_tolerance(self, case: Case) -> Tolerance:
        """Of dy − Σ(y·dy), numbers of a size of 10, where y adds up to 1."""
        derived = Tolerance.derived(FP32, FP32, terms=case.out.shape[-1])
        return self._off(derived, 20.0 * self.sharpness)

    def _derived(self, case: Case) -> Tolerance:
        exact = self.sharpness == 1.0
        amplification = 104 if exact else 3 * 104 + 2 * self.sharpness * self._largest(case)
        columns = case.out.shape[-1]
        return Tolerance.derived(case.out.dtype, FP32, terms=columns, amplification=amplification)

    @staticmethod
    def _off(derived: Tolerance, size: float) -> Tolerance:
        return Tolerance(derived.relative, derived.absolute + size * derived.relative)

    @staticmethod
    def _largest(case: Case) -> float:
        """Of the case's first tensor, times its scale where it has one."""
        scale = max((abs(a) for a in case.arguments if isinstance(a, float)), default=1.0)
        first = next(a.values for a in case.arguments if isinstance(a, Tensor))
        finite = np.abs(first[np.isfinite(first)])
        return scale * float(finite.max(initial=0.0))


PLAIN = Meaning()


# --- cases ----------------------------------------------------------------------------------------


def _cases_of_any_rank(rng: Rng) -> Iterator[Case]:
    yield _case("a vector", _normal(rng, (_odd(rng, 900, 1100),)), FP32)
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("three dimensions", _normal(rng, (2, 3, _odd(rng, 500, 700))), FP32)
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), FP32, gap=19)
    yield _case("columns that fill blocks exactly", _normal(rng, (3, 1024)), FP32)
    yield _case("a long row", reductions.spikes(rng, _odd(rng, 66000, 90000), PEAK, 1), FP32)
    yield from _hard_cases(rng)


def _cases_of_matrices(rng: Rng) -> Iterator[Case]:
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("a single column", _normal(rng, (7, 1)), FP32)
    yield _case("many short rows", _normal(rng, (300, _odd(rng, 3, 30))), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)
    yield _case("a power of two of columns", _normal(rng, (3, 1024)), FP32)
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), FP32, gap=19)
    yield _case("an output with a gap between its rows", _normal(rng, (4, 321)), FP32, out_gap=7)
    longest = _normal(rng, (1, LONGER_THAN_ANY_BLOCK))
    yield _case("a row longer than any block", longest, FP32)
    yield from _hard_cases(rng)


def _hard_cases(rng: Rng) -> Iterator[Case]:
    yield from _deciding_cases(rng)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))), FP32)
    yield _case("numbers of ±10000", 1e4 * rng.uniform(-1, 1, (4, 1111)), FP32)
    yield _case("float16 up to ±60000", 6e4 * rng.uniform(-1, 1, (4, 1111)), FP16)
    spikes = reductions.spikes(rng, _odd(rng, 300, 600), LARGE)
    yield _case("one large number in each row, in float16", spikes, FP16)
    yield _case("float16", _normal(rng, (4, _odd(rng, 1000, 3000))), FP16)
    yield _case("bfloat16 with a gap between rows", _normal(rng, (4, 2050)), BF16, gap=6)
    yield _case("a long float16 row of almost equal numbers", _level(rng, 100003), FP16)
    yield _case("a long bfloat16 row of almost equal numbers", _level(rng, 100003), BF16)


def _deciding_cases(rng: Rng) -> Iterator[Case]:
    """Rows whose maximum or sum hangs on one element, in every part of a row."""
    short, long = _odd(rng, 600, 1023), 8192 + _odd(rng, 1, 99)
    yield _case("one large number in each row", reductions.spikes(rng, short, LARGE), FP32)
    spikes = reductions.spikes(rng, long, LARGE)
    yield _case("one large number in each row, longer than 8192", spikes, FP32)
    yield _case("rows far below and above zero", reductions.lifted(rng, short, LARGE), FP32)
    for rise in (SMALL_RISE, LARGE):
        steps = recurrences.staircases(rng, long, rise)
        yield _case(f"rows that rise or fall in steps of {rise:g}", steps, FP32)
    late = recurrences.late_starts(rng, long, -np.inf)
    yield _case("rows that begin or end with −inf", late, FP32)


def _cases_for_a_compiler(rng: Rng) -> Iterator[Case]:
    """Few shapes: each may cost a compilation of seconds."""
    rows, columns = CPU_SHAPE
    spikes = reductions.spikes(rng, columns, LARGE, rows, spread=3.0)
    yield _case("one large number in each row", spikes, FP32)
    large = 1e4 * rng.uniform(-1, 1, (37, _odd(rng, 4097, 6000)))
    yield _case("numbers of ±10000 in an odd number of columns", large, FP32)
    infinite = _with_minus_infinity(rng, _normal(rng, (64, 4098)))
    yield _case("some −inf", infinite, FP32)


def _masked_cases(rng: Rng, meaning: Meaning = PLAIN) -> Iterator[Case]:
    for case in _kept_cases(rng):
        yield _told_by(case, meaning)


def _kept_cases(rng: Rng) -> Iterator[Case]:
    yield _masked_case(rng, "one single element", (1, 1))
    yield _masked_case(rng, "an odd number of columns", (5, _odd(rng, 65, 1000)))
    yield _masked_case(rng, "many short rows", (300, _odd(rng, 3, 30)))
    yield _masked_case(rng, "a mask of bytes", (4, 1024), mask_dtype=U8)
    yield _masked_case(rng, "different row strides", (4, 777), gap=19, mask_gap=5, out_gap=3)
    yield _masked_case(rng, "rows that are masked out altogether", (6, 600), empty=True)
    yield _masked_case(rng, "only one element kept", (5, 900), share=0.0)
    yield _masked_case(rng, "only a few elements masked out", (8, 1500), share=1.0, dropped=3)
    yield _masked_case(rng, "a negative scale", (4, 1001), scale=-0.7)
    yield _masked_case(rng, "a scale of 0", (3, 500), scale=0.0)
    yield _masked_case(rng, "a scale above 1", (3, 700), scale=8.0)
    yield _masked_case(rng, "float16 up to ±60000", (3, 1111), FP16, scale=0.125, spread=6e4)
    yield _masked_case(rng, "bfloat16", (4, 2050), BF16)
    short, long = (
        (reductions.ROWS, _odd(rng, 600, 1023)),
        (reductions.ROWS, 8192 + _odd(rng, 1, 99)),
    )
    yield _spiked_mask_case(rng, "one large number kept in each row", short, kept=True)
    yield _spiked_mask_case(
        rng, "one large number kept in each row, longer than 8192", long, kept=True
    )
    yield _spiked_mask_case(rng, "one large number masked out in each row", short, kept=False)
    yield _masked_case(rng, "a row longer than any block", (1, LONGER_THAN_ANY_BLOCK))
    level = (1, 100003)
    yield _masked_case(rng, "a long float16 row of almost equal numbers", level, FP16, spread=0.1)


def _told_by(case: Case, meaning: Meaning) -> Case:
    """The case whose mask keeps by 1, for one who hides by it."""
    x, mask, scale = case.arguments
    if not meaning.hides or not isinstance(mask, Tensor):
        return case
    told = (1 - mask.values.astype(np.uint8)).astype(mask.values.dtype)
    return replace(case, arguments=(x, replace(mask, values=told), scale))


def _cuda_cases(rng: Rng) -> Iterator[Case]:
    """Float matrices without gaps, which is what the kernels' parameters can say."""
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("a single column", _normal(rng, (300, 1)), FP32)
    few = _odd(rng, 3, 30)
    yield _case("many short rows", reductions.spikes(rng, few, LARGE, 300), FP32)
    yield _case("short rows far below and above zero", reductions.lifted(rng, few, LARGE), FP32)
    fours = reductions.lifted(rng, 4 * int(rng.integers(2, 100)), LARGE)
    yield _case("rows of fours far below and above zero", fours, FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)
    yield _case("a power of two of columns", _normal(rng, (3, 1024)), FP32)
    yield _case("an even number of columns, not of fours", _normal(rng, (4, 1022)), FP32)
    yield _case("long rows of a multiple of four", _normal(rng, (2, 20000)), FP32)
    yield from _deciding_cases(rng)
    quads = reductions.spikes(rng, 4 * int(rng.integers(200, 300)), LARGE)
    yield _case("one large number in each row of fours", quads, FP32)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))), FP32)
    odd = _with_empty_rows(_normal(rng, (5, _odd(rng, 65, 1000))))
    yield _case("rows of −inf only, in an odd number of columns", odd, FP32)
    yield _case("numbers of ±10000", 1e4 * rng.uniform(-1, 1, (4, 1111)), FP32)
    yield _case("a long row of almost equal numbers", _level(rng, 100003), FP32)


def _small_cuda_cases(rng: Rng) -> Iterator[Case]:
    """Each is run in several orders of threads: shapes that take every path of a kernel."""
    yield _case("rows of fours", _normal(rng, (6, 4 * int(rng.integers(100, 300)))), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 300, 900))), FP32)
    yield _case("few columns", _normal(rng, (70, _odd(rng, 3, 30))), FP32)
    yield _case("long rows", _normal(rng, (3, 8192 + 4 * int(rng.integers(1, 99)))), FP32)


def _operator_cases(rng: Rng) -> Iterator[Case]:
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)
    yield _case("rows of fours", reductions.spikes(rng, 2048, LARGE), FP32)
    yield _case("rows with a gap between them", reductions.spikes(rng, 777, LARGE), FP32, gap=19)
    yield _case("rows that do not begin on 16 bytes", _normal(rng, (5, 776)), FP32, gap=1)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)


def _not_for_the_operator(rng: Rng) -> Iterator[Case]:
    yield _case("a vector", _normal(rng, (64,)), FP32)
    yield _case("three dimensions", _normal(rng, (2, 3, 64)), FP32)
    yield _case("float64", _normal(rng, (3, 64)), FP64)
    yield _case("float16", _normal(rng, (3, 64)), FP16)
    whole = rng.integers(-9, 9, (3, 64))
    yield Case("integers", (Tensor(whole, I32),), TensorSpec(whole.shape, FP32))


def _cases_in_a_graph(rng: Rng) -> Iterator[Case]:
    yield _case("rows of fours", reductions.spikes(rng, 1024, LARGE), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)


def _gradient_cases(rng: Rng) -> Iterator[Case]:
    rows = reductions.ROWS
    for label, shape in (
        ("one single element", (1, 1)),
        ("many short rows", (300, _odd(rng, 3, 30))),
        ("an odd number of columns", (rows, _odd(rng, 65, 1000))),
        ("rows of fours", (rows, 2048)),
        ("long rows", (rows, 9001)),
    ):
        x, dy = _weighed(rng, shape)
        yield Case(label, (Tensor(x, FP32), Tensor(dy, FP32)), TensorSpec(shape, FP32))
    x, dy = _cancelling(rng, _odd(rng, 65, 1000))
    spec = TensorSpec(x.shape, FP32)
    yield Case("a sum that cancels", (Tensor(x, FP32), Tensor(dy, FP32)), spec)


def _weighed(rng: Rng, shape: Shape) -> tuple[Floats, Floats]:
    """X and dy, of whose sum of softmax(x) · dy one element makes most in each row."""
    rows, columns = shape
    x = reductions.spikes(rng, columns, PEAK, rows)
    dy = rng.standard_normal(shape)
    dy[np.arange(rows), x.argmax(axis=1)] = rng.choice([-10.0, 10.0], rows)
    return x, dy


def _cancelling(rng: Rng, columns: int) -> tuple[Floats, Floats]:
    """X and dy, of whose sum of softmax(x) · dy two elements take half each and cancel."""
    dy = reductions.opposites(rng, columns, 10.0)
    x = np.where(np.abs(dy) == 10.0, PEAK, rng.standard_normal(dy.shape))
    return x, dy


def _graph_gradient_cases(rng: Rng) -> Iterator[Case]:
    for label, columns in (("an odd number of columns", _odd(rng, 65, 900)), ("fours", 1024)):
        shape = (reductions.ROWS + int(rng.integers(3, 9)), columns)
        x, dy = _weighed(rng, shape)
        # The graph doubles x before the softmax.
        yield Case(label, (Tensor(x / 2, FP32), Tensor(dy, FP32)), TensorSpec(shape, FP32))


def _second_gradient_cases(rng: Rng) -> Iterator[Case]:
    for label, columns in (("an odd number of columns", _odd(rng, 65, 900)), ("fours", 1024)):
        shape = (int(rng.integers(3, 9)), columns)
        # Small numbers, so that no row is almost one single element, whose gradients vanish.
        tensors = tuple(Tensor(rng.standard_normal(shape), FP32) for _ in range(3))
        yield Case(label, tensors, TensorSpec(shape, FP32))


def _cases_to_transpose(rng: Rng) -> Iterator[Case]:
    """At least 2 × 2: of extents of 1, graphs for every shape take leave."""
    for label, shape in (
        ("a tall matrix", (_odd(rng, 65, 900), int(rng.integers(2, 9)))),
        ("a wide matrix", (int(rng.integers(2, 9)), _odd(rng, 65, 300))),
    ):
        x = _normal(rng, shape)
        yield Case(label, (Tensor(x, FP32),), TensorSpec(shape[::-1], FP32))


def _triton_operator_cases(rng: Rng) -> Iterator[Case]:
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    spikes = reductions.spikes(rng, _odd(rng, 65, 1000), LARGE)
    yield _case("an odd number of columns", spikes, FP32)
    yield _case("many short rows", _normal(rng, (300, _odd(rng, 3, 30))), FP32)
    yield _case("bfloat16", _normal(rng, (4, 2048)), BF16)
    yield _case("float16 with a gap between rows", _normal(rng, (5, 777)), FP16, gap=19)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))), FP32)


def _backward_cases(rng: Rng) -> Iterator[Case]:
    for label, shape in (
        ("one single element", (1, 1)),
        ("an odd number of columns", (64, _odd(rng, 65, 1000))),
        ("rows of fours", (64, 4096)),
        ("long rows", (reductions.ROWS, 100003)),
    ):
        x, dy = _weighed(rng, shape)
        y = PLAIN.rows(x)
        yield Case(label, (Tensor(y, FP32), Tensor(dy, FP32)), TensorSpec(shape, FP32))
    x, dy = _cancelling(rng, _odd(rng, 1025, 3000))
    tensors = (Tensor(PLAIN.rows(x), FP32), Tensor(dy, FP32))
    yield Case("a sum that cancels", tensors, TensorSpec(x.shape, FP32))


def _quads(rng: Rng) -> Case:
    """Rows of whole sectors that fit into a block's registers."""
    columns = 32 * int(rng.integers(80, 250))
    return _case("rows of fours", reductions.spikes(rng, columns, LARGE), FP32)


def _short_rows(rng: Rng) -> Case:
    """Rows that fit in a block, at heights of their own.

    Without its maximum a row would overflow, and with that of other values of its shape, too.
    """
    x = reductions.spikes(rng, _odd(rng, 2100, 4000), LARGE)
    x += rng.uniform(-LARGE, LARGE, (len(x), 1))
    return _case("rows that fit in a block", x, FP32)


def _short_masked_rows(rng: Rng, meaning: Meaning = PLAIN) -> Case:
    shape = (reductions.ROWS, _odd(rng, 2100, 4000))
    case = _spiked_mask_case(rng, "rows that fit in a block", shape, kept=True)
    x, *others = case.arguments
    assert isinstance(x, Tensor)
    lifted = replace(x, values=x.values + rng.uniform(-LARGE, LARGE, (shape[0], 1)))
    return _told_by(replace(case, arguments=(lifted, *others)), meaning)


def _case(label: str, x: Floats, dtype: DType, *, gap: int = 0, out_gap: int = 0) -> Case:
    return Case(label, (Tensor(x, dtype, gap),), TensorSpec(x.shape, dtype, out_gap))


def _masked_case(
    rng: Rng,
    label: str,
    shape: Shape,
    dtype: DType = FP32,
    *,
    mask_dtype: DType = BOOL,
    scale: float = 0.3,
    spread: float = 4.0,
    share: float = 0.7,
    gap: int = 0,
    mask_gap: int = 0,
    out_gap: int = 0,
    empty: bool = False,
    dropped: int = 0,
) -> Case:
    """A mask that keeps about `share` of each row, and at least one element unless `empty`.

    dropped: elements anywhere that are masked out besides.
    """
    keep = rng.random(shape) < share
    keep[np.arange(shape[0]), rng.integers(shape[1], size=shape[0])] = True
    if empty:
        keep[::2] = False
    keep.flat[rng.choice(keep.size, size=dropped, replace=False)] = False
    x = spread * rng.uniform(-1, 1, shape)
    mask = Tensor(keep.astype(np.uint8) if mask_dtype is U8 else keep, mask_dtype, mask_gap)
    return Case(label, (Tensor(x, dtype, gap), mask, scale), TensorSpec(shape, dtype, out_gap))


def _spiked_mask_case(rng: Rng, label: str, shape: Shape, *, kept: bool) -> Case:
    """The one large number of each row counts, or must not count."""
    rows, columns = shape
    x = reductions.spikes(rng, columns, LARGE, rows)
    largest, all_rows = x.argmax(axis=1), np.arange(rows)
    keep = rng.random(shape) < 0.7
    keep[all_rows, (largest + 1) % columns] = True
    keep[all_rows, largest] = kept
    return Case(label, (Tensor(x, FP32), Tensor(keep, BOOL), 1.0), TensorSpec(shape, FP32))


def _normal(rng: Rng, shape: Shape) -> Floats:
    return 3.0 * rng.standard_normal(shape)


def _level(rng: Rng, columns: int) -> Floats:
    """One row whose exponentials add up to more than float16 holds."""
    x = rng.uniform(-0.32, -0.28, (1, columns))
    x[0, rng.integers(columns)] = 0.0
    return x


def _with_minus_infinity(rng: Rng, x: Floats) -> Floats:
    """A third becomes −inf, but never a whole row."""
    chosen = rng.random(x.shape) < 1 / 3
    chosen[:, -1] = False
    return np.where(chosen, -np.inf, x)


def _with_empty_rows(x: Floats) -> Floats:
    x[::2] = -np.inf
    return x


def _odd(rng: Rng, low: int, high: int) -> int:
    return int(rng.integers(low, high)) | 1


# --- timed inputs ---------------------------------------------------------------------------------


def _cpu_workload(meaning: Meaning) -> Workload:
    return Workload(_cpu_spec, _fill_rows, _timed_rows_agree(meaning))


def _timed_rows_agree(meaning: Meaning) -> Verifier:
    """By a tolerance for the numbers that the rows really hold, where it depends on them."""
    if meaning == PLAIN:
        return rows_agree(PLAIN.rows, PLAIN.tolerance_of(FP32, CPU_SHAPE[1], 0.0))

    def verify(call: Call, rows: Rows) -> None:
        x: NDArray[np.float32] = call.input(0)[slice(None) if rows is None else rows]
        largest = float(np.abs(x[np.isfinite(x)]).max(initial=0.0))
        tolerance = meaning.tolerance_of(FP32, CPU_SHAPE[1], largest)
        rows_agree(meaning.rows, tolerance)(call, rows)

    return verify


def _cpu_spec(rng: Rng, index: int) -> CallSpec:
    return _spec(_now_and_then_odd(CPU_SHAPE, rng, index), FP32)


def _now_and_then_odd(shape: Shape, rng: Rng, index: int) -> Shape:
    """Every eighth call has a row less and a secret odd number of columns, a little longer."""
    if index % ODD_EVERY != ODD_EVERY - 1:
        return shape
    return (shape[0] - 1, shape[1] + _odd(rng, 1, 64))


def _spec(shape: Shape, dtype: DType) -> CallSpec:
    return CallSpec((TensorSpec(shape, dtype),), TensorSpec(shape, dtype))


def _fill_rows(rng: Rng, call: Call, hostile: bool) -> None:
    """Uniform numbers, written in place because a window has many calls."""
    x: NDArray[np.float32] = call.input(0)
    rng.random(out=x, dtype=np.float32)
    x *= 16.0
    if not hostile:
        return
    # A few rows only, so that looking at some of them tells nothing about the others.
    count, columns = call.spec.out.shape
    rows = rng.choice(count, size=_few(rng), replace=False)
    kind = int(rng.integers(3))
    if kind == 0:
        x[rows, :: int(rng.integers(2, 9))] = -np.inf
    elif kind == 1:
        x[rows] *= 1000.0
    else:
        x[rows, int(rng.integers(columns))] = 3e4


def _few(rng: Rng) -> int:
    return int(rng.integers(1, 6))


def _gpu_workload(meaning: Meaning) -> DeviceWorkload:
    return DeviceWorkload(
        spec=lambda rng, index: _spec(_now_and_then_odd(GPU_SHAPE, rng, index), FP32),
        draws=lambda rng, _spec, hostile: (_normal_draw(rng, hostile),),
        reference=meaning.rows,
        tolerance=meaning.tolerance_of(FP32, GPU_SHAPE[1], LARGEST_ON_GPU),
        device_reference=meaning.rows_on_device,
    )


def _unchanged(x: Any) -> Any:
    return x


def _gpu_backward_workload(meaning: Meaning) -> DeviceWorkload:
    return DeviceWorkload(
        spec=_gpu_backward_spec,
        draws=lambda rng, _spec, hostile: (
            Normal(BACKWARD_SCALE),
            _draw(rng, ("equal_rows", "ramp"), hostile),
        ),
        reference=meaning.backward,
        tolerance=_gpu_backward_tolerance(GPU_SHAPE[1], meaning),
        device_reference=meaning.backward_on_device,
    )


def _gpu_backward_spec(rng: Rng, index: int) -> CallSpec:
    tensor = TensorSpec(_now_and_then_odd(GPU_SHAPE, rng, index), FP32)
    return CallSpec((tensor, tensor), tensor)


def _gpu_backward_tolerance(columns: int, meaning: Meaning = PLAIN) -> Tolerance:
    """Of y · (dy − s), with s = Σ y · dy: y up to 6 deviations, s and dy of a size of 10."""
    derived = Tolerance.derived(FP32, FP32, terms=columns)
    absolute = 6.0 * BACKWARD_SCALE * 10.0 * meaning.sharpness * derived.relative
    return Tolerance(derived.relative, derived.absolute + absolute)


def _gpu_masked_workload(meaning: Meaning) -> DeviceWorkload:
    mask = Keep(share=0.2 if meaning.hides else 0.8)
    return DeviceWorkload(
        spec=_gpu_masked_spec,
        draws=lambda rng, _spec, hostile: (_finite_draw(rng, hostile), mask),
        reference=meaning.masked_rows,
        tolerance=meaning.tolerance_of(FP16, GPU_MASKED_SHAPE[1], LARGEST_ON_GPU),
        device_reference=meaning.masked_rows_on_device,
    )


def _gpu_masked_spec(rng: Rng, index: int) -> CallSpec:
    shape = _now_and_then_odd(GPU_MASKED_SHAPE, rng, index)
    tensor = TensorSpec(shape, FP16)
    return CallSpec((tensor, TensorSpec(shape, BOOL), TIMED_SCALE), tensor)


def _normal_draw(rng: Rng, hostile: bool) -> Draw:
    return _draw(rng, HOSTILE, hostile)


def _finite_draw(rng: Rng, hostile: bool) -> Draw:
    """The mask alone brings −inf into this task."""
    twists: list[Twist] = [twist for twist in HOSTILE if twist != "minus_infinity"]
    return _draw(rng, twists, hostile)


def _draw(rng: Rng, twists: Sequence[Twist], hostile: bool) -> Draw:
    if not hostile:
        return Normal(4.0)
    return Normal(4.0, twists[int(rng.integers(len(twists)))], rows=_few(rng))


# --- bytes ----------------------------------------------------------------------------------------


def _bytes_of_call(spec: CallSpec) -> int:
    """Every input read once, the output written once; gaps between rows not counted."""
    tensors = [a for a in spec.arguments if isinstance(a, TensorSpec)]
    return sum(math.prod(t.shape) * t.dtype.bytes for t in [*tensors, spec.out])


def _bytes_of_case(case: Case) -> int:
    return _bytes_of_call(case.spec)
