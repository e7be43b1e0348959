"""The checks of each task of module gemm_tensor_cores. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hotloop.checks.gemm_tensor_cores import cases, counted, listings, low_precision, timed
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.dtypes import BF16, FP16
from hotloop.judge.rung import following
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
TENSOR_CORES = (80, 90)
"""bfloat16 mma instructions need sm_80; a file that has one does not compile for older targets."""

# --- in CUDA C++ ----------------------------------------------------------------------------------

_parameters = ("a", "b", "c")

_threads = CudaLaunch(_parameters, rows_a_block=64, block=256, columns_a_block=64)
_f32, _f32_small = cases.of_f32_tiles
_f32_counted = partial(cases.counted_tiled, **cases.F32_TILES)
warp_tiled = cuda_kernel(
    PROGRAMS / "warp_tiled.cu",
    correct=CudaCorrect(_threads, _f32, cases.product, cases.of_product),
    clean=CudaClean(_threads, _f32_small, cases.product, cases.of_product),
    traffic=CudaTraffic(
        _threads,
        _f32_counted,
        cases.product,
        cases.of_product,
        partial(cases.bytes_of_tiles, side=64),
        advice="Load each tile of a and b once into shared memory, in whole sectors.",
    ),
    reuse=partial(counted.reuse, launch=_threads, case=_f32_counted, most=2.0),
    compiles=CudaCompiles(targets=TENSOR_CORES, block=256, after=CLEAN),
    gpu_correct=GpuCorrect(_f32, cases.product, cases.of_product),
)

_warp = CudaLaunch(_parameters, rows_a_block=16, block=32, columns_a_block=16)
_mma, _mma_small = cases.of_warp_tiles
mma_tile = cuda_kernel(
    PROGRAMS / "mma_tile.cu",
    correct=CudaCorrect(_warp, _mma, cases.product, cases.of_product),
    clean=CudaClean(_warp, _mma_small, cases.product, cases.of_product),
    reuse=partial(
        counted.reuse,
        launch=_warp,
        case=partial(cases.counted_tiled, **cases.WARP_TILES),
        most=0.25,
    ),
    compiles=CudaCompiles(targets=TENSOR_CORES, block=32, after=CLEAN),
    gpu_correct=GpuCorrect(_mma, cases.product, cases.of_product),
)

_block = CudaLaunch(_parameters, rows_a_block=64, block=128, columns_a_block=64)
_tiles, _tiles_small = cases.of_block_tiles
_tiles_counted = partial(cases.counted_tiled, **cases.BLOCK_TILES)
_tile_bytes = 2 * 64 * 64 * 2
swizzle = cuda_kernel(
    PROGRAMS / "swizzle.cu",
    correct=CudaCorrect(_block, _tiles, cases.product, cases.of_product),
    clean=CudaClean(_block, _tiles_small, cases.product, cases.of_product),
    conflicts=partial(
        counted.no_conflicts, launch=_block, case=_tiles_counted, most_bytes=_tile_bytes
    ),
    reuse=partial(counted.reuse, launch=_block, case=_tiles_counted, most=0.125),
    compiles=CudaCompiles(targets=TENSOR_CORES, block=128, after=CLEAN),
    gpu_correct=GpuCorrect(_tiles, cases.product, cases.of_product),
)

pipelined = cuda_kernel(
    PROGRAMS / "pipelined.cu",
    correct=CudaCorrect(_block, _tiles, cases.product, cases.of_product),
    clean=CudaClean(_block, _tiles_small, cases.product, cases.of_product),
    overlap=partial(counted.overlaps, launch=_block, case=_tiles_counted, depth=64),
    compiles=CudaCompiles(targets=TENSOR_CORES, block=128, after=CLEAN),
    gpu_correct=GpuCorrect(_tiles, cases.product, cases.of_product),
    gpu_fast=GpuFast(
        timed.product(timed.SQUARE, BF16),
        Baseline(BASELINES, "matmul_with_k"),
        timed.bytes_of_call,
        fewest_flops=timed.flops_of_product,
    ),
)

# --- in Triton ------------------------------------------------------------------------------------

_matmul = KernelCalls(
    cases.matrices,
    cases.wide_matrices,
    cases.product,
    cases.of_product,
    cases.large_matrices,
    counted_calls=1,
)
triton_matmul = fills_tensor(
    correct=KernelCorrect(_matmul),
    order=partial(counted.shares_tiles, calls=_matmul, most=4.0),
    compiles=Compiles(_matmul, max_spill_bytes=64),
    gpu_correct=GpuCorrect(cases.matrices, cases.product, cases.of_product),
    gpu_fast=GpuFast(
        timed.product(timed.SHAPES, FP16),
        Baseline(BASELINES, "matmul"),
        timed.bytes_of_call,
        fewest_flops=timed.flops_of_product,
    ),
)

_split = KernelCalls(
    cases.long_sums, cases.counted_long_sum, cases.product, cases.of_product, counted_calls=2
)
split_k = fills_tensor(
    correct=KernelCorrect(_split),
    programs=partial(counted.many_programs, calls=_split, least=32),
    traffic=Traffic(
        _split,
        cases.bytes_of_call,
        (ByteLevel(2.3, 1.0), ByteLevel(3.2, 0.5)),
        advice="Write one partial tile for each part, and read it once; use as few parts as do.",
    ),
    compiles=Compiles(_split, max_spill_bytes=64),
    gpu_correct=GpuCorrect(cases.long_sums, cases.product, cases.of_product),
)

_layer = KernelCalls(
    cases.layers, cases.counted_layer, cases.with_epilogue, cases.of_layer, counted_calls=2
)
epilogue = fills_tensor(
    correct=KernelCorrect(_layer),
    traffic=Traffic(
        _layer,
        cases.bytes_of_call,
        (ByteLevel(1.4, 1.0), ByteLevel(1.8, 0.5)),
        advice="Add bias, GELU and residual to the tile while it is in registers.",
    ),
    compiles=Compiles(_layer, max_spill_bytes=64),
    gpu_correct=GpuCorrect(cases.layers, cases.with_epilogue, cases.of_layer),
)

# --- low precision --------------------------------------------------------------------------------

quantize_w4 = returns_data(correct=Answers(low_precision.weights))

_w4 = KernelCalls(
    cases.packed_weights,
    cases.counted_packed,
    cases.dequantized_product,
    cases.of_packed,
    counted_calls=2,
)
w4a16 = fills_tensor(
    correct=KernelCorrect(_w4),
    traffic=Traffic(
        _w4,
        cases.bytes_of_call,
        (ByteLevel(1.9, 1.0), ByteLevel(2.6, 0.5)),
        advice="Read the packed weights once, and dequantize them in registers.",
    ),
    compiles=Compiles(_w4, max_spill_bytes=64),
    gpu_correct=GpuCorrect(cases.packed_weights, cases.dequantized_product, cases.of_packed),
)

block_scaled = returns_data(
    mx=Answers(low_precision.mx_blocks),
    nvfp4=following("mx", Answers(low_precision.nvfp4_blocks)),
)

# --- decoding -------------------------------------------------------------------------------------

_decode = KernelCalls(
    cases.caches, cases.counted_cache, cases.attended, cases.of_attention, counted_calls=2
)
decode_attention = fills_tensor(
    correct=KernelCorrect(_decode),
    programs=partial(counted.many_programs, calls=_decode, least=12),
    traffic=Traffic(
        _decode,
        cases.bytes_of_cache,
        (ByteLevel(1.35, 1.0), ByteLevel(2.2, 0.5)),
        advice="Load a page of keys and values once for all query heads that share it.",
    ),
    compiles=Compiles(_decode, max_spill_bytes=64),
    gpu_correct=GpuCorrect(cases.caches, cases.attended, cases.of_attention),
)

# --- listings -------------------------------------------------------------------------------------

inspect_listing = returns_data(correct=Answers(listings.excerpts))
