"""The checks of each task of module fused_softmax. Points, levels and needs: module.yaml."""

from __future__ import annotations

from pathlib import Path

from hotloop.checks.fused_softmax import cases, timed
from hotloop.checks.fused_softmax.reference import SOFTMAX, SOFTMAX_OR_ZEROS, Meaning
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.correct import Correct
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
from hotloop.judge.task import cuda_kernel, fills_tensor, operator, returns_tensor

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
FIVE_OPS = Baseline(BASELINES, "five_ops")
COPY = Baseline(BASELINES, "copy")
SCALE_MASK_SOFTMAX = Baseline(BASELINES, "scale_mask_softmax")
LIBRARY = Baseline(BASELINES, "library_softmax")
SOFTMAX_BACKWARD = Baseline(BASELINES, "softmax_backward")

ROW_A_THREAD = CudaLaunch(("x", "y"), rows_a_block=256)
ROW_A_BLOCK = CudaLaunch(("x", "y"))
CLEAN = ("correct", "clean")

# --- in PyTorch -----------------------------------------------------------------------------------

_online = Watched(Correct(cases.any_rank, SOFTMAX.rows, SOFTMAX.tolerance), "operations")
online_pass = returns_tensor(correct=_online, one_pass=OnePass(_online))

compiled_chain = fills_tensor(
    correct=Correct(cases.for_a_compiler, SOFTMAX.rows, SOFTMAX.tolerance, case_timeout_s=180),
    fast_cpu=Fast(
        timed.on_cpu(),
        FIVE_OPS,
        timed.bytes_of_call,
    ),
    fast_gpu=GpuFast(
        timed.on_gpu(),
        FIVE_OPS,
        timed.bytes_of_call,
        after=("correct",),
    ),
)

# --- in Triton ------------------------------------------------------------------------------------

_forward = KernelCalls(cases.matrices, cases.short_rows, SOFTMAX.rows, SOFTMAX.tolerance)
triton_forward = fills_tensor(
    correct=KernelCorrect(_forward),
    traffic=Traffic(_forward, timed.bytes_of_case),
    compiles=Compiles(_forward),
    gpu_correct=GpuCorrect(cases.matrices, SOFTMAX.rows, SOFTMAX.tolerance),
    gpu_fast=GpuFast(timed.on_gpu(), FIVE_OPS, timed.bytes_of_call),
)

_masked = KernelCalls(cases.masked, cases.short_masked_rows, SOFTMAX.masked_rows, SOFTMAX.tolerance)
triton_masked = fills_tensor(
    correct=KernelCorrect(_masked),
    traffic=Traffic(_masked, timed.bytes_of_case),
    compiles=Compiles(_masked),
    gpu_correct=GpuCorrect(cases.masked, SOFTMAX.masked_rows, SOFTMAX.tolerance),
    gpu_fast=GpuFast(
        timed.masked_on_gpu(),
        SCALE_MASK_SOFTMAX,
        timed.bytes_of_call,
    ),
)

# --- in CUDA C++ ----------------------------------------------------------------------------------

_rows, _tolerance = SOFTMAX_OR_ZEROS.rows, SOFTMAX_OR_ZEROS.tolerance
cuda_naive = returns_tensor(
    correct=CudaCorrect(ROW_A_THREAD, cases.cuda, _rows, SOFTMAX_OR_ZEROS.one_by_one),
    clean=CudaClean(ROW_A_THREAD, cases.small_cuda, _rows, SOFTMAX_OR_ZEROS.one_by_one),
)

cuda_block = cuda_kernel(
    PROGRAMS / "softmax_block.cu",
    correct=CudaCorrect(ROW_A_BLOCK, cases.cuda, _rows, _tolerance),
    clean=CudaClean(ROW_A_BLOCK, cases.small_cuda, _rows, _tolerance),
    traffic=CudaTraffic(
        ROW_A_BLOCK,
        cases.quads,
        _rows,
        _tolerance,
        timed.bytes_of_case,
        (ByteLevel(2.1, 1.0), ByteLevel(4.2, 0.5)),
        advice="Let neighbouring threads read neighbouring elements, and read a row three times.",
    ),
    compiles=CudaCompiles(block=256, after=CLEAN),
    gpu_correct=GpuCorrect(cases.cuda, _rows, _tolerance),
)

cuda_warp = cuda_kernel(
    PROGRAMS / "softmax_warp.cu",
    correct=CudaCorrect(ROW_A_BLOCK, cases.cuda, _rows, _tolerance),
    clean=CudaClean(ROW_A_BLOCK, cases.small_cuda, _rows, _tolerance),
    traffic=CudaTraffic(ROW_A_BLOCK, cases.quads, _rows, _tolerance, timed.bytes_of_case, width=16),
    compiles=CudaCompiles(block=256, min_load_bytes=16, after=CLEAN),
    gpu_correct=GpuCorrect(cases.cuda, _rows, _tolerance),
    gpu_fast=GpuFast(
        timed.on_gpu(SOFTMAX_OR_ZEROS), COPY, timed.bytes_of_call, baseline_truth=timed.unchanged
    ),
    gpu_library=GpuFast(timed.on_gpu(SOFTMAX_OR_ZEROS), LIBRARY, timed.bytes_of_call),
)

# --- as an operator -------------------------------------------------------------------------------

operator_launcher = operator(
    correct=Correct(cases.for_an_operator, _rows, _tolerance, case_timeout_s=120),
    refuses=Refuses(cases.refused),
)


def _exported(of: Meaning) -> Called:
    rung = Correct(
        cases.to_transpose,
        of.softmax_of_columns,
        of.tolerance,
        after=("correct",),
        case_timeout_s=120,
    )
    return Called("exported", rung)


def _compiled_gradient(of: Meaning) -> Called:
    rung = Correct(
        cases.gradients_in_a_graph,
        of.gradient_in_a_graph,
        of.gradient_tolerance,
        after=("correct",),
        case_timeout_s=120,
    )
    return Called("compiled_gradient", rung)


def _gradient_of_gradient(of: Meaning) -> Called:
    rung = RightOrRefused(cases.second_gradients, of.second_gradient, of.second_tolerance)
    return Called("second_gradient", rung)


operator_python = operator(
    correct=Correct(
        cases.in_a_graph,
        SOFTMAX_OR_ZEROS.doubled_beside_itself,
        SOFTMAX_OR_ZEROS.tolerance_in_a_graph,
        case_timeout_s=120,
    ),
    exported=_exported(SOFTMAX_OR_ZEROS),
)

operator_backward = operator(
    correct=Correct(
        cases.gradients,
        SOFTMAX_OR_ZEROS.gradient,
        SOFTMAX_OR_ZEROS.gradient_tolerance,
        case_timeout_s=120,
    ),
    compiled=_compiled_gradient(SOFTMAX_OR_ZEROS),
    twice=_gradient_of_gradient(SOFTMAX_OR_ZEROS),
    gpu_correct=Called(
        "backward_into",
        GpuCorrect(cases.backward, SOFTMAX_OR_ZEROS.backward, SOFTMAX_OR_ZEROS.backward_tolerance),
        "destination",
    ),
    gpu_fast=Called(
        "backward_into",
        GpuFast(
            timed.backward_on_gpu(),
            SOFTMAX_BACKWARD,
            timed.bytes_of_call,
        ),
        "destination",
    ),
)

operator_triton = returns_tensor(
    correct=Correct(cases.for_a_triton_operator, SOFTMAX.rows, SOFTMAX.tolerance),
    exported=_exported(SOFTMAX),
    gradient=Called(
        "gradient",
        Correct(cases.gradients, SOFTMAX.gradient, SOFTMAX.gradient_tolerance, after=("correct",)),
    ),
    compiled=_compiled_gradient(SOFTMAX),
    twice=_gradient_of_gradient(SOFTMAX),
)

operator_extension = returns_tensor(
    correct=Correct(cases.for_an_operator, _rows, _tolerance, case_timeout_s=180),
    refuses=Refuses(cases.refused),
    gradient=Called(
        "gradient",
        Correct(
            cases.gradients,
            SOFTMAX_OR_ZEROS.gradient,
            SOFTMAX_OR_ZEROS.gradient_tolerance,
            after=("correct",),
        ),
    ),
    fast_cpu=Called(
        "softmax_into", Fast(timed.on_cpu(), LIBRARY, timed.bytes_of_call), "destination"
    ),
)
