"""The checks of each task of module mixture_of_experts. Points, levels and needs: module.yaml."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.mixture_of_experts import (
    cases,
    counted,
    exchange_plans,
    exchanges,
    overlaps,
    placements,
    routing,
    timed,
)

route = hl.returns_data(
    chosen=hl.Answers(partial(routing.logits, losses=False)),
    losses=hl.Answers(partial(routing.logits, losses=True), after=("chosen",)),
)

route_backward = hl.returns_tensor(
    correct=hl.Correct(hl.Truth(cases.routed, cases.route_gradient, cases.of_routing)),
)

capacity = hl.returns_data(
    buffers=hl.Answers(routing.buffers),
    tiles=hl.Answers(routing.tiles, entry="row_tiles"),
)

permute = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(cases.tokens_to_permute, cases.rows_by_expert, hl.Tolerance(0.0, 0.0)),
        cases.counted_tokens,
        cases.many_tokens,
        counted_calls=2,
    ),
    advice="Load a row once, and store it for each of its experts.",
    max_spill_bytes=64,
)

_groups = hl.TritonKernelCalls(
    hl.Truth(cases.groups, cases.grouped_product, cases.of_group),
    cases.counted_groups,
    counted_calls=3,
)
grouped_gemm = hl.triton_kernel(
    _groups,
    fewest_bytes=cases.bytes_of_groups,
    advice="Load only the weights of the expert whose rows a tile has.",
    max_spill_bytes=64,
    launches=counted.launches.bind(calls=_groups, most=2),
    order=counted.shares_tiles.bind(calls=_groups, most=1.25),
    gpu_fast=hl.GpuFast(timed.ON_GPU, timed.LOOP, timed.fewest_bytes, timed.flops),
)

exchange = hl.returns_data(correct=exchanges.correct, traffic=exchanges.traffic)

all_to_all = hl.returns_data(
    delivers=exchange_plans.delivers,
    network=exchange_plans.network,
    time=exchange_plans.time,
)

overlap = hl.returns_data(
    legal=overlaps.legal,
    small=overlaps.small,
    overlap=overlaps.overlap,
)

placement = hl.returns_data(
    legal=placements.legal,
    balanced=placements.balanced,
    moves=replace(placements.moves, entry="rebalance"),
)
