"""The checks of each task of module first_kernels. Points, levels and needs: module.yaml."""

from __future__ import annotations

from pathlib import Path

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.first_kernels import cases, profiles, timed

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
CLEAN = ("correct", "clean")

# --- in Triton ------------------------------------------------------------------------------------

axpy = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.vectors, cases.scaled_sum, cases.of_vectors),
        cases.counted_vectors,
        cases.compiled_vectors,
        counted_calls=2,
    ),
    max_spill_bytes=0,
    gpu_fast=hl.GpuFast(timed.AXPY, hl.Baseline(BASELINES, "axpy")),
)

row_sums = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.rows_to_sum, cases.sums, cases.of_sums), cases.counted_rows, counted_calls=2
    ),
    gpu_fast=hl.GpuFast(timed.ROW_SUMS, hl.Baseline(BASELINES, "row_sums")),
)

matmul = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.matrices, cases.product, cases.of_product),
        cases.counted_matrices,
        cases.compiled_matrices,
        counted_calls=2,
    ),
    advice="Compute a larger tile of c in each program, so that a and b are loaded less often.",
    # With a step of 16, the 64 × 64 sums spill two registers; tiles that are too large spill
    # hundreds.
    max_spill_bytes=64,
    gpu_fast=hl.GpuFast(
        timed.MATMUL,
        hl.Baseline(BASELINES, "matmul"),
        fewest_flops=timed.flops_of_product,
    ),
)

# --- in CUDA C++ ----------------------------------------------------------------------------------

_biased = hl.CudaLaunch(("x", "bias", "y"))
_gelu = hl.Truth(cases.biased, cases.gelu, cases.of_gelu)
bias_gelu = hl.cuda_kernel(
    PROGRAMS / "bias_gelu.cu",
    correct=hl.Correct(_gelu, on=hl.InSimulator(_biased)),
    traffic=hl.CudaTraffic(
        _biased,
        _gelu,
        cases.counted_biased,
        lambda case: case.spec.bytes_by_row,
        advice="Let neighboring threads read neighboring elements, and each element once.",
    ),
    compiles=hl.CudaCompiles(block=256),
    gpu_correct=hl.Correct(_gelu, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(timed.BIAS_GELU, hl.Baseline(BASELINES, "bias_gelu")),
)

_tiles = hl.CudaLaunch(("x", "y"), rows_a_block=32)
_transposed = hl.Truth(cases.to_transpose, cases.transposed, cases.exactly)
transpose = hl.cuda_kernel(
    PROGRAMS / "transpose.cu",
    correct=hl.Correct(_transposed, on=hl.InSimulator(_tiles)),
    clean=hl.CudaClean(_tiles, _transposed.of(cases.small_to_transpose)),
    traffic=hl.CudaTraffic(
        _tiles,
        _transposed,
        cases.counted_to_transpose,
        advice="Read rows and write rows, and turn a tile in shared memory between them.",
    ),
    compiles=hl.CudaCompiles(block=256, after=CLEAN),
    gpu_correct=hl.Correct(_transposed, on=hl.OnGpu()),
)

_rows = hl.CudaLaunch(("x", "y"))
_blurred = hl.Truth(cases.to_blur, cases.blurred, cases.of_blur)
blur_rows = hl.cuda_kernel(
    PROGRAMS / "blur_rows.cu",
    correct=hl.Correct(_blurred, on=hl.InSimulator(_rows)),
    clean=hl.CudaClean(_rows, _blurred.of(cases.small_to_blur)),
    traffic=hl.CudaTraffic(
        _rows,
        _blurred,
        cases.counted_to_blur,
        advice="Load each element into shared memory once, with three more on either side.",
    ),
    compiles=hl.CudaCompiles(block=256, after=CLEAN),
    gpu_correct=hl.Correct(_blurred, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.BLUR,
        hl.Baseline(BASELINES, "copy"),
        baseline_truth=timed.unchanged,
    ),
)

# --- figures --------------------------------------------------------------------------------------

roofline = hl.returns_data(correct=hl.Answers(profiles.rooflines))
read_profile = hl.returns_data(correct=hl.Answers(profiles.tables))
