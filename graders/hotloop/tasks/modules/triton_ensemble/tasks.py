"""The checks of each task of module triton_ensemble. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.triton_ensemble import (
    analyzed,
    analyzer_reports,
    batching,
    bert,
    client_calls,
    deployments,
    inference_requests,
    keras_files,
    metrics_questions,
    pooling,
    routing,
    serving_rest,
    tf_messages,
    truth,
)
from hotloop.tasks.modules.triton_ensemble.compositions import (
    BACKENDS,
    BY_REPORT,
    CANARY,
    LAYOUT,
    TUNED,
    UNTUNED,
    backend,
)
from hotloop.tasks.modules.triton_ensemble.reproducibility import Stable

repository_layout = hl.returns_data(
    sound=hl.ValidModelRepository(LAYOUT.put_together, BACKENDS),
    serves=hl.Serves(LAYOUT.put_together, inference_requests.of_topics, after=("sound",)),
)

preprocess_backend = hl.returns_data(
    serves=hl.Serves(backend("preprocess").put_together, inference_requests.of_preprocess)
)

postprocess_backend = hl.returns_data(
    serves=hl.Serves(backend("postprocess").put_together, inference_requests.of_postprocess)
)

client = hl.returns_data("numpy", **client_calls.checks(client_calls.SERVICE))

versions = hl.returns_data(
    serves=hl.Serves(CANARY.put_together, inference_requests.of_versions),
    correct=hl.Answers(routing.questions),
    stable=Stable(routing.some_users),
)

read_metrics = hl.returns_data(
    correct=hl.Answers(metrics_questions.questions),
    diagnosis=deployments.DIAGNOSIS,
)

_faster = partial(
    hl.ServedFast,
    TUNED.put_together,
    UNTUNED.put_together,
    inference_requests.under_load,
    truth.seconds_per_row,
)
tune = hl.returns_data(
    batches=hl.Batches(TUNED.put_together, inference_requests.under_load, "bert", least_mean=2.0),
    throughput=_faster(clients=16, requests=256),
    alone=_faster(clients=1, requests=48),
)

perf_analyzer = hl.returns_data(
    "numpy",
    sweep=partial(analyzed.sweep, repository=UNTUNED.put_together),
    choose=hl.Answers(analyzer_reports.questions, entry="choose"),
    measured=analyzed.measured.bind(
        repository=BY_REPORT.put_together,
        baseline=UNTUNED.put_together,
        limit_s=truth.seconds_per_row,
    ),
)

pool_on_gpu = hl.triton_kernel(
    hl.TritonKernelCalls(
        hl.Truth(pooling.cases, pooling.embeddings, pooling.tolerance),
        pooling.counted_case,
        counted_calls=2,
    ),
    fewest_bytes=pooling.fewest_bytes_of_case,
    advice="Read each token once, and mask padding out of the load.",
    targets=(),
    gpu_fast=hl.GpuFast(pooling.on_gpu(), pooling.CHAIN, pooling.fewest_bytes, seconds=90.0),
)

_each = batching.ORACLE.function("answer", batching.disagreement)
_answers = hl.Truth(batching.cases, _each)
batch_on_gpu = hl.fills_tensor(
    correct=hl.Correct(_answers),
    gpu_correct=hl.Correct(_answers, on=hl.OnGpuFromHost()),
    gpu_fast=hl.GpuFastFromHost(batching.timed(), batching.EACH, _each, batching.fewest_flops),
)

bert_export = hl.returns_data(
    interface=bert.SMALL.holds(
        bert.interface_mismatch,
        "One file, with the names and types of the class, free in both sizes.",
    ),
    correct=bert.SMALL.holds(
        bert.logits_mismatch,
        "It gives the logits of the class, with and without padding.",
        "interface",
    ),
    base=bert.BASE.holds(
        bert.base_mismatch,
        "BERT-base has the right interface and logits, up to 512 tokens.",
        "correct",
    ),
    serves=hl.Serves(
        bert.repository,
        bert.inquiries,
        timeout_s=60.0,
        files_bytes=bert.MOST_BYTES,
        after=("base",),
    ),
)

saved_model = hl.returns_data(
    saved=keras_files.SAVED_MODEL.holds(
        partial(keras_files.mismatch, load="saved_model"),
        "Its signature is right, and it gives the scores.",
    ),
    onnx=keras_files.ONNX.holds(
        partial(keras_files.mismatch, load="onnx_file"),
        "It takes and gives the same, and gives the scores.",
    ),
    requests=hl.Answers(serving_rest.request_questions, entry="to_triton"),
    answers=hl.Answers(serving_rest.answer_questions, entry="from_triton"),
)

tf_serving = hl.returns_data(
    reads=hl.HiddenAnswers(tf_messages.read_tensors, entry="arrays"),
    writes=hl.HiddenAnswers(tf_messages.write_tensors, entry="tensors"),
    answers=hl.HiddenAnswers(tf_messages.answered, after=("reads", "writes")),
    refuses=hl.HiddenAnswers(tf_messages.refused, after=("answers",)),
)
