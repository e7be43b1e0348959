"""The checks of each task of module gemm_tensor_cores. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.gemm_tensor_cores import (
    cases,
    counted,
    gluon,
    listings,
    low_precision,
    timed,
)

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
CLEAN = ("correct", "clean")
TENSOR_CORES = (80, 90)
"""bfloat16 mma instructions need sm_80; a file that has one does not compile for older targets."""

# --- in CUDA C++ ----------------------------------------------------------------------------------

_parameters = ("a", "b", "c")

_threads = hl.CudaLaunch(_parameters, rows_a_block=64, block=256, columns_a_block=64)
_product = hl.Truth(cases.matrices, cases.product, cases.of_product)
_f32, _f32_small = map(_product.of, cases.of_f32_tiles)
_f32_counted = partial(cases.counted_tiled, **cases.F32_TILES)
warp_tiled = hl.cuda_kernel(
    PROGRAMS / "warp_tiled.cu",
    correct=hl.Correct(_f32, on=hl.InSimulator(_threads)),
    clean=hl.CudaClean(_threads, _f32_small),
    traffic=hl.CudaTraffic(
        _threads,
        _product,
        _f32_counted,
        partial(cases.bytes_of_tiles, side=64),
        advice="Load each tile of a and b once into shared memory, in whole sectors.",
    ),
    reuse=counted.reuse.bind(launch=_threads, case=_f32_counted, most=2.0),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=256, after=CLEAN),
    gpu_correct=hl.Correct(_f32, on=hl.OnGpu()),
)

_warp = hl.CudaLaunch(_parameters, rows_a_block=16, block=32, columns_a_block=16)
_mma, _mma_small = map(_product.of, cases.of_warp_tiles)
_mma_counted = partial(cases.counted_tiled, **cases.WARP_TILES)
mma_tile = hl.cuda_kernel(
    PROGRAMS / "mma_tile.cu",
    correct=hl.Correct(_mma, on=hl.InSimulator(_warp)),
    clean=hl.CudaClean(_warp, _mma_small),
    reuse=counted.reuse.bind(launch=_warp, case=_mma_counted, most=0.25),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=32, after=CLEAN),
    gpu_correct=hl.Correct(_mma, on=hl.OnGpu()),
)

_block = hl.CudaLaunch(_parameters, rows_a_block=64, block=128, columns_a_block=64)
_tiles, _tiles_small = map(_product.of, cases.of_block_tiles)
_tiles_counted = partial(cases.counted_tiled, **cases.BLOCK_TILES)
_tile_bytes = 2 * 64 * 64 * 2
swizzle = hl.cuda_kernel(
    PROGRAMS / "swizzle.cu",
    correct=hl.Correct(_tiles, on=hl.InSimulator(_block)),
    clean=hl.CudaClean(_block, _tiles_small),
    conflicts=counted.no_conflicts.bind(launch=_block, case=_tiles_counted, most_bytes=_tile_bytes),
    reuse=counted.reuse.bind(launch=_block, case=_tiles_counted, most=0.125),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=128, after=CLEAN),
    gpu_correct=hl.Correct(_tiles, on=hl.OnGpu()),
)

pipelined = hl.cuda_kernel(
    PROGRAMS / "pipelined.cu",
    correct=hl.Correct(_tiles, on=hl.InSimulator(_block)),
    clean=hl.CudaClean(_block, _tiles_small),
    overlap=counted.overlaps.bind(launch=_block, case=_tiles_counted, depth=64),
    compiles=hl.CudaCompiles(targets=TENSOR_CORES, block=128, after=CLEAN),
    gpu_correct=hl.Correct(_tiles, on=hl.OnGpu()),
    gpu_fast=hl.GpuFast(
        timed.product(timed.SQUARE, hl.BF16),
        hl.Baseline(BASELINES, "matmul_with_k"),
        fewest_flops=timed.flops_of_product,
    ),
)

# --- in Triton ------------------------------------------------------------------------------------

_matmul = hl.TritonKernelCalls(_product, cases.wide_matrices, cases.large_matrices, counted_calls=1)
triton_matmul = hl.triton_kernel(
    _matmul,
    fewest_bytes=None,
    max_spill_bytes=64,
    order=counted.shares_tiles.bind(calls=_matmul, most=4.5),
    gpu_fast=hl.GpuFast(
        timed.product(timed.SHAPES, hl.FP16),
        hl.Baseline(BASELINES, "matmul"),
        fewest_flops=timed.flops_of_product,
    ),
)

_split = hl.TritonKernelCalls(_product.of(cases.long_sums), cases.counted_long_sum, counted_calls=2)
split_k = hl.triton_kernel(
    _split,
    advice="Write one partial tile for each part, and read it once; use as few parts as do.",
    max_spill_bytes=64,
    programs=counted.many_programs.bind(calls=_split, least=32),
)

epilogue = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.layers, cases.with_epilogue, cases.of_layer),
        cases.counted_layer,
        counted_calls=2,
    ),
    advice="Add bias, GELU and residual to the tile while it is in registers.",
    max_spill_bytes=64,
)

# --- low precision --------------------------------------------------------------------------------

quantize_w4 = hl.returns_data(correct=hl.Answers(low_precision.weights))

w4a16 = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.packed_weights, cases.dequantized_product, cases.of_packed),
        cases.counted_packed,
        counted_calls=2,
    ),
    advice="Read the packed weights once, and dequantize them in registers.",
    max_spill_bytes=64,
)

block_scaled = hl.returns_data(
    mx=hl.Answers(low_precision.mx_blocks),
    nvfp4=hl.following("mx", hl.Answers(low_precision.nvfp4_blocks)),
)

# --- decoding -------------------------------------------------------------------------------------

_decode = hl.TritonKernelCalls(
    hl.Truth(cases.caches, cases.attended, cases.of_attention),
    cases.counted_cache,
    counted_calls=2,
)
decode_attention = hl.triton_kernel(
    _decode,
    fewest_bytes=cases.bytes_of_cache,
    advice="Load a page of keys and values once for all query heads that share it.",
    max_spill_bytes=64,
    programs=counted.many_programs.bind(calls=_decode, least=12),
)

# --- listings -------------------------------------------------------------------------------------

inspect_listing = hl.returns_data(correct=hl.Answers(listings.excerpts))

# --- in Gluon -------------------------------------------------------------------------------------

gluon_tile = hl.returns_data(
    right=hl.WritesFiles(gluon.right),
    races=hl.WritesFiles(gluon.races, after=("right",)),
    overlapped=hl.WritesFiles(gluon.overlapped, after=("races",)),
    compiles=hl.WritesFiles(gluon.compiles, after=("right",)),
    read=hl.HiddenAnswers(gluon.readings, entry="read_ptx", after=("compiles",)),
)
