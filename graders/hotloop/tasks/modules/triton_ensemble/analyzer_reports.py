"""Questions about reports of perf_analyzer: the setting with the highest rate within a p95 limit.

The columns are those of its CSV with --verbose-csv; the numbers are random.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.questions import Question, number_mismatch, shown

CLIENTS = "Concurrency"
RATE = "Inferences/Second"
QUEUE, P95, MEAN = "Server Queue", "p95 latency", "Avg latency"
COLUMNS = (
    CLIENTS, RATE, "Client Send", "Network+Server Send/Recv", QUEUE, "Server Compute Input",
    "Server Compute Infer", "Server Compute Output", "Client Recv", "p50 latency", "p90 latency",
    P95, "p99 latency", MEAN, "request/response", "response wait",
)  # fmt: skip
LOADS = (1, 4, 16, 32)
SETTINGS = (
    "max1_preferred_none_instances1",
    "max8_preferred_4_8_instances1",
    "max8_preferred_8_instances2",
    "max16_preferred_8_16_instances1",
    "max16_preferred_16_instances2",
)
RELATIVE = 0.01

Rng = np.random.Generator
Row = dict[str, int]


def questions(rng: Rng) -> Iterator[Question]:
    """Yield one limit that the fastest row meets, one that it misses, and one that no row meets."""
    for label in ("the fastest row is within the limit", "the fastest row is too slow", "none"):
        reports = {name: _rows(rng) for name in map(str, rng.permutation(SETTINGS))}
        rows = [row for report in reports.values() for row in report]
        fastest = max(rows, key=lambda row: row[RATE])
        limit = {
            "the fastest row is within the limit": fastest[P95] + 1,
            "the fastest row is too slow": fastest[P95] - 1,
            "none": min(row[P95] for row in rows) - 1,
        }[label]
        texts = {name: _csv(report) for name, report in reports.items()}
        right = best(reports, limit)
        yield Question(
            f"{len(reports)} reports: {label}",
            (texts, limit),
            lambda answer, right=right: _mismatch(answer, right),
        )


def best(reports: Mapping[str, list[Row]], most_p95_us: int) -> dict[str, Any] | None:
    """Return what `choose` must return; None if no row meets the limit."""
    allowed = [
        (row[RATE], name, row)
        for name, report in reports.items()
        for row in report
        if row[P95] <= most_p95_us
    ]
    if not allowed:
        return None
    rate, name, row = max(allowed, key=lambda each: each[0])
    return {
        "setting": name,
        "clients": row[CLIENTS],
        "per_second": rate,
        "queue_share": row[QUEUE] / row[MEAN],
    }


def parsed(text: str) -> list[Row]:
    """Return the rows of a report. Raises ValueError or KeyError if the text is not a report."""
    return [
        {name: int(float(row[name])) for name in (CLIENTS, RATE, QUEUE, P95, MEAN)}
        for row in csv.DictReader(io.StringIO(text))
    ]


def _mismatch(answer: object, right: Mapping[str, Any] | None) -> str | None:
    if right is None:
        return (
            None if answer is None else f"no row is within the limit, and it chose {shown(answer)}"
        )
    reported = as_message(answer)
    if reported is None:
        return f"it returned {shown(answer)}, not a dict"
    for key in ("setting", "clients"):
        if reported.get(key) != right[key]:
            return f"{key} is {shown(reported.get(key))}, expected {right[key]!r}"
    for key in ("per_second", "queue_share"):
        mismatch = number_mismatch(key, reported.get(key), right[key], RELATIVE, 1e-4)
        if mismatch is not None:
            return mismatch
    return None


def _rows(rng: Rng) -> list[Row]:
    """Return rows in random order of load, because perf_analyzer's order varies."""
    rows: list[Row] = []
    base, gain = rng.uniform(200, 600), rng.uniform(0.4, 0.9)
    for clients in map(int, rng.permutation(LOADS)):
        rate = round(base * clients**gain) + int(rng.integers(0, 40))
        mean = round(1e6 * clients / rate)
        queue = round(mean * rng.uniform(0.0, 0.6))
        parts = {"Client Send": 90, "Network+Server Send/Recv": 300, "Server Compute Input": 80}
        tail = float(rng.uniform(1.2, 3.0))
        rows.append(
            {
                **dict.fromkeys(COLUMNS, 0),
                **parts,
                CLIENTS: clients,
                RATE: rate,
                QUEUE: queue,
                "Server Compute Infer": max(1, mean - queue - sum(parts.values())),
                "p50 latency": round(0.9 * mean),
                "p90 latency": round(mean * (1 + tail) / 2),
                P95: round(mean * tail),
                "p99 latency": round(mean * tail * 1.4),
                MEAN: mean,
            }
        )
    return rows


def _csv(rows: list[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([row[name] for name in COLUMNS] for row in rows)
    return text.getvalue()
