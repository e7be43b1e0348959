"""The checks of each task of module llm_serving_frontier. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.llm_serving_frontier import (
    automata,
    drafts,
    four_bits,
    latent,
    offloading,
    routing,
    sampling,
    timed,
)

draft_trees = hl.returns_data(
    ngram=hl.Answers(drafts.texts, entry="ngrams"),
    candidates=hl.Answers(drafts.candidates, entry="picks"),
    layout=hl.Answers(drafts.layouts, entry="layouts"),
    exact=hl.Answers(drafts.trees),
    edges=hl.Answers(drafts.edges, after=("exact",)),
)

cache_router = hl.returns_data(light=routing.light, goodput=routing.goodput)

prefill_router = hl.returns_data(light=routing.light_apart, goodput=routing.goodput_apart)

sample_kernel = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(sampling.rows, sampling.token, sampling.EXACT),
        sampling.counted_rows,
        counted_calls=2,
    ),
    fewest_bytes=sampling.fewest_bytes,
    advice="Load a row once, and halve the range of the threshold in registers.",
    gpu_fast=hl.GpuFast(timed.ON_GPU, timed.SORTED),
)

token_masks = hl.returns_data(
    allowed=hl.Answers(automata.masks),
    words=hl.Answers(automata.words, entry="packed"),
    jumps=hl.Answers(automata.jumps, entry="jumps"),
)

quantized_cache = hl.returns_data(
    stores=hl.Answers(four_bits.caches, entry="stored"),
    attends=hl.Answers(four_bits.queries, entry="attended"),
)

prefix_tiers = hl.returns_data(
    split=hl.Answers(offloading.prompts, entry="splits"),
    saved=offloading.saved,
)

latent_decode = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(latent.caches, latent.decoded, latent.TOLERANCE),
        latent.counted_caches,
        latent.compiled_caches,
        counted_calls=2,
    ),
    fewest_bytes=latent.fewest_bytes,
    advice="Load a latent vector once for all heads, and begin where the window begins.",
)
