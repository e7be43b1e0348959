"""A deployment under load: what the server said before and after, and what the clients saw."""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deployments import ENSEMBLE, HERE, MODEL, STEPS
from foreign import Foreign

from hotloop.engines.serving import metrics, programs
from hotloop.engines.serving.server import TritonServer
from hotloop.sandbox.process import Confined

sys.path.append(str(MODEL))
import texts

SENTENCES = 200
WINDOW_MS = 4000
WARM_UP_S, SECONDS = 2.0, 8.0
LOAD = ["-p", str(WINDOW_MS), "-r", "3", "-s", "999"]
"""Three windows, however they agree: what a sick server does varies, and is to be seen."""

Executions = dict[str, dict[int, tuple[int, int]]]
"""By model and batch size: how many there were, and the nanoseconds that they took."""


@contextmanager
def gateway(server: TritonServer) -> Generator[int]:
    """The port of a gateway before the server."""
    command = programs.python(server, HERE / "gateway.py", str(server.ports.http))
    running = programs.start(server, command)
    try:
        yield _first_line(running)
    finally:
        running.kill()


def under_load(server: TritonServer, clients: int, port: int | None = None) -> dict[str, Any]:
    """Read twice while perf_analyzer asks; port: where its requests go, if not to the server."""
    with tempfile.TemporaryDirectory(prefix="hotloop-load-") as name:
        folder = Path(name)
        (folder / "texts.json").write_text(_sentences(), encoding="utf-8")
        arguments = ["--concurrency-range", str(clients), *LOAD]
        named = ["--input-data", str(folder / "texts.json"), "-f", str(folder / "clients.csv")]
        command = programs.perf_analyzer(server, ENSEMBLE, *arguments, "--verbose-csv", *named)
        if port is not None:
            formats = ("input-tensor-format", "output-tensor-format")
            command += ["-u", f"127.0.0.1:{port}", *(f"--{key}=json" for key in formats)]
        running = programs.start(server, command)
        try:
            read = _read_twice(server)
            status = running.wait(60)
            if status != 0:
                raise RuntimeError(running.output().decode(errors="replace"))
        finally:
            running.kill()
        rows = (folder / "clients.csv").read_text(encoding="utf-8")
    (seen,) = csv.DictReader(rows.splitlines())
    shown = f"perf_analyzer -m {ENSEMBLE} --input-data texts.json {' '.join(arguments)}"
    return {
        "load": {"clients": clients, "command": f"{shown} --verbose-csv -f clients.csv"},
        **read,
        "client_us": int(seen["Avg latency"]),
        "perf_analyzer": rows,
    }


def _read_twice(server: TritonServer) -> dict[str, Any]:
    while not _asked(server):
        time.sleep(0.05)
    time.sleep(WARM_UP_S)
    foreign = Foreign()
    executed, before, began = _executions(server), server.metrics_text(), time.monotonic()
    time.sleep(SECONDS)
    after, ended = server.metrics_text(), time.monotonic()
    gained = _gained(_executions(server), executed)
    return {
        "others": round(foreign.share(), 3),
        "seconds": round(ended - began, 3),
        "before": before,
        "after": after,
        "executions": gained,
    }


def _asked(server: TritonServer) -> bool:
    """True once the load has arrived."""
    samples = server.metrics()
    return metrics.value(samples, "nv_inference_request_success", model=ENSEMBLE) > 0


def _executions(server: TritonServer) -> Executions:
    statistics = server.statistics()["model_stats"]
    return {
        entry["name"]: {
            int(b["batch_size"]): (int(b["compute_infer"]["count"]), int(b["compute_infer"]["ns"]))
            for b in entry["batch_stats"]
        }
        for entry in statistics
        if entry["name"] in STEPS
    }


def _gained(after: Executions, before: Executions) -> dict[str, dict[str, Mapping[str, float]]]:
    """Executions in between and their mean microseconds, by model and batch size."""
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    for model in STEPS:
        sizes = found.setdefault(model, {})
        for size, (count, ns) in sorted(after[model].items()):
            count_before, ns_before = before[model].get(size, (0, 0))
            if count > count_before:
                new = count - count_before
                mean_us = round((ns - ns_before) / new / 1000, 1)
                sizes[str(size)] = {"executions": new, "infer_us": mean_us}
    return found


def _sentences() -> str:
    """perf_analyzer's input: sentences that no training has seen, in turn."""
    unseen = [text.sentence for text in texts.read() if text.held_out]
    chosen = unseen[:: max(1, len(unseen) // SENTENCES)]
    rows = [{"TEXT": {"content": [sentence], "shape": [1]}} for sentence in chosen]
    return json.dumps({"data": rows})


def _first_line(running: Confined) -> int:
    for _ in range(200):
        if b"\n" in (said := running.output()):
            return int(said.split(b"\n", 1)[0])
        time.sleep(0.05)
    raise RuntimeError("the gateway has not started")
