"""The checks of each task of module first_kernels. Points, levels and needs: module.yaml."""

from __future__ import annotations

from pathlib import Path

from hotloop.checks.first_kernels import cases, profiles, timed
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.cuda_clean import CudaClean
from hotloop.judge.rungs.cuda_compiles import CudaCompiles
from hotloop.judge.rungs.cuda_correct import CudaCorrect
from hotloop.judge.rungs.cuda_traffic import CudaTraffic
from hotloop.judge.rungs.fast import Baseline
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.task import cuda_kernel, fills_tensor, returns_data

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
CLEAN = ("correct", "clean")

# --- in Triton ------------------------------------------------------------------------------------

_axpy = KernelCalls(
    cases.vectors,
    cases.counted_vectors,
    cases.scaled_sum,
    cases.of_vectors,
    cases.compiled_vectors,
    counted_calls=2,
)
axpy = fills_tensor(
    correct=KernelCorrect(_axpy),
    traffic=Traffic(_axpy, timed.bytes_of_case),
    compiles=Compiles(_axpy, max_spill_bytes=0),
    gpu_correct=GpuCorrect(cases.vectors, cases.scaled_sum, cases.of_vectors),
    gpu_fast=GpuFast(timed.axpy_on_gpu(), Baseline(BASELINES, "axpy"), timed.bytes_of_call),
)

_row_sums = KernelCalls(
    cases.rows_to_sum, cases.counted_rows, cases.sums, cases.of_sums, counted_calls=2
)
row_sums = fills_tensor(
    correct=KernelCorrect(_row_sums),
    traffic=Traffic(_row_sums, timed.bytes_of_case),
    compiles=Compiles(_row_sums),
    gpu_correct=GpuCorrect(cases.rows_to_sum, cases.sums, cases.of_sums),
    gpu_fast=GpuFast(timed.sums_on_gpu(), Baseline(BASELINES, "row_sums"), timed.bytes_of_call),
)

_matmul = KernelCalls(
    cases.matrices,
    cases.counted_matrices,
    cases.product,
    cases.of_product,
    cases.compiled_matrices,
    counted_calls=2,
)
matmul = fills_tensor(
    correct=KernelCorrect(_matmul),
    traffic=Traffic(
        _matmul,
        timed.bytes_of_case,
        (ByteLevel(2.6, 1.0), ByteLevel(4.6, 0.5)),
        advice="Compute a larger tile of c in each program, so that a and b are loaded less often.",
    ),
    # With a step of 16, the 64 × 64 sums spill two registers; tiles that are too large spill
    # hundreds.
    compiles=Compiles(_matmul, max_spill_bytes=64),
    gpu_correct=GpuCorrect(cases.matrices, cases.product, cases.of_product),
    gpu_fast=GpuFast(
        timed.product_on_gpu(),
        Baseline(BASELINES, "matmul"),
        timed.bytes_of_call,
        fewest_flops=timed.flops_of_product,
    ),
)

# --- in CUDA C++ ----------------------------------------------------------------------------------

_biased = CudaLaunch(("x", "bias", "y"))
bias_gelu = cuda_kernel(
    PROGRAMS / "bias_gelu.cu",
    correct=CudaCorrect(_biased, cases.biased, cases.gelu, cases.of_gelu),
    traffic=CudaTraffic(
        _biased,
        cases.counted_biased,
        cases.gelu,
        cases.of_gelu,
        timed.bytes_with_bias_of_each_row,
        advice="Let neighboring threads read neighboring elements, and each element once.",
    ),
    compiles=CudaCompiles(block=256),
    gpu_correct=GpuCorrect(cases.biased, cases.gelu, cases.of_gelu),
    gpu_fast=GpuFast(timed.gelu_on_gpu(), Baseline(BASELINES, "bias_gelu"), timed.bytes_of_call),
)

_tiles = CudaLaunch(("x", "y"), rows_a_block=32)
transpose = cuda_kernel(
    PROGRAMS / "transpose.cu",
    correct=CudaCorrect(_tiles, cases.to_transpose, cases.transposed, cases.exactly),
    clean=CudaClean(_tiles, cases.small_to_transpose, cases.transposed, cases.exactly),
    traffic=CudaTraffic(
        _tiles,
        cases.counted_to_transpose,
        cases.transposed,
        cases.exactly,
        timed.bytes_of_case,
        advice="Read rows and write rows, and turn a tile in shared memory between them.",
    ),
    compiles=CudaCompiles(block=256, after=CLEAN),
    gpu_correct=GpuCorrect(cases.to_transpose, cases.transposed, cases.exactly),
)

_rows = CudaLaunch(("x", "y"))
blur_rows = cuda_kernel(
    PROGRAMS / "blur_rows.cu",
    correct=CudaCorrect(_rows, cases.to_blur, cases.blurred, cases.of_blur),
    clean=CudaClean(_rows, cases.small_to_blur, cases.blurred, cases.of_blur),
    traffic=CudaTraffic(
        _rows,
        cases.counted_to_blur,
        cases.blurred,
        cases.of_blur,
        timed.bytes_of_case,
        # Rows with a halo begin in the middle of a sector.
        (ByteLevel(1.25, 1.0), ByteLevel(1.6, 0.5)),
        advice="Load each element into shared memory once, with three more on either side.",
    ),
    compiles=CudaCompiles(block=256, after=CLEAN),
    gpu_correct=GpuCorrect(cases.to_blur, cases.blurred, cases.of_blur),
    gpu_fast=GpuFast(
        timed.blur_on_gpu(),
        Baseline(BASELINES, "copy"),
        timed.bytes_of_call,
        baseline_truth=timed.unchanged,
    ),
)

# --- figures --------------------------------------------------------------------------------------

roofline = returns_data(correct=Answers(profiles.rooflines))
read_profile = returns_data(correct=Answers(profiles.tables))
