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


def kept(settings: Settings, phase: str, count: int) -> list[Supervisor]:
    """Supervisors of so many workers. When one has ended, what it held waits again at once."""
    engine = opened(settings.folder, settings.database)
    names = [f"{platform.node()[:30]}-{os.getpid()}-{phase}{number}" for number in range(count)]
    return [
        Supervisor(
            f"worker {name}",
            command(settings.folder, name, cast(Phase, phase)),
            {DATABASE: settings.database},
            partial(works.release, engine, name),
        )
        for name in names
    ]
