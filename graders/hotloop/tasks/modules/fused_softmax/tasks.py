"""The checks of each task of module fused_softmax. Points, levels and needs: module.yaml."""

from __future__ import annotations

from pathlib import Path

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.fused_softmax import cases, timed
from hotloop.tasks.modules.fused_softmax.reference import SOFTMAX, SOFTMAX_OR_ZEROS, Meaning

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
FIVE_OPS = hl.Baseline(BASELINES, "five_ops")
COMPILED_OPS = hl.Baseline(BASELINES, "compiled_five_ops", label="the compiled chain")
COPY = hl.Baseline(BASELINES, "copy")
SCALE_MASK_SOFTMAX = hl.Baseline(BASELINES, "scale_mask_softmax")
LIBRARY = hl.Baseline(BASELINES, "library_softmax")
SOFTMAX_BACKWARD = hl.Baseline(BASELINES, "softmax_backward")

ROW_A_THREAD = hl.CudaLaunch(("x", "y"), rows_a_block=256)
ROW_A_BLOCK = hl.CudaLaunch(("x", "y"))
CLEAN = ("correct", "clean")

# --- in PyTorch -----------------------------------------------------------------------------------

_online = hl.RecordedCalls(
    hl.Correct(cases.any_rank, SOFTMAX.rows, SOFTMAX.tolerance), "operations"
)
online_pass = hl.returns_tensor(correct=_online, one_pass=hl.OnePass(_online))

compiled_chain = hl.fills_tensor(
    correct=hl.Correct(cases.for_a_compiler, SOFTMAX.rows, SOFTMAX.tolerance, case_timeout_s=180),
    fast_cpu=hl.Fast(
        timed.on_cpu(),
        FIVE_OPS,
        timed.bytes_of_call,
        reachable=COMPILED_OPS,
    ),
    fast_gpu=hl.GpuFast(
        timed.on_gpu(),
        FIVE_OPS,
        timed.bytes_of_call,
        after=("correct",),
    ),
)

# --- in Triton ------------------------------------------------------------------------------------

_forward = hl.TritonKernelCalls(cases.matrices, cases.short_rows, SOFTMAX.rows, SOFTMAX.tolerance)
triton_forward = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_forward),
    traffic=hl.TritonTraffic(_forward, timed.bytes_of_case),
    compiles=hl.TritonCompiles(_forward),
    gpu_correct=hl.Correct(cases.matrices, SOFTMAX.rows, SOFTMAX.tolerance, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(timed.on_gpu(), FIVE_OPS, timed.bytes_of_call),
)

_masked = hl.TritonKernelCalls(
    cases.masked, cases.short_masked_rows, SOFTMAX.masked_rows, SOFTMAX.tolerance
)
triton_masked = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_masked),
    traffic=hl.TritonTraffic(_masked, timed.bytes_of_case),
    compiles=hl.TritonCompiles(_masked),
    gpu_correct=hl.Correct(cases.masked, SOFTMAX.masked_rows, SOFTMAX.tolerance, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.masked_on_gpu(),
        SCALE_MASK_SOFTMAX,
        timed.bytes_of_call,
    ),
)

# --- in CUDA C++ ----------------------------------------------------------------------------------

_rows, _tolerance = SOFTMAX_OR_ZEROS.rows, SOFTMAX_OR_ZEROS.tolerance
cuda_naive = hl.returns_tensor(
    correct=hl.Correct(
        cases.cuda, _rows, SOFTMAX_OR_ZEROS.one_by_one, on=hl.InSimulator(ROW_A_THREAD)
    ),
    clean=hl.CudaClean(ROW_A_THREAD, cases.small_cuda, _rows, SOFTMAX_OR_ZEROS.one_by_one),
)

cuda_block = hl.cuda_kernel(
    PROGRAMS / "softmax_block.cu",
    correct=hl.Correct(cases.cuda, _rows, _tolerance, on=hl.InSimulator(ROW_A_BLOCK)),
    clean=hl.CudaClean(ROW_A_BLOCK, cases.small_cuda, _rows, _tolerance),
    traffic=hl.CudaTraffic(
        ROW_A_BLOCK,
        cases.quads,
        _rows,
        _tolerance,
        timed.bytes_of_case,
        advice="Let neighbouring threads read neighbouring elements, and read a row three times.",
    ),
    compiles=hl.CudaCompiles(block=256, after=CLEAN),
    gpu_correct=hl.Correct(cases.cuda, _rows, _tolerance, on=hl.OnGpu()),
)

cuda_warp = hl.cuda_kernel(
    PROGRAMS / "softmax_warp.cu",
    correct=hl.Correct(cases.cuda, _rows, _tolerance, on=hl.InSimulator(ROW_A_BLOCK)),
    clean=hl.CudaClean(ROW_A_BLOCK, cases.small_cuda, _rows, _tolerance),
    traffic=hl.CudaTraffic(
        ROW_A_BLOCK, cases.quads, _rows, _tolerance, timed.bytes_of_case, width=16
    ),
    compiles=hl.CudaCompiles(block=256, min_load_bytes=16, after=CLEAN),
    gpu_correct=hl.Correct(cases.cuda, _rows, _tolerance, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.on_gpu(SOFTMAX_OR_ZEROS), COPY, timed.bytes_of_call, baseline_truth=timed.unchanged
    ),
    gpu_library=hl.GpuFast(timed.on_gpu(SOFTMAX_OR_ZEROS), LIBRARY, timed.bytes_of_call),
)

# --- as an operator -------------------------------------------------------------------------------

operator_launcher = hl.operator(
    correct=hl.Correct(cases.for_an_operator, _rows, _tolerance, case_timeout_s=120),
    refuses=hl.RaisesError(cases.refused),
)


def _exported(of: Meaning) -> hl.ForFunction:
    rung = hl.Correct(
        cases.to_transpose,
        of.softmax_of_columns,
        of.tolerance,
        after=("correct",),
        case_timeout_s=120,
    )
    return hl.ForFunction("exported", rung)


def _compiled_gradient(of: Meaning) -> hl.ForFunction:
    rung = hl.Correct(
        cases.gradients_in_a_graph,
        of.gradient_in_a_graph,
        of.gradient_tolerance,
        after=("correct",),
        case_timeout_s=120,
    )
    return hl.ForFunction("compiled_gradient", rung)


def _gradient_of_gradient(of: Meaning) -> hl.ForFunction:
    rung = hl.CorrectOrRaises(cases.second_gradients, of.second_gradient, of.second_tolerance)
    return hl.ForFunction("second_gradient", rung)


operator_python = hl.operator(
    correct=hl.Correct(
        cases.in_a_graph,
        SOFTMAX_OR_ZEROS.doubled_beside_itself,
        SOFTMAX_OR_ZEROS.tolerance_in_a_graph,
        case_timeout_s=120,
    ),
    exported=_exported(SOFTMAX_OR_ZEROS),
)

operator_backward = hl.operator(
    correct=hl.Correct(
        cases.gradients,
        SOFTMAX_OR_ZEROS.gradient,
        SOFTMAX_OR_ZEROS.gradient_tolerance,
        case_timeout_s=120,
    ),
    compiled=_compiled_gradient(SOFTMAX_OR_ZEROS),
    twice=_gradient_of_gradient(SOFTMAX_OR_ZEROS),
    gpu_correct=hl.ForFunction(
        "backward_into",
        hl.Correct(
            cases.backward,
            SOFTMAX_OR_ZEROS.backward,
            SOFTMAX_OR_ZEROS.backward_tolerance,
            on=hl.OnGpu(),
        ),
        "destination",
    ),
    gpu_fast=hl.ForFunction(
        "backward_into",
        hl.GpuFast(
            timed.backward_on_gpu(),
            SOFTMAX_BACKWARD,
            timed.bytes_of_call,
        ),
        "destination",
    ),
)

operator_triton = hl.returns_tensor(
    correct=hl.Correct(cases.for_a_triton_operator, SOFTMAX.rows, SOFTMAX.tolerance),
    exported=_exported(SOFTMAX),
    gradient=hl.ForFunction(
        "gradient",
        hl.Correct(
            cases.gradients, SOFTMAX.gradient, SOFTMAX.gradient_tolerance, after=("correct",)
        ),
    ),
    compiled=_compiled_gradient(SOFTMAX),
    twice=_gradient_of_gradient(SOFTMAX),
)

operator_extension = hl.returns_tensor(
    correct=hl.Correct(cases.for_an_operator, _rows, _tolerance, case_timeout_s=180),
    refuses=hl.RaisesError(cases.refused),
    gradient=hl.ForFunction(
        "gradient",
        hl.Correct(
            cases.gradients,
            SOFTMAX_OR_ZEROS.gradient,
            SOFTMAX_OR_ZEROS.gradient_tolerance,
            after=("correct",),
        ),
    ),
    fast_cpu=hl.ForFunction(
        "softmax_into", hl.Fast(timed.on_cpu(), LIBRARY, timed.bytes_of_call), "destination"
    ),
)
