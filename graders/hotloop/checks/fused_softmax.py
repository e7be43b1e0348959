"""What the judge asks of the tasks of module fused_softmax.

Softmax here is exp(x − max) / sum over each row, and zeros for a row without a finite element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.check import Candidate, Check
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
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.refuses import Refuses
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.verification import rows_agree
from hotloop.judge.window import Workload

Rng = np.random.Generator
Shape = tuple[int, ...]

KERNELS = "softmax_triton.py"
CUDA_FILE = "softmax.cu"
CLEAN = ("correct", "clean")
OPERATOR_FILE = "softmax_op.py"
TRITON_OPERATOR_FILE = "softmax_op_triton.py"
CUDA_PROGRAMS = {"g++": "g++"}  # the simulator compiles with it
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
BACKWARD_SCALE = 1 / 64
"""Deviation of what stands for the forward's result: the sum of y · dy is then as large as dy."""

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


def online_pass() -> Check:
    """The recurrence over column blocks, in PyTorch."""
    return Check(
        Candidate("online_softmax"),
        {"correct": Correct(_cases_of_any_rank, softmax_rows, _tolerance)},
    )


def compiled_chain() -> Check:
    """The five operations as one compiled kernel."""
    return Check(
        Candidate("softmax", style="destination"),
        {
            "correct": Correct(_cases_for_a_compiler, softmax_rows, _tolerance, case_timeout_s=180),
            "fast_cpu": Fast(
                Workload(
                    _cpu_spec,
                    _fill_rows,
                    rows_agree(softmax_rows, _tolerance_of(FP32, CPU_SHAPE[1])),
                ),
                FIVE_OPS,
                _bytes_of_call,
                CPU_LEVELS,
            ),
            "fast_gpu": GpuFast(
                _gpu_workload(), FIVE_OPS, _bytes_of_call, GPU_LEVELS, needs=("correct",)
            ),
        },
        programs={"g++": "g++"},  # torch.compile builds with it
    )


def triton_forward() -> Check:
    """The forward kernel in OpenAI Triton."""
    return Check(
        Candidate("softmax", KERNELS, "destination"),
        {
            "correct": KernelCorrect(
                Correct(_cases_of_matrices, softmax_rows, _tolerance), FORWARD_TRAFFIC
            ),
            "traffic": FORWARD_TRAFFIC,
            "compiles": Compiles(_short_rows),
            "gpu_correct": GpuCorrect(_cases_of_matrices, softmax_rows, _tolerance),
            "gpu_fast": GpuFast(_gpu_workload(), FIVE_OPS, _bytes_of_call, GPU_LEVELS),
        },
    )


def triton_masked() -> Check:
    """Scale, mask and softmax in one kernel in OpenAI Triton."""
    return Check(
        Candidate("masked_softmax", KERNELS, "destination"),
        {
            "correct": KernelCorrect(
                Correct(_masked_cases, masked_softmax_rows, _tolerance), MASKED_TRAFFIC
            ),
            "traffic": MASKED_TRAFFIC,
            "compiles": Compiles(_short_masked_rows),
            "gpu_correct": GpuCorrect(_masked_cases, masked_softmax_rows, _tolerance),
            "gpu_fast": GpuFast(
                _gpu_masked_workload(), SCALE_MASK_SOFTMAX, _bytes_of_call, GPU_MASKED_LEVELS
            ),
        },
    )


def cuda_naive() -> Check:
    """The definition in CUDA C++, one thread a row."""
    kernel = _cuda_kernel("softmax_naive")
    return Check(
        Candidate("softmax_naive", CUDA_FILE),
        {
            "correct": CudaCorrect(kernel, _cuda_cases, softmax_rows, _one_by_one),
            "clean": CudaClean(kernel, _small_cuda_cases, softmax_rows, _one_by_one),
        },
        programs=CUDA_PROGRAMS,
    )


def cuda_block() -> Check:
    """One block a row, reduced through shared memory."""
    kernel = _cuda_kernel("softmax_block")
    candidate = Candidate("softmax_block", CUDA_FILE, "destination", harness=kernel.harness)
    traffic = CudaTraffic(
        kernel,
        _quads,
        softmax_rows,
        _tolerance,
        _bytes_of_case,
        (ByteLevel(2.1, 1.0), ByteLevel(4.2, 0.5)),
        advice="Let neighbouring threads read neighbouring elements, and read a row three times.",
    )
    return Check(
        candidate,
        {
            "correct": CudaCorrect(kernel, _cuda_cases, softmax_rows, _tolerance),
            "clean": CudaClean(kernel, _small_cuda_cases, softmax_rows, _tolerance),
            "traffic": traffic,
            "compiles": CudaCompiles(kernels=("softmax_block",), block=256, needs=CLEAN),
            "gpu_correct": GpuCorrect(_cuda_cases, softmax_rows, _tolerance),
        },
        programs=CUDA_PROGRAMS,
    )


def cuda_warp() -> Check:
    """Shuffles, the online recurrence and vector loads; a row is read once where it fits."""
    kernel = _cuda_kernel("softmax_warp")
    candidate = Candidate("softmax_warp", CUDA_FILE, "destination", harness=kernel.harness)
    traffic = CudaTraffic(kernel, _quads, softmax_rows, _tolerance, _bytes_of_case, width=16)
    return Check(
        candidate,
        {
            "correct": CudaCorrect(kernel, _cuda_cases, softmax_rows, _tolerance),
            "clean": CudaClean(kernel, _small_cuda_cases, softmax_rows, _tolerance),
            "traffic": traffic,
            "compiles": CudaCompiles(
                kernels=("softmax_warp",), block=256, min_load_bytes=16, needs=CLEAN
            ),
            "gpu_correct": GpuCorrect(_cuda_cases, softmax_rows, _tolerance),
            "gpu_fast": GpuFast(
                _gpu_workload(),
                COPY,
                _bytes_of_call,
                COPY_LEVELS,
                baseline_truth=_unchanged,
            ),
        },
        programs=CUDA_PROGRAMS,
    )


def operator_launcher() -> Check:
    """The C++ function around the kernel: checks, layout, launch."""
    return Check(
        Candidate("softmax", OPERATOR_FILE, operator=True),
        {
            "correct": Correct(_operator_cases, softmax_rows, _tolerance, case_timeout_s=120),
            "refuses": Refuses(_not_for_the_operator),
        },
        programs=CUDA_PROGRAMS,
    )


def operator_python() -> Check:
    """What the compiler must know: the operator in graphs that must not break."""
    return Check(
        Candidate("compiled", OPERATOR_FILE, operator=True),
        {
            "correct": Correct(
                _cases_in_a_graph, _doubled_beside_itself, _tolerance_in_a_graph, case_timeout_s=120
            ),
            "exported": _exported(),
        },
        programs=CUDA_PROGRAMS,
    )


def operator_backward() -> Check:
    """The gradient that autograd gives back."""
    return Check(
        Candidate("gradient", OPERATOR_FILE, operator=True),
        {
            "correct": Correct(
                _gradient_cases, _gradient_rows, _gradient_tolerance, case_timeout_s=120
            ),
            "compiled": _compiled_gradient(),
            "twice": _gradient_of_gradient(),
            "gpu_correct": Called(
                "backward_into",
                GpuCorrect(_backward_cases, backward_rows, _backward_tolerance),
                "destination",
            ),
            "gpu_fast": Called(
                "backward_into",
                GpuFast(
                    _gpu_backward_workload(), SOFTMAX_BACKWARD, _bytes_of_call, GPU_BACKWARD_LEVELS
                ),
                "destination",
            ),
        },
        programs=CUDA_PROGRAMS,
    )


def operator_triton() -> Check:
    """The same operator with the Triton kernel behind it."""
    return Check(
        Candidate("softmax", TRITON_OPERATOR_FILE),
        {
            "correct": Correct(_triton_operator_cases, softmax_rows, _tolerance),
            "exported": _exported(),
            "gradient": Called(
                "gradient",
                Correct(_gradient_cases, _gradient_rows, _gradient_tolerance, needs=("correct",)),
            ),
            "compiled": _compiled_gradient(),
            "twice": _gradient_of_gradient(),
        },
    )


def _exported() -> Called:
    rung = Correct(
        _cases_to_transpose,
        _softmax_of_columns,
        _tolerance,
        needs=("correct",),
        case_timeout_s=120,
    )
    return Called("exported", rung)


def _compiled_gradient() -> Called:
    rung = Correct(
        _graph_gradient_cases,
        _gradient_in_a_graph,
        _gradient_tolerance,
        needs=("correct",),
        case_timeout_s=120,
    )
    return Called("compiled_gradient", rung)


def _gradient_of_gradient() -> Called:
    rung = RightOrRefused(_second_gradient_cases, _second_gradient_rows, _second_tolerance)
    return Called("second_gradient", rung)


def _cuda_kernel(name: str) -> CudaKernel:
    return CudaKernel(name, CUDA_FILE, HARNESS / f"{name}.cu", ("x", "y"))


# --- truth ----------------------------------------------------------------------------------------


def softmax_rows(x: Floats) -> Floats:
    """Softmax over the last axis in float64; zeros where a row has no finite element."""
    maximum: Floats = x.max(axis=-1, keepdims=True)
    weights = np.exp(x - np.where(np.isneginf(maximum), 0.0, maximum))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0.0, 1.0, total)


def masked_softmax_rows(x: Floats, mask: NDArray[Any], scale: float) -> Floats:
    """Softmax of scale·x over the kept elements of each row, zeros elsewhere, in float64."""
    return softmax_rows(np.where(mask != 0, x * scale, -np.inf))


def _softmax_on_device(x: Any) -> Any:
    """As `softmax_rows`, on float64 torch tensors of which every row has a finite element."""
    weights = (x - x.amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True)


def _masked_softmax_on_device(x: Any, mask: Any, scale: float) -> Any:
    return _softmax_on_device((x * scale).masked_fill(mask == 0, -math.inf))


def _backward_on_device(y: Any, dy: Any) -> Any:
    return y * (dy - (y * dy).sum(-1, keepdim=True))


def _tolerance(case: Case) -> Tolerance:
    return _tolerance_of(case.out.dtype, case.out.shape[-1])


def _one_by_one(case: Case) -> Tolerance:
    """For a sum of a row's terms one after the other, as a single thread takes it.

    Small terms that are added to a large sum are all rounded the same way: the error then grows
    with their number, not with its root. Higham's bound is a rounding a term (§4.2); rows like ours
    were seen to need a sixteenth of it in thousands of sums, and are given a quarter.
    """
    derived = _tolerance(case)
    columns = case.out.shape[-1]
    return Tolerance(derived.relative + columns * FP32.unit_roundoff / 4, derived.absolute)


def _tolerance_of(out: DType, columns: int) -> Tolerance:
    """What computing in float32 and storing in `out` can explain.

    exp(d) is 0 in float32 below d = −104, so that a rounding of d costs 104 units at most. Results
    below the smallest normal float32 may be flushed to zero, as GPUs and vector code do.
    """
    derived = Tolerance.derived(out, FP32, terms=columns, amplification=104)
    return Tolerance(derived.relative, derived.absolute + 2.0**-126)


# --- cases ----------------------------------------------------------------------------------------


def _cases_of_any_rank(rng: Rng) -> Iterator[Case]:
    yield _case("a vector", _normal(rng, (_odd(rng, 900, 1100),)), FP32)
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("three dimensions", _normal(rng, (2, 3, _odd(rng, 500, 700))), FP32)
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), FP32, gap=19)
    yield _case("columns that fill blocks exactly", _normal(rng, (3, 1024)), FP32)
    yield _case("rows that rise from block to block", _ramp(rng, (4, 3001)), FP32)
    yield from _hard_cases(rng)


def _cases_of_matrices(rng: Rng) -> Iterator[Case]:
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("a single column", _normal(rng, (7, 1)), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)
    yield _case("a power of two of columns", _normal(rng, (3, 1024)), FP32)
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), FP32, gap=19)
    yield _case("an output with a gap between its rows", _normal(rng, (4, 321)), FP32, out_gap=7)
    yield _case("rows a little longer than 8192", _ramp(rng, (2, 8192 + _odd(rng, 1, 99))), FP32)
    longest = _normal(rng, (1, LONGER_THAN_ANY_BLOCK))
    yield _case("a row longer than any block", longest, FP32)
    yield from _hard_cases(rng)


def _hard_cases(rng: Rng) -> Iterator[Case]:
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))), FP32)
    beginning = _normal(rng, (3, 9000))
    beginning[:, : int(rng.integers(8300, 8900))] = -np.inf
    yield _case("rows that begin with −inf", beginning, FP32)
    yield _case("numbers of ±10000", 1e4 * rng.uniform(-1, 1, (4, 1111)), FP32)
    yield _case("float16 up to ±60000", 6e4 * rng.uniform(-1, 1, (4, 1111)), FP16)
    yield _case("float16", _normal(rng, (4, _odd(rng, 1000, 3000))), FP16)
    yield _case("bfloat16 with a gap between rows", _normal(rng, (4, 2050)), BF16, gap=6)
    yield _case("a long float16 row of almost equal numbers", _level(rng, 100003), FP16)
    yield _case("a long bfloat16 row of almost equal numbers", _level(rng, 100003), BF16)


def _cases_for_a_compiler(rng: Rng) -> Iterator[Case]:
    """Few shapes: each may cost a compilation of seconds."""
    yield _case("normal numbers", _normal(rng, CPU_SHAPE), FP32)
    large = 1e4 * rng.uniform(-1, 1, (37, _odd(rng, 4097, 6000)))
    yield _case("numbers of ±10000 in an odd number of columns", large, FP32)
    infinite = _with_minus_infinity(rng, _normal(rng, (64, 4098)))
    yield _case("some −inf", infinite, FP32)


def _masked_cases(rng: Rng) -> Iterator[Case]:
    yield _masked_case(rng, "one single element", (1, 1))
    yield _masked_case(rng, "an odd number of columns", (5, _odd(rng, 65, 1000)))
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
    yield _masked_case(rng, "rows a little longer than 8192", (2, 8192 + _odd(rng, 1, 99)))
    yield _masked_case(rng, "a row longer than any block", (1, LONGER_THAN_ANY_BLOCK))
    level = (1, 100003)
    yield _masked_case(rng, "a long float16 row of almost equal numbers", level, FP16, spread=0.1)


def _cuda_cases(rng: Rng) -> Iterator[Case]:
    """Float matrices without gaps, which is what the kernels' parameters can say."""
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("a single column", _normal(rng, (300, 1)), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)
    yield _case("a power of two of columns", _normal(rng, (3, 1024)), FP32)
    yield _case("an even number of columns, not of fours", _normal(rng, (4, 1022)), FP32)
    yield _case("rows that rise from block to block", _ramp(rng, (4, 3000)), FP32)
    yield _case("rows a little longer than 8192", _ramp(rng, (2, 8192 + _odd(rng, 1, 99))), FP32)
    yield _case("long rows of a multiple of four", _normal(rng, (2, 20000)), FP32)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))), FP32)
    beginning = _normal(rng, (3, 9000))
    beginning[:, : int(rng.integers(8300, 8900))] = -np.inf
    yield _case("rows that begin with −inf", beginning, FP32)
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
    yield _case("rows of fours", _normal(rng, (4, 2048)), FP32)
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), FP32, gap=19)
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
    yield _case("rows of fours", _normal(rng, (4, 1024)), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)


def _doubled_beside_itself(x: Floats) -> Floats:
    """What the operator stands between in the learner's file."""
    return softmax_rows(2.0 * x) + x


def _tolerance_in_a_graph(case: Case) -> Tolerance:
    return Tolerance.derived(case.out.dtype, FP32, terms=case.out.shape[-1], amplification=104)


def _gradient_cases(rng: Rng) -> Iterator[Case]:
    for label, shape in (
        ("one single element", (1, 1)),
        ("an odd number of columns", (5, _odd(rng, 65, 1000))),
        ("rows of fours", (4, 2048)),
        ("long rows", (2, 9001)),
    ):
        x, dy = _normal(rng, shape), _normal(rng, shape)
        yield Case(label, (Tensor(x, FP32), Tensor(dy, FP32)), TensorSpec(shape, FP32))


def _gradient_rows(x: Floats, dy: Floats) -> Floats:
    return backward_rows(softmax_rows(x), dy)


def backward_rows(y: Floats, dy: Floats) -> Floats:
    """Gradient of a softmax from its result `y`, whatever numbers that holds."""
    return y * (dy - (y * dy).sum(axis=-1, keepdims=True))


def _graph_gradient_cases(rng: Rng) -> Iterator[Case]:
    for label, columns in (("an odd number of columns", _odd(rng, 65, 900)), ("fours", 1024)):
        shape = (int(rng.integers(3, 9)), columns)
        x, dy = _normal(rng, shape), _normal(rng, shape)
        yield Case(label, (Tensor(x, FP32), Tensor(dy, FP32)), TensorSpec(shape, FP32))


def _gradient_in_a_graph(x: Floats, dy: Floats) -> Floats:
    return 2.0 * backward_rows(softmax_rows(2.0 * x), dy) + dy


def _second_gradient_cases(rng: Rng) -> Iterator[Case]:
    for label, columns in (("an odd number of columns", _odd(rng, 65, 900)), ("fours", 1024)):
        shape = (int(rng.integers(3, 9)), columns)
        # Small numbers, so that no row is almost one single element, whose gradients vanish.
        tensors = tuple(Tensor(rng.standard_normal(shape), FP32) for _ in range(3))
        yield Case(label, tensors, TensorSpec(shape, FP32))


def _second_gradient_rows(x: Floats, dy: Floats, g: Floats) -> Floats:
    """Of Σ g · y · (dy − Σ y·dy): first for y, then through the softmax."""
    y = softmax_rows(x)
    inner = (y * dy).sum(axis=-1, keepdims=True)
    for_y = g * (dy - inner) - dy * (y * g).sum(axis=-1, keepdims=True)
    return backward_rows(y, for_y)


def _second_tolerance(case: Case) -> Tolerance:
    """Of numbers of a size of 10, times an element of y, of which none is near 1 here."""
    derived = Tolerance.derived(FP32, FP32, terms=case.out.shape[-1], amplification=104)
    return Tolerance(derived.relative, derived.absolute + 2.0 * derived.relative)


def _cases_to_transpose(rng: Rng) -> Iterator[Case]:
    """At least 2 × 2: of extents of 1, graphs for every shape take leave."""
    for label, shape in (
        ("a tall matrix", (_odd(rng, 65, 900), int(rng.integers(2, 9)))),
        ("a wide matrix", (int(rng.integers(2, 9)), _odd(rng, 65, 300))),
    ):
        x = _normal(rng, shape)
        yield Case(label, (Tensor(x, FP32),), TensorSpec(shape[::-1], FP32))


def _softmax_of_columns(x: Floats) -> Floats:
    return softmax_rows(np.ascontiguousarray(x.T))


def _triton_operator_cases(rng: Rng) -> Iterator[Case]:
    yield _case("one single element", _normal(rng, (1, 1)), FP32)
    yield _case("an odd number of columns", _normal(rng, (5, _odd(rng, 65, 1000))), FP32)
    yield _case("bfloat16", _normal(rng, (4, 2048)), BF16)
    yield _case("float16 with a gap between rows", _normal(rng, (5, 777)), FP16, gap=19)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))), FP32)
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))), FP32)


def _backward_cases(rng: Rng) -> Iterator[Case]:
    for label, shape in (
        ("one single element", (1, 1)),
        ("an odd number of columns", (5, _odd(rng, 65, 1000))),
        ("rows of fours", (64, 4096)),
        ("long rows", (3, 100003)),
    ):
        y, dy = softmax_rows(_normal(rng, shape)), _normal(rng, shape)
        yield Case(label, (Tensor(y, FP32), Tensor(dy, FP32)), TensorSpec(shape, FP32))


def _backward_tolerance(case: Case) -> Tolerance:
    """Of dy − Σ(y·dy), numbers of a size of 10, where y adds up to 1."""
    derived = Tolerance.derived(FP32, FP32, terms=case.out.shape[-1])
    return Tolerance(derived.relative, derived.absolute + 20.0 * derived.relative)


def _gradient_tolerance(case: Case) -> Tolerance:
    """Of dy − Σ(y·dy), numbers of a size of 10, with what the softmax itself may be off."""
    derived = Tolerance.derived(FP32, FP32, terms=case.out.shape[-1], amplification=104)
    return Tolerance(derived.relative, derived.absolute + 20.0 * derived.relative)


def _quads(rng: Rng) -> Case:
    """Rows of whole sectors that fit into a block's registers."""
    return _case("rows of fours", _normal(rng, (4, 32 * int(rng.integers(80, 250)))), FP32)


def _short_rows(rng: Rng) -> Case:
    """Rows that fit in a block; without its maximum the last one would overflow."""
    x = _normal(rng, (6, _odd(rng, 2100, 4000)))
    x[-1] += 300.0
    return _case("rows that fit in a block", x, FP32)


def _short_masked_rows(rng: Rng) -> Case:
    shape = (6, _odd(rng, 2100, 4000))
    return _masked_case(rng, "rows that fit in a block", shape, scale=1.5, spread=200.0)


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


def _normal(rng: Rng, shape: Shape) -> Floats:
    return 3.0 * rng.standard_normal(shape)


def _ramp(rng: Rng, shape: Shape) -> Floats:
    """Rows whose maximum grows from block to block, and rows where it shrinks."""
    x = rng.standard_normal(shape) + np.linspace(0.0, 30.0, shape[-1])
    x[::2] = x[::2, ::-1]
    return x


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


def _gpu_workload() -> DeviceWorkload:
    return DeviceWorkload(
        spec=lambda rng, index: _spec(_now_and_then_odd(GPU_SHAPE, rng, index), FP32),
        draws=lambda rng, _spec, hostile: (_normal_draw(rng, hostile),),
        reference=softmax_rows,
        tolerance=_tolerance_of(FP32, GPU_SHAPE[1]),
        device_reference=_softmax_on_device,
    )


def _unchanged(x: Any) -> Any:
    return x


def _gpu_backward_workload() -> DeviceWorkload:
    return DeviceWorkload(
        spec=_gpu_backward_spec,
        draws=lambda rng, _spec, hostile: (
            Normal(BACKWARD_SCALE),
            _draw(rng, ("equal_rows", "ramp"), hostile),
        ),
        reference=backward_rows,
        tolerance=_gpu_backward_tolerance(GPU_SHAPE[1]),
        device_reference=_backward_on_device,
    )


def _gpu_backward_spec(rng: Rng, index: int) -> CallSpec:
    tensor = TensorSpec(_now_and_then_odd(GPU_SHAPE, rng, index), FP32)
    return CallSpec((tensor, tensor), tensor)


def _gpu_backward_tolerance(columns: int) -> Tolerance:
    """Of y · (dy − s), with s = Σ y · dy: y up to 6 deviations, s and dy of a size of 10."""
    derived = Tolerance.derived(FP32, FP32, terms=columns)
    absolute = 6.0 * BACKWARD_SCALE * 10.0 * derived.relative
    return Tolerance(derived.relative, derived.absolute + absolute)


def _gpu_masked_workload() -> DeviceWorkload:
    return DeviceWorkload(
        spec=_gpu_masked_spec,
        draws=lambda rng, _spec, hostile: (_finite_draw(rng, hostile), Keep(share=0.8)),
        reference=masked_softmax_rows,
        tolerance=_tolerance_of(FP16, GPU_MASKED_SHAPE[1]),
        device_reference=_masked_softmax_on_device,
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


FORWARD_TRAFFIC = Traffic(_short_rows, softmax_rows, _tolerance, _bytes_of_case)
MASKED_TRAFFIC = Traffic(_short_masked_rows, masked_softmax_rows, _tolerance, _bytes_of_case)
