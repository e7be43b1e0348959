"""The checks of each task of module llm_serving_engine. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.llm_serving_engine import paged, paging, planning, scheduling, serving
from hotloop.tasks.modules.llm_serving_engine import speculation as spec

block_manager = hl.returns_data(
    serves=hl.Answers(partial(paging.traces, mixes=[paging.PLAIN])),
    shares=hl.Answers(partial(paging.traces, mixes=[paging.FORKS]), after=("serves",)),
    caches=hl.Answers(partial(paging.traces, mixes=[paging.PREFIXES]), after=("serves",)),
    full=hl.Answers(
        partial(paging.traces, mixes=[paging.TIGHT, paging.CROWDED]), after=("serves",)
    ),
)

paged_attention = hl.returns_tensor(
    "numpy",
    correct=hl.Correct(hl.Truth(paged.chunks, paged.attended, paged.of_chunk)),
    chunks=hl.Answers(paged.prompts, entry="prefill", after=("correct",)),
)

scheduler = hl.returns_data(
    legal=scheduling.legal,
    patient=scheduling.patient,
    goodput=scheduling.goodput,
)

speculative = hl.returns_data(
    exact=hl.Answers(spec.pairs),
    edges=hl.Answers(spec.edges, after=("exact",)),
)

serve = hl.returns_data(
    tokens=serving.tokens,
    streams=hl.following("tokens", serving.streams),
    batches=hl.following("tokens", serving.batches),
    cancels=hl.following("tokens", serving.cancels),
    chat=hl.following("tokens", serving.chat),
)

capacity = hl.returns_data(correct=hl.Answers(planning.deployments))

read_metrics = hl.returns_data(correct=hl.Answers(planning.metrics))

paged_decode = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(paged.sequences, paged.decoded, paged.of_half),
        paged.counted_sequences,
        paged.compiled_sequences,
        counted_calls=2,
    ),
    fewest_bytes=paged.fewest_bytes,
    advice="Load keys and values of a block once for all query heads that share them.",
    gpu_fast=hl.GpuFast(paged.ON_GPU, paged.GATHERED, paged.bytes_of_call),
)
