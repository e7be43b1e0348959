"""The checks of each task of module gemm_hopper. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.gemm_hopper import (
    cases,
    counted,
    listings,
    mbarriers,
    operands,
    pipelines,
    tile_languages,
    timed,
)

PROGRAMS = Path(__file__).parent / "programs"
BASELINES = Path(__file__).parent / "baselines.py"
CLEAN = ("correct", "clean")
HOPPER = hl.OnGpu(capability=9)
_compiles = partial(hl.CudaCompiles, targets=(90,), after=CLEAN)

# --- mbarriers and copies -------------------------------------------------------------------------

mbarrier_phases = hl.returns_data(correct=hl.Answers(mbarriers.sequences))

_tile = hl.CudaLaunch(("in", "out"), rows_a_block=cases.TILE, block=256)
_reversed = hl.Truth(cases.vectors, cases.reversed_tiles, lambda _case: cases.EXACT)
bulk_copy = hl.cuda_kernel(
    PROGRAMS / "bulk_copy.cu",
    correct=hl.Correct(_reversed, on=hl.InSimulator(_tile)),
    clean=hl.CudaClean(_tile, _reversed.of(cases.small_vectors)),
    copies=counted.by_copies.bind(launch=_tile, case=cases.vector),
    compiles=_compiles(block=256, instructions=("UBLKCP", "SYNCS")),
    gpu_correct=hl.Correct(_reversed, on=HOPPER),
)

find_the_hang = hl.returns_data(correct=pipelines.diagnosis)

_ring = hl.CudaLaunch(("in", "out"), block=160)
_sums = hl.Truth(cases.chunks, cases.sum_of_steps, cases.of_sum)
two_slots = hl.cuda_kernel(
    PROGRAMS / "two_slots.cu",
    correct=hl.Correct(_sums, on=hl.InSimulator(_ring)),
    clean=hl.CudaClean(_ring, _sums.of(cases.small_chunks)),
    copies=counted.by_copies.bind(launch=_ring, case=cases.chunk),
    overlap=counted.overlaps.bind(launch=_ring, case=cases.chunk, least=0.9),
    compiles=_compiles(block=160, instructions=("UBLKCP", "SYNCS")),
    gpu_correct=hl.Correct(_sums, on=HOPPER),
)

_rows = hl.CudaLaunch(("in", "out"), block=128, most_blocks=3)
_squares = hl.Truth(cases.rows, cases.squares, lambda _case: cases.OF_SQUARES)
store_back = hl.cuda_kernel(
    PROGRAMS / "store_back.cu",
    correct=hl.Correct(_squares, on=hl.InSimulator(_rows)),
    clean=hl.CudaClean(_rows, _squares.of(cases.small_rows)),
    copies=counted.by_copies.bind(launch=_rows, case=cases.row, did=("read", "write")),
    compiles=_compiles(block=128, instructions=("UBLKCP", "SYNCS")),
    gpu_correct=hl.Correct(_squares, on=HOPPER),
)

_boxes = hl.CudaLaunch(
    ("in", "out"),
    rows_a_block=32,
    columns_a_block=32,
    block=256,
    tiles={"in": hl.Tile((32, 32), 128)},
)
_transposed = hl.Truth(cases.tensors, cases.transposed, lambda _case: cases.EXACT)
tensor_tile = hl.cuda_kernel(
    PROGRAMS / "tensor_tile.cu",
    correct=hl.Correct(_transposed, on=hl.InSimulator(_boxes)),
    clean=hl.CudaClean(_boxes, _transposed.of(cases.small_tensors)),
    traffic=hl.CudaTraffic(
        _boxes,
        _transposed,
        cases.tensor,
        advice="Let a warp read 8 rows × 4 columns at a time: 32 banks, and 4 sectors of out.",
    ),
    compiles=_compiles(block=256, instructions=("UTMALDG", "SYNCS")),
    gpu_correct=hl.Correct(_transposed, on=HOPPER),
)

# --- products -------------------------------------------------------------------------------------

descriptor = hl.returns_data(
    places=hl.Answers(operands.places),
    descriptors=hl.following("places", hl.Answers(operands.descriptors)),
)

_parameters = ("a", "b", "c")
_product = hl.Truth(cases.tiles, cases.product, cases.of_product)
_tiles, _tiles_small = map(_product.of, cases.of_one_group)
_tiles_counted = partial(cases.counted_tiles, side=64, out=hl.FP32)
_group = hl.CudaLaunch(
    _parameters,
    rows_a_block=64,
    columns_a_block=64,
    block=128,
    tiles={"a": hl.Tile((64, 64), 128), "b": hl.Tile((64, 64), 128)},
)
wgmma_tile = hl.cuda_kernel(
    PROGRAMS / "wgmma_tile.cu",
    correct=hl.Correct(_tiles, on=hl.InSimulator(_group)),
    clean=hl.CudaClean(_group, _tiles_small),
    products=counted.by_wgmma.bind(launch=_group, case=_tiles_counted),
    traffic=hl.CudaTraffic(
        _group,
        _product,
        _tiles_counted,
        partial(cases.bytes_of_tiles, rows=64, columns=64),
        advice="Load each tile of a and b once, and write two neighbors of c at a time.",
    ),
    compiles=_compiles(block=128, instructions=("UTMALDG", "HGMMA", "SYNCS")),
    gpu_correct=hl.Correct(_tiles, on=HOPPER),
)

_large, _large_small = map(_product.of, cases.of_two_groups)
_large_counted = partial(cases.counted_tiles, side=128, out=hl.FP32)
_operands = {"a": hl.Tile((128, 64), 128), "b": hl.Tile((128, 64), 128)}
_groups = hl.CudaLaunch(
    _parameters,
    rows_a_block=128,
    columns_a_block=128,
    block=384,
    tiles=_operands,
    dynamic=132_096,
)
_WARP_SPECIALIZED = ("UTMALDG", "HGMMA", "SYNCS", "USETMAXREG")
gemm_hopper = hl.cuda_kernel(
    PROGRAMS / "gemm_hopper.cu",
    correct=hl.Correct(_large, on=hl.InSimulator(_groups)),
    clean=hl.CudaClean(_groups, _large_small),
    products=counted.by_wgmma.bind(launch=_groups, case=_large_counted),
    overlap=counted.overlaps.bind(launch=_groups, case=_large_counted, least=0.85),
    traffic=hl.CudaTraffic(
        _groups,
        _product,
        _large_counted,
        partial(cases.bytes_of_tiles, rows=128, columns=128),
        advice="Load each tile of a and b once for both groups of consumers.",
    ),
    compiles=_compiles(
        block=384, dynamic_shared_bytes=_groups.dynamic, instructions=_WARP_SPECIALIZED
    ),
    gpu_correct=hl.Correct(_large, on=HOPPER),
    gpu_fast=hl.GpuFast(
        timed.product(hl.FP32),
        hl.Baseline(BASELINES, "matmul"),
        fewest_flops=timed.flops_of_product,
        capability=9,
    ),
)

_few = hl.CudaLaunch(
    _parameters,
    rows_a_block=128,
    columns_a_block=128,
    block=384,
    tiles={**_operands, "c": hl.Tile((64, 64), 128)},
    dynamic=164_864,
    most_blocks=2,
)
_walked, _walked_small = map(_product.of, cases.of_few_blocks)
_walked_counted = partial(cases.counted_few_blocks, side=128, out=hl.BF16)
persistent = hl.cuda_kernel(
    PROGRAMS / "persistent.cu",
    correct=hl.Correct(_walked, on=hl.InSimulator(_few)),
    clean=hl.CudaClean(_few, _walked_small),
    products=counted.by_wgmma.bind(launch=_few, case=_walked_counted),
    copies=counted.by_copies.bind(launch=_few, case=_walked_counted, did=("read", "write")),
    overlap=counted.overlaps.bind(launch=_few, case=_walked_counted, least=0.85),
    traffic=hl.CudaTraffic(
        _few,
        _product,
        _walked_counted,
        partial(cases.bytes_of_tiles, rows=128, columns=128),
        advice="Write the tile of c where the map's swizzle expects it: in 32 banks at a time.",
    ),
    compiles=_compiles(
        block=384,
        dynamic_shared_bytes=_few.dynamic,
        instructions=(*_WARP_SPECIALIZED, "UTMASTG"),
    ),
    gpu_correct=hl.Correct(_walked, on=HOPPER),
    gpu_fast=hl.GpuFast(
        timed.product(hl.BF16),
        hl.Baseline(BASELINES, "matmul"),
        fewest_flops=timed.flops_of_product,
        capability=9,
    ),
)

_eight = hl.CudaLaunch(
    ("a", "b", "a_scales", "b_scales", "c"),
    rows_a_block=64,
    columns_a_block=128,
    block=256,
    tiles={"a": hl.Tile((64, 128), 128), "b": hl.Tile((128, 128), 128)},
    dynamic=99_328,
)
_scaled = hl.Truth(cases.scaled, cases.scaled_product, cases.of_scaled)
fp8_block_scaled = hl.cuda_kernel(
    PROGRAMS / "fp8_block_scaled.cu",
    correct=hl.Correct(_scaled, on=hl.InSimulator(_eight)),
    clean=hl.CudaClean(_eight, _scaled.of(cases.small_scaled)),
    products=counted.by_wgmma.bind(launch=_eight, case=cases.counted_scaled),
    overlap=counted.overlaps.bind(launch=_eight, case=cases.counted_scaled, least=0.75),
    compiles=_compiles(
        block=256,
        dynamic_shared_bytes=_eight.dynamic,
        instructions=("UTMALDG", "QGMMA", "SYNCS"),
    ),
    gpu_correct=hl.Correct(_scaled, on=HOPPER),
)

# --- machine code ---------------------------------------------------------------------------------

tensor_memory = hl.cuda_kernel(
    compiles=hl.CudaCompiles(
        targets=(100,),
        block=128,
        instructions=("UTMALDG", "UTCATOMSWS", "UTCHMMA", "UTCBAR", "LDTM", "SYNCS"),
        after=(),
    ),
)

inspect_sass = hl.returns_data(correct=hl.Answers(listings.excerpts))

# --- other languages ------------------------------------------------------------------------------

read_cute = hl.returns_data(correct=hl.Answers(tile_languages.readings))

cute_dsl = hl.returns_data(compiles=hl.WritesFiles(tile_languages.cute_compiles))

cutile = hl.returns_data(
    right=hl.WritesFiles(tile_languages.values),
    compiles=hl.WritesFiles(tile_languages.cutile_compiles, after=("right",)),
)
