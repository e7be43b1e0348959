"""Nsight Compute metrics of a candidate's kernels, from a separate sandboxed run.

They are informational. No verdict depends on them: the profiler runs in the candidate's sandbox,
and slows kernels down. Metrics: "Metrics Decoder" in NVIDIA's Nsight Compute documentation.
"""

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hotloop.core.verdict import Ruling
from hotloop.judge.gpu.card import Card, CardBusy
from hotloop.judge.gpu.length import fitting
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workers import candidate_worker
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.launcher import GIB
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.worker.cuda_tools import program

METRICS = {
    "gpu__time_duration.sum": "nanoseconds",
    "dram__bytes.sum": "dram_bytes",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "dram_percent",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "sm_percent",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy_percent",
    "launch__registers_per_thread": "registers",
    "l1tex__data_bank_conflicts_pipe_lsu.sum": "bank_conflicts",
}
"""Nsight Compute's metrics, and their names in a record."""

MOST_KERNELS = 8
END_S = 20.0
HOST_BYTES = 12 * GIB
"""Limit of host memory: besides the worker's, the profiler saves memory that it restores before it
replays a kernel."""


def profile(session: Session, workload: DeviceWorkload, card: Card) -> None:
    """Record under `nsight` the metrics of each kernel of one call, or why there are none."""
    try:
        rows, said = _figures(session, workload, card)
    except (Ruling, JudgeFault, CardBusy) as failure:
        rows, said = [], str(failure)
    session.note(nsight=rows or _why_not(said))


def _figures(
    session: Session, workload: DeviceWorkload, card: Card
) -> tuple[list[dict[str, Any]], str]:
    candidate, ncu = session.candidate, program("ncu")
    if candidate.file is None:
        return [], "only functions in a file are profiled, not those in a notebook"
    if ncu is None:
        return [], "`ncu` is not installed: it comes with CUDA's toolkit"
    free = card.driver.memory()[0]
    with candidate_worker(session, card, HOST_BYTES, under=_command(ncu)) as worker:
        side = TimedDeviceWorker(
            worker, candidate, workload, card, session.seeds, free, session.budget
        )
        side.plan([fitting(side, 0)])
        try:
            side.window([False])
        finally:
            printed = _end(worker)
    return parse(printed), printed


def _end(worker: WorkerConnection) -> str:
    """Let the worker exit by itself, since the profiler prints its results only then."""
    worker.thaw()
    worker.sock.close()
    assert worker.confined is not None
    worker.confined.wait(END_S)
    return worker.confined.output().decode(errors="replace")


def _command(ncu: Path) -> Sequence[str]:
    """Return ncu's command line; it leaves clocks alone: the judge changes nothing on a GPU."""
    return (
        *(str(ncu), "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"),
        *("--kernel-name-base", "function", "--launch-count", str(MOST_KERNELS)),
        *("--metrics", ",".join(METRICS)),
    )


def parse(printed: str) -> list[dict[str, Any]]:
    """Return the kernels in launch order: name, grid, block, and METRICS as numbers.

    A metric that the GPU does not have is left out. The row of units below the heading is skipped.
    """
    lines = printed.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    table = csv.DictReader(io.StringIO("\n".join(lines[first:])))
    return [_kernel(row) for row in table if (row.get("ID") or "").isdigit()][:MOST_KERNELS]


def _kernel(row: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kernel": row.get("Kernel Name", "")[:80],
        "grid": row.get("Grid Size", "")[:30],
        "block": row.get("Block Size", "")[:30],
    }
    for metric, name in METRICS.items():
        with suppress(ValueError, TypeError):
            found[name] = float(row[metric].replace(",", "")) if metric in row else None
    return {name: value for name, value in found.items() if value is not None}


def _why_not(output: str) -> str:
    if "ERR_NVGPUCTRPERM" in output:
        return (
            "The driver keeps performance counters for administrators: "
            "https://developer.nvidia.com/ERR_NVGPUCTRPERM says how to allow them."
        )
    words = " ".join(output.split())
    return f"Nsight Compute did not measure it: {words[-300:] or 'it printed nothing'}"
