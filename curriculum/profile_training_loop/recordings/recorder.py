"""Runs a loop under torch.profiler and keeps the trace without what is only about this machine."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.profiler import ProfilerActivity, profile, schedule
from training_loop import Loop

WAIT, WARMUP = 2, 1
MACHINE = ("host_name", "traceName")
UNUSED = ("Ev Idx", "Record function id", "External id", "Sequence number", "Fwd thread id", "Addr")
"""Numbers that link a CPU operator with a kernel or with its stack; neither is in these traces."""


def record(kind: type[Loop], path: Path) -> None:
    """Run a loop and write the trace of its first process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        multiprocessing.spawn(_process, (kind, folder), nprocs=kind.world)
        trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    text = json.dumps(cleaned(trace), separators=(",", ":"), ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def cleaned(trace: dict[str, Any]) -> dict[str, Any]:
    """Without names of this machine, and without numbers that link to what is not there."""
    for event in trace["traceEvents"]:
        arguments = event.get("args", {})
        for key in UNUSED:
            arguments.pop(key, None)
        if not arguments:
            event.pop("args", None)
    kept = {key: value for key, value in trace.items() if key not in MACHINE}
    if found := re.search(r'"(?:file:/)?/[^"]+/[^"]*"', json.dumps(kept)):
        raise ValueError(f"a path of this machine is in the trace: {found[0]}")
    return kept


def _process(rank: int, kind: type[Loop], folder: Path) -> None:
    loop = kind(rank)
    batches = iter(loop.loader())
    meeting = f"file://{folder / 'meeting'}"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=kind.world)
    with _profiler(kind, folder) if rank == 0 else nullcontext() as profiler:
        for _ in range(WAIT + WARMUP + kind.steps):
            loop.step(batches)
            if profiler is not None:
                profiler.step()
    dist.destroy_process_group()


def _profiler(kind: type[Loop], folder: Path) -> profile:
    return profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=kind.steps, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace(str(folder / "trace.json")),
        profile_memory=True,
    )
