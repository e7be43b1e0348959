"""What the judge asks of the tasks of module triton_ensemble."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hotloop.checks.triton_ensemble import (
    calling,
    deployments,
    figures,
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
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.batches import Batches
from hotloop.judge.rungs.called_over import Service
from hotloop.judge.rungs.served_fast import ServedFast
from hotloop.judge.rungs.serves import Serves
from hotloop.judge.rungs.sound import Sound
from hotloop.judge.rungs.stable import Stable
from hotloop.judge.session import Session
from hotloop.variants.variant import Variant

CLIENTS = 16
LEAST_MEAN_BATCH = 2.0

# module.yaml says where they come from.
THROUGHPUT_LEVELS = (Level(1.17, 1.0), Level(1.5, 0.0))
ALONE_LEVELS = (Level(0.75, 1.0),)


def repository_layout() -> Check:
    """Folders and four configurations, around models of ours."""
    repository = LAYOUT.put_together
    return Check(
        Candidate("topics", "repository/topics/config.pbtxt"),
        {
            "sound": Sound(repository, BACKENDS),
            "serves": Serves(repository, inquiries.of_topics, after=("sound",)),
        },
    )


def preprocess_backend() -> Check:
    """Texts to tokens, for whole batches."""
    return Check(
        Candidate("TritonPythonModel", "repository/preprocess/1/model.py"),
        {"serves": Serves(backend("preprocess").put_together, inquiries.of_preprocess)},
    )


def postprocess_backend() -> Check:
    """Logits to answers."""
    return Check(
        Candidate("TritonPythonModel", "repository/postprocess/1/model.py"),
        {"serves": Serves(backend("postprocess").put_together, inquiries.of_postprocess)},
    )


def client() -> Check:
    """A client over HTTP and gRPC, against a server over our own repository."""
    service = Service(_served_to_clients, calling.texts, truth.pairs)
    return Check(Candidate("classify", "client.py", "json", "numpy"), calling.rungs(service))


def _served_to_clients(session: Session) -> Path:
    """Ours, whole, with two versions of the ensemble to choose from."""
    folder = UNTUNED.put_together(session)
    calling.serve_versions(folder, Service(_served_to_clients, calling.texts))
    return folder


def versions() -> Check:
    """Version 2 beside version 1, for those who are chosen."""
    return Check(
        Candidate("route", "routing.py", "json"),
        {
            "serves": Serves(CANARY.put_together, inquiries.of_versions),
            "correct": Answers(routing.questions),
            "stable": Stable(routing.some_users),
        },
    )


def read_metrics(variant: Variant | None = None) -> Check:
    """Figures from readings of /metrics, and what ails four recorded deployments."""
    asked = figures.PLAIN
    if variant is not None and variant.constants:
        values = variant.constants
        asked = figures.Asked(int(values["REQUESTS"]), int(values["SECONDS"]))
    return Check(
        Candidate("figures", style="json"),
        {
            "correct": Answers(partial(metrics_questions.questions, asked=asked)),
            "diagnosis": AnswersFrom("diagnosis", deployments.questions),
        },
    )


def tune() -> Check:
    """More answers a second for sixteen clients, and none later for one."""
    repository, untuned = TUNED.put_together, UNTUNED.put_together
    return Check(
        Candidate("topics", "tuned/topics/config.pbtxt"),
        {
            "batches": Batches(repository, inquiries.under_load, "bert", LEAST_MEAN_BATCH, CLIENTS),
            "throughput": ServedFast(
                repository,
                untuned,
                inquiries.under_load,
                THROUGHPUT_LEVELS,
                truth.seconds_per_row,
                clients=CLIENTS,
                requests=256,
            ),
            "alone": ServedFast(
                repository,
                untuned,
                inquiries.under_load,
                ALONE_LEVELS,
                truth.seconds_per_row,
                clients=1,
                requests=48,
            ),
        },
    )
