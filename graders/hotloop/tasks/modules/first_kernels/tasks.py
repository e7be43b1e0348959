"""The checks of each task of module first_kernels. Points, levels and needs: module.yaml."""

from __future__ import annotations

from pathlib import Path

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.first_kernels import cases, profiles, timed

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
CLEAN = ("correct", "clean")

# --- in Triton ------------------------------------------------------------------------------------

_axpy = hl.TritonKernelCalls(
    cases.vectors,
    cases.counted_vectors,
    cases.scaled_sum,
    cases.of_vectors,
    cases.compiled_vectors,
    counted_calls=2,
)
axpy = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_axpy),
    traffic=hl.TritonTraffic(_axpy, timed.bytes_of_case),
    compiles=hl.TritonCompiles(_axpy, max_spill_bytes=0),
    gpu_correct=hl.Correct(cases.vectors, cases.scaled_sum, cases.of_vectors, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(timed.axpy_on_gpu(), hl.Baseline(BASELINES, "axpy"), timed.bytes_of_call),
)

_row_sums = hl.TritonKernelCalls(
    cases.rows_to_sum, cases.counted_rows, cases.sums, cases.of_sums, counted_calls=2
)
row_sums = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_row_sums),
    traffic=hl.TritonTraffic(_row_sums, timed.bytes_of_case),
    compiles=hl.TritonCompiles(_row_sums),
    gpu_correct=hl.Correct(cases.rows_to_sum, cases.sums, cases.of_sums, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.sums_on_gpu(), hl.Baseline(BASELINES, "row_sums"), timed.bytes_of_call
    ),
)

_matmul = hl.TritonKernelCalls(
    cases.matrices,
    cases.counted_matrices,
    cases.product,
    cases.of_product,
    cases.compiled_matrices,
    counted_calls=2,
)
matmul = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_matmul),
    traffic=hl.TritonTraffic(
        _matmul,
        timed.bytes_of_case,
        advice="Compute a larger tile of c in each program, so that a and b are loaded less often.",
    ),
    # With a step of 16, the 64 × 64 sums spill two registers; tiles that are too large spill
    # hundreds.
    compiles=hl.TritonCompiles(_matmul, max_spill_bytes=64),
    gpu_correct=hl.Correct(cases.matrices, cases.product, cases.of_product, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.product_on_gpu(),
        hl.Baseline(BASELINES, "matmul"),
        timed.bytes_of_call,
        fewest_flops=timed.flops_of_product,
    ),
)

# --- in CUDA C++ ----------------------------------------------------------------------------------

_biased = hl.CudaLaunch(("x", "bias", "y"))
bias_gelu = hl.cuda_kernel(
    PROGRAMS / "bias_gelu.cu",
    correct=hl.Correct(cases.biased, cases.gelu, cases.of_gelu, on=hl.InSimulator(_biased)),
    traffic=hl.CudaTraffic(
        _biased,
        cases.counted_biased,
        cases.gelu,
        cases.of_gelu,
        lambda case: case.spec.bytes_by_row,
        advice="Let neighboring threads read neighboring elements, and each element once.",
    ),
    compiles=hl.CudaCompiles(block=256),
    gpu_correct=hl.Correct(cases.biased, cases.gelu, cases.of_gelu, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.gelu_on_gpu(), hl.Baseline(BASELINES, "bias_gelu"), timed.bytes_of_call
    ),
)

_tiles = hl.CudaLaunch(("x", "y"), rows_a_block=32)
transpose = hl.cuda_kernel(
    PROGRAMS / "transpose.cu",
    correct=hl.Correct(
        cases.to_transpose, cases.transposed, cases.exactly, on=hl.InSimulator(_tiles)
    ),
    clean=hl.CudaClean(_tiles, cases.small_to_transpose, cases.transposed, cases.exactly),
    traffic=hl.CudaTraffic(
        _tiles,
        cases.counted_to_transpose,
        cases.transposed,
        cases.exactly,
        timed.bytes_of_case,
        advice="Read rows and write rows, and turn a tile in shared memory between them.",
    ),
    compiles=hl.CudaCompiles(block=256, after=CLEAN),
    gpu_correct=hl.Correct(cases.to_transpose, cases.transposed, cases.exactly, on=hl.OnGpu()),
)

_rows = hl.CudaLaunch(("x", "y"))
blur_rows = hl.cuda_kernel(
    PROGRAMS / "blur_rows.cu",
    correct=hl.Correct(cases.to_blur, cases.blurred, cases.of_blur, on=hl.InSimulator(_rows)),
    clean=hl.CudaClean(_rows, cases.small_to_blur, cases.blurred, cases.of_blur),
    traffic=hl.CudaTraffic(
        _rows,
        cases.counted_to_blur,
        cases.blurred,
        cases.of_blur,
        timed.bytes_of_case,
        advice="Load each element into shared memory once, with three more on either side.",
    ),
    compiles=hl.CudaCompiles(block=256, after=CLEAN),
    gpu_correct=hl.Correct(cases.to_blur, cases.blurred, cases.of_blur, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.blur_on_gpu(),
        hl.Baseline(BASELINES, "copy"),
        timed.bytes_of_call,
        baseline_truth=timed.unchanged,
    ),
)

# --- figures --------------------------------------------------------------------------------------

roofline = hl.returns_data(correct=hl.Answers(profiles.rooflines))
read_profile = hl.returns_data(correct=hl.Answers(profiles.tables))
