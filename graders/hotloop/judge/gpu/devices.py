"""What a sandbox must let through so that a worker can use the GPU: device nodes and the driver."""

from __future__ import annotations

import os
from pathlib import Path

from hotloop.worker.device import LIBRARY_VARIABLE, library_path

DEV = Path("/dev")
_SHARED = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_USUAL_FOLDERS = (
    Path("/usr/local/nvidia/lib64"),
    Path("/usr/lib/x86_64-linux-gnu"),
    Path("/usr/lib/aarch64-linux-gnu"),
    Path("/usr/lib64"),
    Path("/usr/lib/wsl/lib"),
)


def nodes(minor: int, dev: Path = DEV) -> tuple[str, ...]:
    """Device nodes that a worker on /dev/nvidia`minor` needs, as far as they exist.

    The nodes of other cards, of MIG and of display are left out.
    """
    names = (f"nvidia{minor}", *_SHARED)
    return tuple(str(dev / name) for name in names if (dev / name).exists())


def environment() -> dict[str, str]:
    """Variables that a worker on the GPU needs: where the driver is, caches of its own."""
    folder = driver_folder()
    found = {"LD_LIBRARY_PATH": str(folder), "TRITON_LIBCUDA_PATH": str(folder)} if folder else {}
    named = os.environ.get(LIBRARY_VARIABLE)
    # Torch numbers cards by speed unless told otherwise; with one node there is one card.
    common = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_CACHE_PATH": "/tmp/cuda-cache"}
    return {**common, **found, **({LIBRARY_VARIABLE: named} if named else {})}


def driver_folder() -> Path | None:
    """The folder of libcuda, where it is not one that every loader searches."""
    path = Path(library_path())
    if path.is_absolute():
        return path.parent
    for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if entry and (Path(entry) / "libcuda.so.1").exists():
            return Path(entry)
    return next((f for f in _USUAL_FOLDERS if (f / "libcuda.so.1").exists()), None)
