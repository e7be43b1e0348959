"""How each task of module triton_ensemble is judged. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.triton_ensemble import (
    calling,
    deployments,
    inquiries,
    metrics_questions,
    routing,
    truth,
)
from hotloop.checks.triton_ensemble.compositions import (
    BACKENDS,
    CANARY,
    LAYOUT,
    TUNED,
    UNTUNED,
    backend,
)
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.batches import Batches
from hotloop.judge.rungs.served_fast import ServedFast
from hotloop.judge.rungs.serves import Serves
from hotloop.judge.rungs.sound import Sound
from hotloop.judge.rungs.stable import Stable
from hotloop.judge.task import returns_data

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
