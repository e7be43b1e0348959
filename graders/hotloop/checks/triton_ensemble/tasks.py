"""The checks of each task of module triton_ensemble. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.triton_ensemble import (
    analyzer_reports,
    batching,
    bert,
    calling,
    deployments,
    inquiries,
    keras_files,
    metrics_questions,
    pooling,
    routing,
    serving_rest,
    truth,
)
from hotloop.checks.triton_ensemble.analyzed import Measured, Sweep
from hotloop.checks.triton_ensemble.compositions import (
    BACKENDS,
    BY_REPORT,
    CANARY,
    LAYOUT,
    TUNED,
    UNTUNED,
    backend,
)
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.batches import Batches
from hotloop.judge.rungs.gpu_correct import GpuCorrect
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.rungs.kernel_correct import KernelCorrect
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.served_fast import ServedFast
from hotloop.judge.rungs.serves import Serves
from hotloop.judge.rungs.sound import Sound
from hotloop.judge.rungs.stable import Stable
from hotloop.judge.rungs.traffic import ByteLevel, Traffic
from hotloop.judge.task import fills_tensor, returns_data

repository_layout = returns_data(
    sound=Sound(LAYOUT.put_together, BACKENDS),
    serves=Serves(LAYOUT.put_together, inquiries.of_topics, after=("sound",)),
)

preprocess_backend = returns_data(
    serves=Serves(backend("preprocess").put_together, inquiries.of_preprocess)
)

postprocess_backend = returns_data(
    serves=Serves(backend("postprocess").put_together, inquiries.of_postprocess)
)

client = returns_data("numpy", **calling.rungs(calling.SERVICE))

versions = returns_data(
    serves=Serves(CANARY.put_together, inquiries.of_versions),
    correct=Answers(routing.questions),
    stable=Stable(routing.some_users),
)

read_metrics = returns_data(
    correct=Answers(metrics_questions.questions),
    diagnosis=AnswersFrom("diagnosis", deployments.questions),
)

_faster = partial(
    ServedFast,
    TUNED.put_together,
    UNTUNED.put_together,
    inquiries.under_load,
    truth.seconds_per_row,
)
tune = returns_data(
    batches=Batches(TUNED.put_together, inquiries.under_load, "bert", least_mean=2.0),
    throughput=_faster(clients=16, requests=256),
    alone=_faster(clients=1, requests=48),
)

perf_analyzer = returns_data(
    "numpy",
    sweep=Sweep(UNTUNED.put_together),
    choose=AnswersFrom("choose", analyzer_reports.questions),
    measured=Measured(BY_REPORT.put_together, UNTUNED.put_together, truth.seconds_per_row),
)

_pooling = KernelCalls(
    pooling.cases, pooling.counted_case, pooling.embeddings, pooling.tolerance, counted_calls=2
)
pool_on_gpu = fills_tensor(
    correct=KernelCorrect(_pooling),
    traffic=Traffic(
        _pooling,
        pooling.fewest_bytes_of_case,
        (ByteLevel(1.1, 1.0), ByteLevel(2.2, 0.5)),
        advice="Read each token once, and mask padding out of the load.",
    ),
    gpu_correct=GpuCorrect(pooling.cases, pooling.embeddings, pooling.tolerance),
    gpu_fast=GpuFast(pooling.on_gpu(), pooling.CHAIN, pooling.fewest_bytes, seconds=90.0),
)

_each = (batching.cases, batching.REFEREE, "answer", batching.disagreement)
batch_on_gpu = fills_tensor(
    correct=Refereed(*_each),
    gpu_correct=GpuRefereed(*_each),
    gpu_fast=GpuRefereedFast(
        batching.timed(),
        batching.EACH,
        batching.REFEREE,
        "answer",
        batching.disagreement,
        batching.fewest_flops,
    ),
)

bert_export = returns_data(
    interface=Holds(
        partial(bert.looks, mismatch=bert.interface_mismatch),
        "One file, with the names and types of the class, free in both sizes.",
    ),
    correct=Holds(
        partial(bert.looks, mismatch=bert.logits_mismatch),
        "It gives the logits of the class, with and without padding.",
        after=("interface",),
    ),
)

saved_model = returns_data(
    saved=Holds(keras_files.SAVED_MODEL.looks, "Its signature is right, and it gives the scores."),
    onnx=Holds(keras_files.ONNX.looks, "It takes and gives the same, and gives the scores."),
    requests=AnswersFrom("to_triton", serving_rest.request_questions),
    answers=AnswersFrom("from_triton", serving_rest.answer_questions),
)
