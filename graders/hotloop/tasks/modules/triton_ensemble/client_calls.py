"""Calls of the learner's client for the served ensemble, and the required result of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hotloop.engines.serving.conversation import Kind
from hotloop.engines.serving.relay import FOREVER, InjectedFaults
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble import truth
from hotloop.tasks.modules.triton_ensemble.called_over import CalledOver, CalledService, ClientCall
from hotloop.tasks.modules.triton_ensemble.compositions import UNTUNED
from hotloop.tasks.modules.triton_ensemble.random_texts import mixed

Rng = np.random.Generator

UNKNOWN_VERSION = "999"
KINDS: tuple[tuple[Kind, str], ...] = (("http", "HTTP"), ("grpc", "gRPC"))

IN_TIME_S, SLOW_S = 1.2, 6.0
"""Delays of answers: within the deadline, and far beyond it."""

MOST_ATTEMPTS = 8
PAUSE_S = 0.02
"""Minimum pause between two attempts: half of what the task requires, as the relay's clock runs on
a busy machine."""


def checks(service: CalledService) -> dict[str, CalledOver]:
    """Return the checks of the task in order."""
    return {
        "answers": CalledOver(
            service, answers, "Right over HTTP and gRPC, in batches, over one connection."
        ),
        "deadline": CalledOver(
            service,
            deadlines,
            "Keeps its deadline, and waits as long as it may.",
            after=("answers",),
        ),
        "errors": CalledOver(
            service, errors, "Tries again what was refused, and nothing else.", after=("answers",)
        ),
    }


def answers(rng: Rng, service: CalledService) -> Iterator[ClientCall]:
    """Yield one text, and several batches for one version."""
    size = service.max_batch_size
    for (kind, name), version in zip(KINDS, rng.permutation(service.versions), strict=False):
        many = int(rng.integers(2 * size + 1, 4 * size))
        yield ClientCall(f"One text over {name}", kind, 1)
        yield ClientCall(f"{many} texts over {name}, version {version}", kind, many, str(version))
    kind, name = KINDS[int(rng.integers(2))]
    yield ClientCall(f"{size} texts over {name}", kind, size)
    yield ClientCall(f"{size + 1} texts over {name}", kind, size + 1)


def deadlines(rng: Rng, service: CalledService) -> Iterator[ClientCall]:
    """Yield late answers in time, too late, and three batches that are too late only in total."""
    few = int(rng.integers(2, service.max_batch_size))
    many = 3 * service.max_batch_size
    for kind, name in KINDS:
        late = InjectedFaults(hold_s=IN_TIME_S)
        yield ClientCall(f"{name}, answers after {IN_TIME_S:g} s", kind, few, None, 8.0, late)
        slow = InjectedFaults(hold_s=SLOW_S)
        label = f"{name}, answers after {SLOW_S:g} s"
        yield ClientCall(label, kind, few, None, 1.0, slow, "deadline")
        label = f"{name}, three batches, each answered after {IN_TIME_S:g} s"
        yield ClientCall(label, kind, many, None, 2.0, late, "deadline", partly=True)


def errors(rng: Rng, service: CalledService) -> Iterator[ClientCall]:
    """Yield one refusal, only refusals, and a request that can never succeed."""
    few = int(rng.integers(2, service.max_batch_size))
    attempts = (2, MOST_ATTEMPTS)
    for kind, name in KINDS:
        busy, full = InjectedFaults(refusals=1), InjectedFaults(refusals=FOREVER)
        label = f"{name}, the first request is refused"
        yield ClientCall(label, kind, few, None, 8.0, busy, inferences=attempts, pause_s=PAUSE_S)
        label = f"{name}, every request is refused"
        yield ClientCall(
            label, kind, few, None, 8.0, full, "refused", inferences=attempts, pause_s=PAUSE_S
        )
        label = f"{name}, a version that is not there"
        only = (1, 1)
        yield ClientCall(label, kind, few, UNKNOWN_VERSION, error="bad_request", inferences=only)


def serve_versions(repository: Path, service: CalledService) -> None:
    """Make a repository with one version of the model serve every version that clients ask for."""
    model = repository / service.model
    config = model / "config.pbtxt"
    config.write_text(config.read_text(encoding="utf-8") + "\nversion_policy: { all { } }\n")
    for version in service.versions:
        (model / version).mkdir(exist_ok=True)
        (model / version / "README").touch()


def _two_versions(session: Session) -> Path:
    """Return the judge's whole repository, with two versions of the ensemble."""
    folder = UNTUNED.put_together(session)
    serve_versions(folder, SERVICE)
    return folder


SERVICE = CalledService(_two_versions, mixed, truth.pairs)
