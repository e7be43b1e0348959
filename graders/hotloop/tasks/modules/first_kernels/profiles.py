"""Hidden kernels for the roofline task and the Nsight Compute table task."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hotloop.core.wire import as_list
from hotloop.judge.questions import GivenFile, Question, figures_mismatch, shown
from hotloop.judge.seeds import Rng

PRECISE = 1e-6
"""Relative tolerance; the answers are quotients."""

METRICS = {
    "grid": "launch__grid_size",
    "ns": "gpu__time_duration.sum",
    "bytes": "dram__bytes.sum",
    "dram": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "passes": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
}
UNITS = {
    "gpu__time_duration.sum": "ns",
    "dram__bytes.sum": "byte",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "%",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "%",
}

OTHERS = (
    "dram__bytes_read.sum",
    "gpc__cycles_elapsed.max",
    "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "launch__block_size",
)
"""Metrics that no answer needs. A table has some of them, so that no column has a fixed place."""

SMS = (80, 108, 114, 132, 144)
"""Numbers of SMs of NVIDIA GPUs."""


# --- the roofline ---------------------------------------------------------------------------------


def rooflines(rng: Rng) -> Iterator[Question]:
    """Yield kernels on either side of the ridge, on GPUs with different ridges."""
    for index in range(12):
        bandwidth = float(rng.choice([0.3e12, 0.9e12, 1.6e12, 3.35e12]))
        peak = float(rng.choice([8e12, 20e12, 60e12, 400e12, 900e12]))
        ridge = peak / bandwidth
        below = index % 2 == 0
        intensity = ridge * float(rng.uniform(0.01, 0.8) if below else rng.uniform(1.25, 20))
        traffic = float(rng.integers(1, 1 << 33))
        limit = min(peak, intensity * bandwidth)
        flops = intensity * traffic
        seconds = flops / limit / float(rng.uniform(0.1, 0.95))
        want = {
            "intensity": intensity,
            "ridge": ridge,
            "attainable": limit,
            "share": flops / seconds / limit,
            "bound": "memory" if below else "compute",
        }
        yield Question(
            f"a kernel {'below' if below else 'above'} the ridge",
            (flops, traffic, seconds, peak, bandwidth),
            partial(figures_mismatch, want, PRECISE),
        )


# --- the table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kernel:
    """A row of the table. needed: the minimum bytes that the kernel must move."""

    name: str
    limit: str
    needed: int
    figures: dict[str, float]


def tables(rng: Rng) -> Iterator[Question]:
    """Yield tables with kernels of each kind, in random order."""
    for _ in range(4):
        sms = int(rng.choice(SMS))
        kinds = _kinds(sms)
        sampled = [_kernel(rng, *kind) for kind in kinds for _ in range(int(rng.integers(1, 3)))]
        # The names are random, so this order is, too.
        kernels = sorted(sampled, key=lambda kernel: kernel.name)
        needed = {kernel.name: kernel.needed for kernel in kernels}
        yield Question(
            f"a table of {len(kernels)} kernels on {sms} SMs",
            (
                GivenFile("profile.csv", _table(rng, kernels).encode()),
                GivenFile("needed.json", json.dumps(needed).encode()),
                sms,
            ),
            partial(_table_mismatch, kernels),
        )


Spans = Mapping[str, tuple[float, float]]
"""The range in which each figure is sampled."""

_USUAL: Spans = {
    "grid": (2000, 90000),
    "ns": (80e3, 900e3),
    "excess": (1.0, 1.15),
    "dram": (15, 45),
    "sm": (15, 45),
    "conflict": (0.0, 0.05),
    "passes": (100_000, 900_000),
}


def _kinds(sms: int) -> Sequence[tuple[str, Spans]]:
    """Return the limit and the unusual figures of each kind of kernel.

    Each threshold has a kernel slightly below it and one at or slightly above it.
    """
    return (
        ("too_few_blocks", {"grid": (1, sms)}),
        ("too_few_blocks", {"grid": (sms - 1, sms)}),
        # Few blocks and extra traffic: the first rule that applies decides.
        ("too_few_blocks", {"grid": (1, sms), "excess": (3, 8), "conflict": (0.6, 0.9)}),
        ("latency", {"grid": (sms, sms)}),
        ("extra_traffic", {"excess": (1.8, 8), "dram": (65, 92)}),
        ("extra_traffic", {"excess": (1.8, 8), "conflict": (0.6, 0.9)}),
        ("extra_traffic", {"excess": (1.51, 1.55)}),
        ("latency", {"excess": (1.45, 1.49)}),
        ("bank_conflicts", {"conflict": (0.4, 0.96), "sm": (20, 90)}),
        ("bank_conflicts", {"conflict": (0.252, 0.26), "dram": (65, 92)}),
        ("latency", {"conflict": (0.24, 0.248)}),
        # A kernel without shared memory has no passes over the banks.
        ("memory", {"dram": (68, 93), "passes": (0, 0)}),
        ("memory", {"dram": (80, 93), "sm": (62, 75)}),
        ("memory", {"dram": (60, 61)}),
        ("compute", {"sm": (68, 96)}),
        ("compute", {"sm": (85, 96), "dram": (62, 80)}),
        ("compute", {"sm": (60, 60)}),
        ("latency", {"dram": (59, 59.9), "sm": (58, 59.9)}),
        ("latency", {}),
    )


def _kernel(rng: Rng, limit: str, spans: Spans) -> _Kernel:
    sampled = {name: float(rng.uniform(*span)) for name, span in {**_USUAL, **spans}.items()}
    needed = int(rng.integers(1 << 24, 1 << 30))
    passes = int(sampled["passes"])
    figures = {
        "grid": int(sampled["grid"]),
        "ns": round(sampled["ns"]),
        "bytes": round(needed * sampled["excess"]),
        "dram": round(sampled["dram"], 2),
        "sm": round(sampled["sm"], 2),
        "conflicts": round(passes * sampled["conflict"]),
        "passes": passes,
    }
    return _Kernel(f"kernel_{rng.integers(1 << 30):x}", limit, needed, figures)


def _table(rng: Rng, kernels: list[_Kernel]) -> str:
    """Format like `ncu --csv --page raw --print-units base`: names, units, one row per kernel."""
    others = [name for name in OTHERS if rng.random() < 0.5]
    rows = [
        {METRICS[key]: value for key, value in kernel.figures.items()}
        | {name: int(rng.integers(1, 1 << 30)) for name in others}
        for kernel in kernels
    ]
    metrics = sorted(rows[0])
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["ID", "Kernel Name", *metrics])
    writer.writerow(["", "", *(UNITS.get(name, "") for name in metrics)])
    for number, (kernel, row) in enumerate(zip(kernels, rows, strict=True)):
        writer.writerow([number, kernel.name, *(f"{row[name]:,}" for name in metrics)])
    return text.getvalue()


def _table_mismatch(kernels: list[_Kernel], answer: object) -> str | None:
    reported = as_list(answer)
    if len(reported) != len(kernels):
        return f"it returns {shown(answer)}, not one word for each kernel"
    for number, (kernel, got) in enumerate(zip(kernels, reported, strict=True)):
        if got != kernel.limit:
            figures = ", ".join(f"{name} {value:,}" for name, value in kernel.figures.items())
            return (
                f"row {number} is {shown(got)}, expected {shown(kernel.limit)} "
                f"({figures}, needed {kernel.needed:,})"
            )
    return None
