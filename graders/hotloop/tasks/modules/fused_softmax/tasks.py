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

_softmax = hl.Truth(cases.matrices, SOFTMAX.rows, SOFTMAX.tolerance)
_softmax_or_zeros = hl.Truth(cases.cuda, SOFTMAX_OR_ZEROS.rows, SOFTMAX_OR_ZEROS.tolerance)

# --- in PyTorch -----------------------------------------------------------------------------------

_online = hl.RecordedCalls(hl.Correct(_softmax.of(cases.any_rank)), "operations")
online_pass = hl.returns_tensor(correct=_online, one_pass=hl.OnePass(_online))

compiled_chain = hl.fills_tensor(
    correct=hl.Correct(_softmax.of(cases.for_a_compiler), case_timeout_s=180),
    fast_cpu=hl.Fast(timed.on_cpu(), FIVE_OPS, reachable=COMPILED_OPS),
    fast_gpu=hl.GpuFast(timed.on_gpu(), FIVE_OPS, after=("correct",)),
)

# --- in Triton ------------------------------------------------------------------------------------

triton_forward = hl.triton_kernel(
    hl.TritonKernelCalls(_softmax, cases.short_rows), gpu_fast=hl.GpuFast(timed.on_gpu(), FIVE_OPS)
)

triton_masked = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.masked, SOFTMAX.masked_rows, SOFTMAX.tolerance), cases.short_masked_rows
    ),
    gpu_fast=hl.GpuFast(timed.masked_on_gpu(), SCALE_MASK_SOFTMAX),
)

# --- in CUDA C++ ----------------------------------------------------------------------------------

_one_by_one = hl.Truth(cases.cuda, SOFTMAX_OR_ZEROS.rows, SOFTMAX_OR_ZEROS.one_by_one)
cuda_naive = hl.cuda_kernel(
    correct=hl.Correct(_one_by_one, on=hl.InSimulator(ROW_A_THREAD)),
    clean=hl.CudaClean(ROW_A_THREAD, _one_by_one.of(cases.small_cuda)),
)

_of_a_block: dict[str, hl.CheckFunction] = {
    "correct": hl.Correct(_softmax_or_zeros, on=hl.InSimulator(ROW_A_BLOCK)),
    "clean": hl.CudaClean(ROW_A_BLOCK, _softmax_or_zeros.of(cases.small_cuda)),
}
cuda_block = hl.cuda_kernel(
    PROGRAMS / "softmax_block.cu",
    **_of_a_block,
    traffic=hl.CudaTraffic(
        ROW_A_BLOCK,
        _softmax_or_zeros,
        cases.quads,
        advice="Let neighboring threads read neighboring elements, and read a row three times.",
    ),
    compiles=hl.CudaCompiles(block=256, after=CLEAN),
    gpu_correct=hl.Correct(_softmax_or_zeros, on=hl.OnGpu()),
)

cuda_warp = hl.cuda_kernel(
    PROGRAMS / "softmax_warp.cu",
    **_of_a_block,
    traffic=hl.CudaTraffic(ROW_A_BLOCK, _softmax_or_zeros, cases.quads, width=16),
    compiles=hl.CudaCompiles(block=256, min_load_bytes=16, after=CLEAN),
    gpu_correct=hl.Correct(_softmax_or_zeros, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(timed.on_gpu(SOFTMAX_OR_ZEROS), COPY, baseline_truth=timed.unchanged),
    gpu_library=hl.GpuFast(timed.on_gpu(SOFTMAX_OR_ZEROS), LIBRARY),
)

# --- as an operator -------------------------------------------------------------------------------

operator_launcher = hl.operator(
    correct=hl.Correct(_softmax_or_zeros.of(cases.for_an_operator), case_timeout_s=120),
    refuses=hl.RaisesError(cases.refused),
)


def _exported(of: Meaning) -> hl.Check:
    return hl.Correct(
        hl.Truth(cases.to_transpose, of.softmax_of_columns, of.tolerance),
        after=("correct",),
        case_timeout_s=120,
        entry="exported",
    )


def _gradient(of: Meaning) -> hl.Truth:
    return hl.Truth(cases.gradients, of.gradient, of.gradient_tolerance)


def _compiled_gradient(of: Meaning) -> hl.Check:
    return hl.Correct(
        hl.Truth(cases.gradients_in_a_graph, of.gradient_in_a_graph, of.gradient_tolerance),
        after=("correct",),
        case_timeout_s=120,
        entry="compiled_gradient",
    )


def _gradient_of_gradient(of: Meaning) -> hl.Check:
    return hl.CorrectOrRaises(
        hl.Truth(cases.second_gradients, of.second_gradient, of.second_tolerance),
        entry="second_gradient",
    )


operator_python = hl.operator(
    correct=hl.Correct(
        hl.Truth(
            cases.in_a_graph,
            SOFTMAX_OR_ZEROS.doubled_beside_itself,
            SOFTMAX_OR_ZEROS.tolerance_in_a_graph,
        ),
        case_timeout_s=120,
    ),
    exported=_exported(SOFTMAX_OR_ZEROS),
)

operator_backward = hl.operator(
    correct=hl.Correct(_gradient(SOFTMAX_OR_ZEROS), case_timeout_s=120),
    compiled=_compiled_gradient(SOFTMAX_OR_ZEROS),
    twice=_gradient_of_gradient(SOFTMAX_OR_ZEROS),
    gpu_correct=hl.Correct(
        hl.Truth(cases.backward, SOFTMAX_OR_ZEROS.backward, SOFTMAX_OR_ZEROS.backward_tolerance),
        on=hl.OnGpu(),
        entry="backward_into",
        style="destination",
    ),
    gpu_fast=hl.GpuFast(
        timed.backward_on_gpu(), SOFTMAX_BACKWARD, entry="backward_into", style="destination"
    ),
)

operator_triton = hl.returns_tensor(
    correct=hl.Correct(_softmax.of(cases.for_a_triton_operator)),
    exported=_exported(SOFTMAX),
    gradient=hl.Correct(_gradient(SOFTMAX), after=("correct",), entry="gradient"),
    compiled=_compiled_gradient(SOFTMAX),
    twice=_gradient_of_gradient(SOFTMAX),
)

operator_extension = hl.returns_tensor(
    correct=hl.Correct(_softmax_or_zeros.of(cases.for_an_operator), case_timeout_s=180),
    refuses=hl.RaisesError(cases.refused),
    gradient=hl.Correct(_gradient(SOFTMAX_OR_ZEROS), after=("correct",), entry="gradient"),
    fast_cpu=hl.Fast(timed.on_cpu(), LIBRARY, entry="softmax_into", style="destination"),
)

extension_cuda = hl.operator(
    correct=hl.Correct(_softmax_or_zeros.of(cases.for_an_operator), case_timeout_s=120),
    refuses=hl.RaisesError(cases.refused),
    gradient=hl.Correct(_gradient(SOFTMAX_OR_ZEROS), after=("correct",), entry="gradient"),
    gpu_correct=hl.Correct(
        _softmax_or_zeros, on=hl.OnGpu(), entry="softmax_into", style="destination"
    ),
    gpu_library=hl.GpuFast(
        timed.on_gpu(SOFTMAX_OR_ZEROS), LIBRARY, entry="softmax_into", style="destination"
    ),
)
