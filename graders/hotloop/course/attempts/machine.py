"""Facts about the machine that ran an attempt."""

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from hotloop.judge.device import device_name, driver_version
from hotloop.sandbox.level import level

LIBRARIES = ("numpy", "torch", "triton", "wasmtime", "ziglang")


def machine(isolation: str | None = None) -> dict[str, str | int]:
    """Describe this machine and its libraries. isolation: default: this machine's level."""
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
        "device": device_name(),
        "driver": driver_version(),
        "cores": len(os.sched_getaffinity(0)),
        "isolation": isolation or level()[0],
    }


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
