"""Let a candidate write checkpoints in a process that is killed, or whose disk is full.

Files are checked here, where none of the candidate's code runs.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

import apart
import layout
import lives
import numpy as np
import remote
from safetensors import SafetensorError, safe_open

NURSERY = apart.Nursery()
TIMEOUT_S = 20.0


def survived(source: str, seed: int, kills: int) -> str | None:
    """Return a message fragment if a checkpoint is lost after a kill or on a full disk."""
    rng, folder = random.Random(seed), Path(tempfile.mkdtemp())
    for number in range(kills):
        path = folder / f"killed-{number}.safetensors"
        child = NURSERY.start("lives", "write_on", source, str(path))
        _wait_for(path, child)
        time.sleep(rng.uniform(0.01, 0.05))
        child.kill()
        if not _is_whole(path):
            return "after a kill, the file under the checkpoint's name is not whole, or gone"
    path = folder / "full.safetensors"
    child = NURSERY.start("lives", "write_until_full", source, str(path))
    remote.receive(child.sock)
    child.kill()
    if not _is_whole(path):
        return "when a disk is full, the checkpoint that was there is lost"
    return None


def _wait_for(path: Path, child: apart.Child) -> None:
    """Wait until the file exists; its name promises that it is complete.

    Raises TimeoutError after TIMEOUT_S, or the candidate's error.
    """
    child.sock.settimeout(0.002)
    until = time.monotonic() + TIMEOUT_S
    while not path.exists():
        if time.monotonic() > until:
            raise TimeoutError("write has written nothing")
        try:
            child.ended(remote.receive(child.sock)[0])
        except TimeoutError:
            continue


def _is_whole(path: Path) -> bool:
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = file.metadata() or {}
        steps = json.loads(metadata["state"])["steps"]
    except (SafetensorError, OSError, KeyError, ValueError, TypeError):
        return False
    same = np.array_equal(arrays["model.weight"], lives.arrays(steps)["model.weight"])
    return same and metadata["digest"] == layout.digest(arrays, metadata["state"])
