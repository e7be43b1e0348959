"""Start a candidate's ranks with torchrun, serve samples to them, and kill one of them.

The samples are secret and served here, so a rank can only train on what it has fetched.
"""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import remote
import run
import samples
import shapes
import torch
import vlm
from safetensors.numpy import load_file, save

ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: no other process can read this one
torch.set_num_threads(1)

RANKS = 2
SECRET = 1_000_000
LIMIT_S = 120.0
PIECES = ("remote.py", "run.py", "samples.py", "shapes.py", "vlm.py", "layout.py")


def launched(
    script: str, checkpoint: str, seed: int, steps: int, every: int, how: str, kill: list[str]
) -> dict[str, Any]:
    """Return what the ranks fetched, for each connection, and how far off their results are.

    kill: the number of a connection, and the step whose request triggers SIGKILL; empty for none.
    """
    folder = Path(tempfile.mkdtemp())
    for name in PIECES:
        (folder / name).write_bytes((Path(__file__).parent / name).read_bytes())
    (folder / "ranks.py").write_bytes(Path(script).read_bytes())
    (folder / "checkpoint.py").write_bytes(Path(checkpoint).read_bytes())
    results = folder / "results"
    results.mkdir()
    with socket.socket(socket.AF_UNIX) as listener, (folder / "output").open("wb") as output:
        address = str(folder / "samples")
        listener.bind(address)
        listener.listen()
        order = [str(results), address, str(seed), str(steps), str(every), how]
        launcher = subprocess.Popen(
            [sys.executable, *_torchrun(), str(folder / "ranks.py"), *order],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"},
            cwd=folder,
        )
        try:
            fetched = _served(listener, launcher, seed, [int(part) for part in kill])
        finally:
            launcher.kill()
            launcher.wait()
    text = (folder / "output").read_text(errors="replace")
    if "NotImplementedError" in text and not any(fetched):
        raise NotImplementedError("portable_trainer.ranks")
    return {
        "code": launcher.returncode if launcher.returncode is not None else -1,
        "fetched": fetched,
        "error": _last_error(text),
        **_compared(results, seed, steps, how),
    }


def _torchrun() -> list[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    number = ["--nproc-per-node", str(RANKS), "--max-restarts", "2", "--monitor-interval", "0.1"]
    place = ["--master-addr", "127.0.0.1", "--master-port", str(port)]
    return ["-m", "torch.distributed.run", *number, *place]


def _served(
    listener: socket.socket, launcher: subprocess.Popen[bytes], seed: int, kill: list[int]
) -> list[list[Any]]:
    """Serve until torchrun ends; return, for each connection, its requests: [step, numbers]."""
    fetched: list[list[Any]] = []
    until = time.monotonic() + LIMIT_S
    with selectors.DefaultSelector() as ready:
        ready.register(listener, selectors.EVENT_READ, None)
        while launcher.poll() is None and time.monotonic() < until:
            for key, _ in ready.select(0.1):
                if key.data is None:
                    connection, _ = listener.accept()
                    connection.settimeout(5)
                    ready.register(connection, selectors.EVENT_READ, len(fetched))
                    fetched.append([])
                    continue
                connection: Any = key.fileobj
                if not _answered(connection, fetched, key.data, seed, kill):
                    ready.unregister(connection)
                    connection.close()
    return fetched


def _answered(
    connection: socket.socket, fetched: list[list[Any]], number: int, seed: int, kill: list[int]
) -> bool:
    try:
        message, _ = remote.receive(connection)
    except (EOFError, OSError):
        return False
    step, numbers = int(message["step"]), [int(n) for n in message["numbers"]]
    if kill and [number, step] == kill:
        about = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        os.kill(struct.unpack("3i", about)[0], signal.SIGKILL)
        return False
    fetched[number].append([step, numbers])
    pictures, captions = _sample(seed, step, numbers)
    arrays = {"pictures": pictures.numpy(), "captions": captions.numpy()}
    try:
        remote.send(connection, {}, save(arrays))
    except OSError:
        return False
    return True


def _sample(seed: int, step: int, numbers: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    pictures, captions = shapes.batch([SECRET + seed + number for number in numbers])
    noise = [
        np.random.default_rng([seed, step, number]).standard_normal(pictures.shape[1:])
        for number in numbers
    ]
    return pictures + run.NOISE * torch.from_numpy(np.stack(noise).astype(np.float32)), captions


def _compared(results: Path, seed: int, steps: int, how: str) -> dict[str, Any]:
    """Return the largest error of the ranks' results against one process, and each rank's bytes.

    "off" is None if a final file is missing.
    """
    paths = [results / f"final-{rank}.safetensors" for rank in range(RANKS)]
    if not all(path.exists() for path in paths):
        return {"off": None, "bytes": []}
    parts = [load_file(path) for path in paths]
    off = 0.0
    want = _truth(seed, steps)
    for name, tensor in want.items():
        pieces = [part[name] for part in parts if name in part]
        whole = [np.concatenate(pieces)] if how == "fully_sharded" and tensor.ndim else pieces
        for array in whole or [np.zeros(0)]:
            same = array.shape == tensor.shape and bool(np.isfinite(array).all())
            off = max(off, float(np.abs(array - tensor).max()) if same else 1e9)
    sizes = [sum(array.nbytes for array in part.values()) for part in parts]
    return {"off": off, "bytes": sizes, "whole": sum(array.nbytes for array in want.values())}


def _truth(seed: int, steps: int) -> dict[str, np.ndarray]:
    model = vlm.made(seed)
    optimizer = run.optimizer_of(model)
    for step in range(steps):
        loss = model(*_sample(seed, step, samples.numbers(seed, step)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tensors = {}
    for name, parameter in model.named_parameters():
        tensors[f"model.{name}"] = parameter.numpy(force=True)
        tensors[f"velocity.{name}"] = optimizer.state[parameter]["momentum_buffer"].numpy()
    return tensors


def _last_error(text: str) -> str:
    lines = [line for line in text.splitlines() if "Error" in line and "elastic" not in line]
    return lines[-1][-200:] if lines else ""
