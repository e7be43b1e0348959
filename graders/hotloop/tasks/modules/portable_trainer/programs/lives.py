"""What the candidate's processes do. The candidate's code can see everything in this file."""

from __future__ import annotations

import resource
import signal
import socket
from pathlib import Path

import apart
import layout  # noqa: F401 - loaded before the first candidate is
import numpy as np
import remote
import run  # noqa: F401

FULL_BYTES = 1 << 20
NUMBERS = 1 << 19


def write_on(_sock: socket.socket, source: str, path: str) -> None:
    """Write checkpoints under one name until the process is killed."""
    module = apart.loaded(source, "checkpoint")
    for steps in range(1_000_000):
        module.write(arrays(steps), {"steps": steps}, path)


def write_until_full(_sock: socket.socket, source: str, path: str) -> None:
    """Write a checkpoint, and then another while no file can exceed half its size."""
    module = apart.loaded(source, "checkpoint")
    module.write(arrays(1), {"steps": 1}, path)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, FULL_BYTES))
    module.write(arrays(2), {"steps": 2}, path)


def arrays(steps: int) -> dict[str, np.ndarray]:
    """Return a 2 MiB checkpoint filled with `steps`, which identifies it."""
    return {"model.weight": np.full(NUMBERS, steps, np.float32)}


def train(sock: socket.socket, sources: dict[str, str], folder: str) -> bool:
    """Run a trainer to its end; return whether it finished."""
    for name in ("checkpoint", "policy", "trainer"):
        module = apart.loaded(sources[name], name)
    return bool(module.train(remote.Cluster(sock), Path(folder)))
