"""The device that this machine judges on, and its name in records and run files."""

import platform
from pathlib import Path
from typing import Literal

_DRIVER = Path("/proc/driver/nvidia/version")
DEV = Path("/dev")


def kind() -> Literal["cpu", "cuda"]:
    """Return "cuda" if an NVIDIA driver is loaded and a GPU's device node exists, else "cpu"."""
    return "cuda" if _DRIVER.exists() and cards() else "cpu"


def cards(dev: Path = DEV) -> list[int]:
    """Return N of each /dev/nvidiaN, sorted."""
    names = (path.name.removeprefix("nvidia") for path in dev.glob("nvidia[0-9]*"))
    return sorted(int(name) for name in names if name.isdecimal())


def device_name() -> str:
    """Return the GPU's name if there is one, otherwise the CPU's as the system reports it."""
    if kind() == "cuda":
        return _gpu_name()
    for line in _lines(Path("/proc/cpuinfo")):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def driver_version() -> str:
    """Return the NVIDIA driver's version line, or an empty string."""
    lines = _lines(_DRIVER)
    return lines[0].strip() if lines else ""


def _gpu_name() -> str:
    for information in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information")):
        for line in _lines(information):
            if line.startswith("Model:"):
                return line.split(":", 1)[1].strip()
    return "NVIDIA GPU"


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
