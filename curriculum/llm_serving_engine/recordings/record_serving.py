"""Runs Hotloop's reference engine over HTTP under open-loop load, and records what it says.

    python curriculum/llm_serving_engine/recordings/record_serving.py

writes serving.json beside this file (latencies at several rates, with one row and with sixteen) and
the readings of /metrics that learners are given (exercises/llm_serving_engine/metrics_*.prom). One
thread for the model; the load generator runs on the same machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import platform
import subprocess
import sys
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

from hotloop.core import paths

HERE = Path(__file__).resolve().parent
GIVEN = paths.exercises() / "llm_serving_engine"
BESIDE_THE_NOTEBOOK = paths.beside_notebook("llm_serving_engine")
sys.path += BESIDE_THE_NOTEBOOK
load: Any = importlib.import_module("load")

READINGS = {
    # letter: rows, tokens, blocks, requests a second, requests
    "a": (2, 128, 512, 45.0, 300),
    "b": (16, 64, 512, 4.0, 60),
    "c": (24, 20, 512, 45.0, 300),
    "d": (24, 256, 40, 45.0, 300),
}
RATES = (4.0, 8.0, 16.0, 24.0, 32.0, 40.0)


@contextlib.contextmanager
def server(rows: int, tokens: int, blocks: int) -> Generator[str]:
    """Its address; it ends with the context."""
    sizes = ("--rows", str(rows), "--tokens", str(tokens), "--blocks", str(blocks))
    # -P: it must import the solved server, not the one that lies beside it.
    command = [sys.executable, "-P", str(GIVEN / "http_server.py"), "--port", "0", *sizes]
    one = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(BESIDE_THE_NOTEBOOK),
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=one) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def reading(url: str) -> str:
    """What /metrics says now."""
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        return answer.read().decode()


def main() -> None:
    """Record."""
    for letter, (rows, tokens, blocks, rate, count) in READINGS.items():
        with server(rows, tokens, blocks) as url:
            asyncio.run(load.load(url, rate, 10, 1))
            before = reading(url)
            asyncio.run(load.load(url, rate, count))
            for name, text in (("before", before), ("after", reading(url))):
                path = GIVEN / f"metrics_{letter}_{name}.prom"
                path.write_text(text, encoding="utf-8")
    found: dict[str, Any] = {"about": f"{platform.machine()} CPU, one thread", "rows": {}}
    for rows in (1, 16):
        found["rows"][rows] = []
        for rate in RATES:
            with server(rows, 64, 512) as url:
                result = asyncio.run(load.load(url, rate, int(8 * rate)))
            found["rows"][rows].append({"rate": rate, **result})
            print(rows, rate, result, flush=True)
    text = json.dumps(found, indent=1)
    (HERE / "serving.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
