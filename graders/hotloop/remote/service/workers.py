"""The processes of a service on this machine, each kept running by a supervisor."""

from __future__ import annotations

import os
import platform
from functools import partial
from typing import cast

from hotloop.remote.job import Phase
from hotloop.remote.service import works
from hotloop.remote.service.settings import Settings
from hotloop.remote.service.tables import opened
from hotloop.remote.service.worker import DATABASE, command
from hotloop.web.supervisor import Supervisor

VISIBLE = "CUDA_VISIBLE_DEVICES"


def kept(settings: Settings, phase: str, count: int) -> list[Supervisor]:
    """Supervisors of so many workers. When one has ended, what it held waits again at once."""
    engine = opened(settings.folder, settings.database)
    names = [f"{platform.node()[:30]}-{os.getpid()}-{phase}{number}" for number in range(count)]
    if phase == "gpu":
        # Known from the first job on, which may be judged before these have started.
        for name in names:
            works.here(engine, name, phase, platform.node())
    return [
        Supervisor(
            f"worker {name}",
            command(settings.folder, name, cast(Phase, phase)),
            {DATABASE: settings.database, **(_card(number) if phase == "gpu" else {})},
            partial(works.release, engine, name),
        )
        for number, name in enumerate(names)
    ]


def _card(number: int) -> dict[str, str]:
    """What shows a worker one GPU alone, of those that the service itself may use."""
    allowed = os.environ.get(VISIBLE, "").split(",")
    card = allowed[number % len(allowed)] or str(number)
    return {VISIBLE: card, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
