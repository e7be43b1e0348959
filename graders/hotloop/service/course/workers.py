"""The worker processes of a service on this machine, each kept running by a supervisor."""

from __future__ import annotations

import os
import platform
from functools import partial

from sqlalchemy import Engine

from hotloop.service.course import nodes, works
from hotloop.service.course.jobs import QUEUE
from hotloop.service.course.settings import Counts
from hotloop.service.course.worker import command
from hotloop.service.settings import ServiceSettings
from hotloop.service.web.process import DATABASE
from hotloop.service.web.supervisor import Supervisor

VISIBLE = "CUDA_VISIBLE_DEVICES"


def supervisors(engine: Engine, settings: ServiceSettings, counts: Counts) -> list[Supervisor]:
    """Return the workers' supervisors. When a worker ends, its work waits again at once."""
    name = f"{platform.node()[:30]}-{os.getpid()}"
    on_gpu = counts.names(name, "gpu")
    for worker in on_gpu:
        # Registered before they start, so that the first job already finds a GPU worker.
        works.here(engine, worker, "gpu", platform.node())
    database = {DATABASE: settings.database}
    folder = settings.folder
    if settings.ray:
        everybody = [*counts.names(name, "cpu"), *on_gpu]
        words = nodes.command(folder, name, settings.ray, counts)

        def release() -> None:
            for worker in everybody:
                QUEUE.release(engine, worker)

        return [Supervisor("driver of the cluster", words, database, release)]
    cpu = [(worker, "cpu", database) for worker in counts.names(name, "cpu")]
    gpu = [(worker, "gpu", {**database, **_one_gpu(n)}) for n, worker in enumerate(on_gpu)]
    return [
        Supervisor(
            f"worker {worker}",
            command(folder, worker, phase),
            environment,
            partial(QUEUE.release, engine, worker),
        )
        for worker, phase, environment in (*cpu, *gpu)
    ]


def _one_gpu(number: int) -> dict[str, str]:
    """Return the environment that shows a worker one GPU, of those that the service may use."""
    allowed = os.environ.get(VISIBLE, "").split(",")
    card = allowed[number % len(allowed)] or str(number)
    return {VISIBLE: card, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
