"""The zygote of a judge process: candidates' workers start from one that has imported torch.

A worker whose speed is measured is executed anew, as the baseline is that it is compared with.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache

from hotloop.cudasim import cache as simulator
from hotloop.sandbox.confinement import Confined, Confinement
from hotloop.sandbox.zygote.zygote import Zygote

WORKER = "hotloop.worker.__main__"
FRAMEWORKS = ("torch", "torch._dynamo", "triton", "triton.language")
"""What candidates import, most of them; together they cost a worker two seconds."""


def worker_fork() -> Callable[[Confinement], Confined]:
    """Launches as `hotloop.sandbox.launch.launch` does, and falls back to that."""
    return _zygote().launch


@cache
def _zygote() -> Zygote:
    """It starts with the first worker, and ends with the process."""
    modules = (WORKER, *filter(_is_installed, FRAMEWORKS))
    return Zygote(modules, shared=(simulator.folder(),))


def _is_installed(name: str) -> bool:
    return importlib.util.find_spec(name.partition(".")[0]) is not None
