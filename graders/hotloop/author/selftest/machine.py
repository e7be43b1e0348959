"""Steps 0, 1 and 6: the machine's equipment, the driver's capabilities, and NVML."""

import importlib.metadata
import os
import statistics
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.device import DEV, cards, driver_version, kind
from hotloop.judge.gpu import devices
from hotloop.judge.gpu.card import NoCard, open_driver, require_shareable
from hotloop.judge.gpu.clocks import Clocks
from hotloop.judge.gpu.nvml import Nvml
from hotloop.sandbox.cgroup import places
from hotloop.sandbox.level import level

SLOW_NVML_S = 0.02
"""NVML is queried three times per leg of 45 ms."""


def machine() -> StepResult:
    """Check user, mounts, device nodes, driver, sandbox and compilers, without using the GPU."""
    if kind() != "cuda":
        raise StepFailed(
            "No NVIDIA driver or device node is here: nothing can be measured.",
            "run it on a machine with an NVIDIA GPU; a container needs `--gpus all`",
        )
    isolation, reason = level()
    if isolation == "none":
        raise StepFailed(f"Nothing can be confined here: {reason}", reason.rpartition(": ")[2])
    figures = {
        "user": os.geteuid(),
        "nodes": sorted(str(path) for path in DEV.glob("nvidia*")),
        "cards": cards(),
        "driver": driver_version(),
        "driver_folder": str(devices.driver_folder()),
        "freezer": "control group" if places().freezer is not None else "signals",
        "versions": {name: _version(name) for name in ("torch", "triton", "numpy", "tensorrt")},
        "python": sys.version.split()[0],
    }
    lacking = [*_without_headers(), *_without_nvcc()]
    summary = f"{len(cards())} GPU(s), sandbox {isolation}, freezer: {figures['freezer']}"
    return StepResult("; ".join([summary, *lacking]) + ".", figures)


def _without_headers() -> list[str]:
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    return [] if header.exists() else [f"Triton needs {header} (apt-get install python3-dev)"]


def _without_nvcc() -> list[str]:
    try:
        toolchain.find()
    except ToolMissing as missing:
        return [str(missing)]
    return []


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def driver() -> StepResult:
    """Check that the driver has all functions that the judge calls, and opens a context."""
    try:
        opened = open_driver()
        facts = opened.facts()
        require_shareable(facts)
    except NoCard as reason:
        raise StepFailed(str(reason), "see the sentence itself") from None
    except AttributeError as missing:
        raise StepFailed(
            f"The driver's library lacks a function: {missing}.", "install a driver of release 525+"
        ) from None
    major, minor = facts.capability
    figures = {
        "name": facts.name,
        "cuda": facts.driver,
        "capability": 10 * major + minor,
        "l2_bytes": facts.l2_bytes,
        "total_bytes": facts.total_bytes,
        "granularity_bytes": opened.granularity(),
        "read_only_mappings": None,
    }
    return StepResult(f"{facts.name}, compute capability {major}.{minor}.", figures)


def management() -> StepResult:
    """Check that NVML is fast enough to be queried around each leg, and lists processes."""
    opened = open_driver()
    nvml = Nvml(opened.bus_id())
    calls: dict[str, Callable[[], object]] = {
        "sm_mhz": nvml.sm_mhz,
        "throttle_reasons": nvml.throttle_reasons,
        "clients": nvml.clients,
    }
    took = {f"{name}_ms": 1e3 * _median_s(call) for name, call in calls.items()}
    clocks = Clocks(nvml)
    figures = {
        **took,
        "clients": len(nvml.clients()),
        "own_id_seen": os.getpid() in nvml.clients(),
        "clock": clocks.state().words(),
        "persistence": nvml.persistent(),
        "mig": nvml.sliced(),
    }
    if max(took.values()) > SLOW_NVML_S * 1e3:
        raise StepFailed(
            "NVML takes longer to answer than a leg may wait.",
            "switch on persistence mode (`nvidia-smi -pm 1`, by an administrator), or update it",
            **figures,
        )
    if clocks.blind:
        return StepResult(
            "NVML lists no processes, as in a container without the host's process ids: an idle "
            "process on the GPU goes unseen; a busy one is noticed because kernels time-slice.",
            figures,
        )
    return StepResult("NVML answers in time and lists this process.", figures)


def _median_s(call: Callable[[], object]) -> float:
    seconds: list[float] = []
    for _ in range(20):
        started = time.monotonic()
        call()
        seconds.append(time.monotonic() - started)
    return statistics.median(seconds)
