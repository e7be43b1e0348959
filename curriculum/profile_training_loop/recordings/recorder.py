"""Runs a loop under torch.profiler and keeps the trace without what is only about this machine."""

from __future__ import annotations

import gzip
import json
import math
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.profiler import ProfilerActivity, profile, schedule
from training_loop import Batch, Loop

WARMUP = 2
WINDOWS = 100
QUIET = 0.02
SCHEDULER = Path("/proc/thread-self/schedstat")
MACHINE = ("host_name", "traceName")
UNUSED = ("Ev Idx", "Record function id", "External id", "Sequence number", "Fwd thread id", "Addr")
"""Addresses, and numbers that link an operator with a kernel or a stack; none of it is here."""


def record(kind: type[Loop], path: Path) -> float:
    """Run a loop and write the trace of its first process.

    Of several windows of steps it is the first quiet one, or the quietest. Returns the part of the
    window in which that process could have run and had no core, because another program had it.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        multiprocessing.spawn(_process, (kind, folder), nprocs=kind.world)
        trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
        starved = float((folder / "starved").read_text(encoding="utf-8"))
    text = json.dumps(cleaned(trace), separators=(",", ":"), ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    return starved


def cleaned(trace: dict[str, Any]) -> dict[str, Any]:
    """Without names of this machine, and without numbers that link to what is not there."""
    for event in trace["traceEvents"]:
        arguments = event.get("args", {})
        for key in UNUSED:
            arguments.pop(key, None)
        if not arguments:
            event.pop("args", None)
    kept = {key: value for key, value in trace.items() if key not in MACHINE}
    if found := re.search(r'"[^"]*/[^"]*"', json.dumps(kept)):
        raise ValueError(f"this may be a path of this machine: {found[0]}")
    return kept


def _process(rank: int, kind: type[Loop], folder: Path) -> None:
    loop = kind(rank)
    batches = iter(loop.loader())
    meeting = f"file://{folder / 'meeting'}"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=kind.world)
    for _ in range(WARMUP):
        loop.step(batches)
    best = math.inf
    for _ in range(WINDOWS):
        if rank == 0:
            best = min(best, _recorded(loop, batches, folder, best))
        else:
            for _ in range(WARMUP + kind.steps):
                loop.step(batches)
        if _told(best <= QUIET):
            break
    dist.destroy_process_group()


def _recorded(loop: Loop, batches: Iterator[Batch], folder: Path, best: float) -> float:
    """Record a window of steps; it is written down when it is quieter than the best one."""
    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=0, warmup=WARMUP, active=loop.steps, repeat=1),
        profile_memory=True,
    ) as profiler:
        for _ in range(WARMUP):
            loop.step(batches)
            profiler.step()
        start, without_core = time.monotonic(), _without_core()
        for _ in range(loop.steps - 1):
            loop.step(batches)
            profiler.step()
        loop.step(batches)
        took, waited = time.monotonic() - start, _without_core() - without_core
        profiler.step()  # which takes the trace in, and longer than all steps
    if waited / took < best:
        profiler.export_chrome_trace(str(folder / "trace.json"))
        (folder / "starved").write_text(str(waited / took), encoding="utf-8")
    return waited / took


def _told(enough: bool) -> bool:
    """What the first process decides, in every process."""
    word = torch.tensor([enough])
    dist.broadcast(word, 0)
    return bool(word)


def _without_core() -> float:
    """Seconds that this thread has waited in the kernel's queue for a core; 0 without Linux."""
    try:
        return int(SCHEDULER.read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0
