"""The checks of each task of module llm_serving_engine. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.llm_serving_engine import paged, paging, planning, scheduling, serving
from hotloop.checks.llm_serving_engine import speculation as spec
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.compiles import Compiles
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.traffic import Traffic
from hotloop.judge.task import fills_tensor, returns_data, returns_tensor

block_manager = returns_data(
    serves=Answers(partial(paging.traces, mixes=[paging.PLAIN])),
    shares=Answers(partial(paging.traces, mixes=[paging.FORKS]), after=("serves",)),
    caches=Answers(partial(paging.traces, mixes=[paging.PREFIXES]), after=("serves",)),
    full=Answers(partial(paging.traces, mixes=[paging.TIGHT, paging.CROWDED]), after=("serves",)),
)

paged_attention = returns_tensor(
    "numpy",
    correct=Correct(paged.chunks, paged.attended, paged.of_chunk),
    chunks=AnswersFrom("prefill", paged.prompts, after=("correct",)),
)

scheduler = returns_data(
    legal=scheduling.legal,
    patient=scheduling.patient,
    goodput=scheduling.goodput,
)

speculative = returns_data(
    exact=Answers(spec.pairs),
    edges=Answers(spec.edges, after=("exact",)),
)

serve = returns_data(
    tokens=serving.tokens,
    streams=following("tokens", serving.streams),
    batches=following("tokens", serving.batches),
    cancels=following("tokens", serving.cancels),
)

capacity = returns_data(correct=Answers(planning.deployments))

read_metrics = returns_data(correct=Answers(planning.metrics))

_decode = KernelCalls(
    paged.sequences,
    paged.counted_sequences,
    paged.decoded,
    paged.of_half,
    paged.compiled_sequences,
    counted_calls=2,
)
paged_decode = fills_tensor(
    correct=KernelCorrect(_decode),
    traffic=Traffic(
        _decode,
        paged.fewest_bytes,
        advice="Load keys and values of a block once for all query heads that share them.",
    ),
    compiles=Compiles(_decode),
    gpu_correct=GpuCorrect(paged.sequences, paged.decoded, paged.of_half),
    gpu_fast=GpuFast(paged.ON_GPU, paged.GATHERED, paged.bytes_of_call),
)
