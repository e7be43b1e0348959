"""What a sandbox must expose so that a worker can use the GPU: device nodes and the driver."""

import os
from pathlib import Path

from hotloop.judge.device import DEV
from hotloop.worker.device import LIBRARY_VARIABLE, library_path

_SHARED = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_SEARCHED = (
    Path("/usr/lib/x86_64-linux-gnu"),
    Path("/usr/lib/aarch64-linux-gnu"),
    Path("/usr/lib64"),
)
"""Folders that every loader searches; listing them in LD_LIBRARY_PATH would only hide torch's own
libraries."""

_ELSEWHERE = (Path("/usr/local/nvidia/lib64"), Path("/usr/lib/wsl/lib"))


def nodes(minor: int, dev: Path = DEV) -> tuple[str, ...]:
    """Return the existing device nodes that a worker on /dev/nvidia`minor` needs.

    Nodes of other GPUs, of MIG and of display are left out.
    """
    names = (f"nvidia{minor}", *_SHARED)
    return tuple(str(dev / name) for name in names if (dev / name).exists())


def environment() -> dict[str, str]:
    """Return the variables that a worker on the GPU needs: driver path and its own cache."""
    # By default, CUDA numbers GPUs by speed; with one device node there is one GPU.
    variables = {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_CACHE_PATH": "/tmp/cuda-cache",
        # Otherwise the first JAX process allocates three quarters of the device memory.
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }
    folder = driver_folder()
    if folder is not None:
        variables["TRITON_LIBCUDA_PATH"] = str(folder)
        if folder not in _SEARCHED:
            variables["LD_LIBRARY_PATH"] = str(folder)
    named = os.environ.get(LIBRARY_VARIABLE)
    return variables | ({LIBRARY_VARIABLE: named} if named else {})


def driver_folder() -> Path | None:
    """Return the folder of libcuda, or None if only the loader can find it."""
    path = Path(library_path())
    if path.is_absolute():
        return path.parent
    named = [Path(f) for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]
    folders = (*named, *_SEARCHED, *_ELSEWHERE)
    return next((f for f in folders if (f / "libcuda.so.1").exists()), None)
