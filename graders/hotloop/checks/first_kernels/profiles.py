"""Hidden kernels for the two tasks about figures: a roofline, and a table of Nsight Compute."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown

Rng = np.random.Generator

PRECISE = 1e-6
"""Relative: the answers are quotients."""

SECTIONS = {
    "kernel": "Kernel Name",
    "grid": "launch__grid_size",
    "ns": "gpu__time_duration.sum",
    "bytes": "dram__bytes.sum",
    "dram": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "passes": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
}
UNITS = {"ns": "ns", "bytes": "byte", "dram": "%", "sm": "%"}

SMS = 132


# --- the roofline ---------------------------------------------------------------------------------


def rooflines(rng: Rng) -> Iterator[Question]:
    """Kernels on either side of the ridge, on GPUs whose ridges differ."""
    for index in range(12):
        bandwidth = float(rng.choice([0.3e12, 0.9e12, 1.6e12, 3.35e12]))
        peak = float(rng.choice([8e12, 20e12, 60e12, 400e12, 900e12]))
        ridge = peak / bandwidth
        below = index % 2 == 0
        intensity = ridge * float(rng.uniform(0.01, 0.8) if below else rng.uniform(1.25, 20))
        moved = float(rng.integers(1, 1 << 33))
        limit = min(peak, intensity * bandwidth)
        flops = intensity * moved
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
            (flops, moved, seconds, peak, bandwidth),
            _roofline_mismatch(want),
        )


def _roofline_mismatch(want: dict[str, float | str]) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        told = as_message(answer)
        if told is None:
            return f"it returns {shown(answer)}, not a dict"
        if set(told) != set(want):
            return f"its keys are {shown(sorted(map(str, told)))}"
        for name, value in want.items():
            if isinstance(value, str):
                if told[name] != value:
                    return f"{name} is {shown(told[name])} and should be {shown(value)}"
                continue
            if found := number_mismatch(name, told[name], value, PRECISE):
                return found
        return None

    return mismatch


# --- the table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kernel:
    """A row of the table. needed: bytes that the kernel has to move at least."""

    name: str
    limit: str
    needed: int
    figures: dict[str, float]


def tables(rng: Rng) -> Iterator[Question]:
    """Tables with kernels of each kind, in an order of their own."""
    for _ in range(4):
        drawn = [_kernel(rng, *kind) for kind in _KINDS for _ in range(int(rng.integers(1, 3)))]
        # Their names are drawn, so this order is, too.
        kernels = sorted(drawn, key=lambda kernel: kernel.name)
        needed = {kernel.name: kernel.needed for kernel in kernels}
        yield Question(
            f"a table of {len(kernels)} kernels",
            (
                GivenFile("profile.csv", _table(kernels).encode()),
                GivenFile("needed.json", json.dumps(needed).encode()),
                SMS,
            ),
            _table_mismatch(kernels),
        )


Spans = Mapping[str, tuple[float, float]]
"""Between which numbers a figure is drawn."""

_USUAL: Spans = {
    "grid": (2000, 90000),
    "ns": (80e3, 900e3),
    "excess": (1.0, 1.15),
    "dram": (15, 45),
    "sm": (15, 45),
    "conflict": (0.0, 0.05),
}

_KINDS: Sequence[tuple[str, Spans]] = (
    ("too_few_blocks", {"grid": (1, 100)}),
    # Few blocks, and much traffic besides: what is asked first decides.
    ("too_few_blocks", {"grid": (1, 100), "excess": (3, 8), "conflict": (0.6, 0.9)}),
    ("extra_traffic", {"excess": (1.8, 8), "dram": (65, 92)}),
    ("extra_traffic", {"excess": (1.8, 8), "conflict": (0.6, 0.9)}),
    ("bank_conflicts", {"conflict": (0.4, 0.96), "sm": (20, 90)}),
    ("memory", {"dram": (68, 93)}),
    ("memory", {"dram": (80, 93), "sm": (62, 75)}),
    ("compute", {"sm": (68, 96)}),
    ("compute", {"sm": (85, 96), "dram": (62, 80)}),
    ("latency", {}),
)
"""What is remarkable about a kernel of each kind; everything else is usual."""


def _kernel(rng: Rng, limit: str, spans: Spans) -> _Kernel:
    found = {name: float(rng.uniform(*span)) for name, span in {**_USUAL, **spans}.items()}
    needed = int(rng.integers(1 << 24, 1 << 30))
    passes = int(rng.integers(100_000, 900_000))
    figures = {
        "grid": int(found["grid"]),
        "ns": round(found["ns"]),
        "bytes": round(needed * found["excess"]),
        "dram": round(found["dram"], 2),
        "sm": round(found["sm"], 2),
        "conflicts": round(passes * found["conflict"]),
        "passes": passes,
    }
    return _Kernel(f"kernel_{rng.integers(1 << 30):x}", limit, needed, figures)


def _table(kernels: list[_Kernel]) -> str:
    """As `ncu --csv --page raw` prints it: names, then units, then a row a kernel."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["ID", *SECTIONS.values()])
    writer.writerow(["", *(UNITS.get(name, "") for name in SECTIONS)])
    for number, kernel in enumerate(kernels):
        cells = {"kernel": kernel.name, **kernel.figures}
        writer.writerow([number, *(_cell(cells[name]) for name in SECTIONS)])
    return text.getvalue()


def _cell(value: float | str) -> str:
    """With commas between thousands, as the tool writes numbers."""
    return value if isinstance(value, str) else f"{value:,}"


def _table_mismatch(kernels: list[_Kernel]) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        told = as_list(answer)
        if len(told) != len(kernels):
            return f"it returns {shown(answer)}, not one word for each kernel"
        for number, (kernel, got) in enumerate(zip(kernels, told, strict=True)):
            if got != kernel.limit:
                figures = ", ".join(f"{name} {value:g}" for name, value in kernel.figures.items())
                return (
                    f"row {number} is {shown(got)} and should be {shown(kernel.limit)} "
                    f"({figures}, needed {kernel.needed})"
                )
        return None

    return mismatch
