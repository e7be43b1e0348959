"""The checks of each task of module gemm_tensor_cores. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.gemm_tensor_cores import cases, counted, listings, low_precision, timed

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
CLEAN = ("correct", "clean")
TENSOR_CORES = (80, 90)
"""bfloat16 mma instructions need sm_80; a file that has one does not compile for older targets."""

# --- in CUDA C++ ----------------------------------------------------------------------------------

_parameters = ("a", "b", "c")

_threads = hl.CudaLaunch(_parameters, rows_a_block=64, block=256, columns_a_block=64)
_f32, _f32_small = cases.of_f32_tiles
_f32_counted = partial(cases.counted_tiled, **cases.F32_TILES)
warp_tiled = hl.cuda_kernel(
    PROGRAMS / "warp_tiled.cu",
    correct=hl.Correct(_f32, cases.product, cases.of_product, on=hl.InSimulator(_threads)),
    clean=hl.CudaClean(_threads, _f32_small, cases.product, cases.of_product),
    traffic=hl.CudaTraffic(
        _threads,
        _f32_counted,
        cases.product,
        cases.of_product,
        partial(cases.bytes_of_tiles, side=64),
        advice="Load each tile of a and b once into shared memory, in whole sectors.",
    ),
    reuse=partial(counted.reuse, launch=_threads, case=_f32_counted, most=2.0),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=256, after=CLEAN),
    gpu_correct=hl.Correct(_f32, cases.product, cases.of_product, on=hl.OnGpu()),
)

_warp = hl.CudaLaunch(_parameters, rows_a_block=16, block=32, columns_a_block=16)
_mma, _mma_small = cases.of_warp_tiles
mma_tile = hl.cuda_kernel(
    PROGRAMS / "mma_tile.cu",
    correct=hl.Correct(_mma, cases.product, cases.of_product, on=hl.InSimulator(_warp)),
    clean=hl.CudaClean(_warp, _mma_small, cases.product, cases.of_product),
    reuse=partial(
        counted.reuse,
        launch=_warp,
        case=partial(cases.counted_tiled, **cases.WARP_TILES),
        most=0.25,
    ),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=32, after=CLEAN),
    gpu_correct=hl.Correct(_mma, cases.product, cases.of_product, on=hl.OnGpu()),
)

_block = hl.CudaLaunch(_parameters, rows_a_block=64, block=128, columns_a_block=64)
_tiles, _tiles_small = cases.of_block_tiles
_tiles_counted = partial(cases.counted_tiled, **cases.BLOCK_TILES)
_tile_bytes = 2 * 64 * 64 * 2
swizzle = hl.cuda_kernel(
    PROGRAMS / "swizzle.cu",
    correct=hl.Correct(_tiles, cases.product, cases.of_product, on=hl.InSimulator(_block)),
    clean=hl.CudaClean(_block, _tiles_small, cases.product, cases.of_product),
    conflicts=partial(
        counted.no_conflicts, launch=_block, case=_tiles_counted, most_bytes=_tile_bytes
    ),
    reuse=partial(counted.reuse, launch=_block, case=_tiles_counted, most=0.125),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=128, after=CLEAN),
    gpu_correct=hl.Correct(_tiles, cases.product, cases.of_product, on=hl.OnGpu()),
)

pipelined = hl.cuda_kernel(
    PROGRAMS / "pipelined.cu",
    correct=hl.Correct(_tiles, cases.product, cases.of_product, on=hl.InSimulator(_block)),
    clean=hl.CudaClean(_block, _tiles_small, cases.product, cases.of_product),
    overlap=partial(counted.overlaps, launch=_block, case=_tiles_counted, depth=64),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=128, after=CLEAN),
    gpu_correct=hl.Correct(_tiles, cases.product, cases.of_product, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.product(timed.SQUARE, hl.BF16),
        hl.Baseline(BASELINES, "matmul_with_k"),
        timed.bytes_of_call,
        fewest_flops=timed.flops_of_product,
    ),
)

# --- in Triton ------------------------------------------------------------------------------------

_matmul = hl.TritonKernelCalls(
    cases.matrices,
    cases.wide_matrices,
    cases.product,
    cases.of_product,
    cases.large_matrices,
    counted_calls=1,
)
triton_matmul = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_matmul),
    order=partial(counted.shares_tiles, calls=_matmul, most=4.5),
    compiles=hl.TritonCompiles(_matmul, max_spill_bytes=64),
    gpu_correct=hl.Correct(cases.matrices, cases.product, cases.of_product, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.product(timed.SHAPES, hl.FP16),
        hl.Baseline(BASELINES, "matmul"),
        timed.bytes_of_call,
        fewest_flops=timed.flops_of_product,
    ),
)

_split = hl.TritonKernelCalls(
    cases.long_sums, cases.counted_long_sum, cases.product, cases.of_product, counted_calls=2
)
split_k = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_split),
    programs=partial(counted.many_programs, calls=_split, least=32),
    traffic=hl.TritonTraffic(
        _split,
        cases.bytes_of_call,
        advice="Write one partial tile for each part, and read it once; use as few parts as do.",
    ),
    compiles=hl.TritonCompiles(_split, max_spill_bytes=64),
    gpu_correct=hl.Correct(cases.long_sums, cases.product, cases.of_product, on=hl.OnGpu()),
)

_layer = hl.TritonKernelCalls(
    cases.layers, cases.counted_layer, cases.with_epilogue, cases.of_layer, counted_calls=2
)
epilogue = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_layer),
    traffic=hl.TritonTraffic(
        _layer,
        cases.bytes_of_call,
        advice="Add bias, GELU and residual to the tile while it is in registers.",
    ),
    compiles=hl.TritonCompiles(_layer, max_spill_bytes=64),
    gpu_correct=hl.Correct(cases.layers, cases.with_epilogue, cases.of_layer, on=hl.OnGpu()),
)

# --- low precision --------------------------------------------------------------------------------

quantize_w4 = hl.returns_data(correct=hl.Answers(low_precision.weights))

_w4 = hl.TritonKernelCalls(
    cases.packed_weights,
    cases.counted_packed,
    cases.dequantized_product,
    cases.of_packed,
    counted_calls=2,
)
w4a16 = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_w4),
    traffic=hl.TritonTraffic(
        _w4,
        cases.bytes_of_call,
        advice="Read the packed weights once, and dequantize them in registers.",
    ),
    compiles=hl.TritonCompiles(_w4, max_spill_bytes=64),
    gpu_correct=hl.Correct(
        cases.packed_weights, cases.dequantized_product, cases.of_packed, on=hl.OnGpu()
    ),
)

block_scaled = hl.returns_data(
    mx=hl.Answers(low_precision.mx_blocks),
    nvfp4=hl.following("mx", hl.Answers(low_precision.nvfp4_blocks)),
)

# --- decoding -------------------------------------------------------------------------------------

_decode = hl.TritonKernelCalls(
    cases.caches, cases.counted_cache, cases.attended, cases.of_attention, counted_calls=2
)
decode_attention = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(_decode),
    programs=partial(counted.many_programs, calls=_decode, least=12),
    traffic=hl.TritonTraffic(
        _decode,
        cases.bytes_of_cache,
        advice="Load a page of keys and values once for all query heads that share it.",
    ),
    compiles=hl.TritonCompiles(_decode, max_spill_bytes=64),
    gpu_correct=hl.Correct(cases.caches, cases.attended, cases.of_attention, on=hl.OnGpu()),
)

# --- listings -------------------------------------------------------------------------------------

inspect_listing = hl.returns_data(correct=hl.Answers(listings.excerpts))
