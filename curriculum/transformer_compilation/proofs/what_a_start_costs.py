"""What a new process pays before its first answer, three ways, and when that has paid: measured."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hotloop.core import paths

sys.path += paths.beside_notebook("transformer_compilation")
cold_start: Any = importlib.import_module("cold_start")
starts: Any = importlib.import_module("starts")

PROCESSES, CALLS, CALLS_EACH = 1, 50, 10_000


def main() -> None:
    """Measure, and read the record."""
    if shutil.which("g++") is None:
        print("not measured here: g++ is missing: sudo apt-get install g++")
        return
    with tempfile.TemporaryDirectory() as folder:
        world = starts.Starts(folder)
        record = cold_start.measured(world.start, world.build, time.perf_counter, PROCESSES, CALLS)
        # In the folder of the first process.
        kept_s, _ = cold_start.one_life(world.start, time.perf_counter, "compiled", "compiled-0", 1)
        path = Path(folder) / "record.json"
        path.write_text(json.dumps({**record, "calls_each": CALLS_EACH}), encoding="utf-8")
        told = cold_start.break_even(path)
    print("time from process start to the first answer, and per call after it")
    for way, found in told.items():
        first_s, call_s = found["first_s"], found["call_s"]
        print(f"measured: {way}: {first_s:.1f} s, then {1e3 * call_s:.2f} ms per call")
    print(f"measured: compiled, with the cache of an earlier process: {kept_s:.1f} s")
    print(f"measured: the package was built in {record['ways']['package']['build_s']:.1f} s")
    for way in ("compiled", "package"):
        print(f"measured: {way}: breaks even at call {told[way]['calls'] or 'never'} of a process")
    processes = told["package"]["processes"] or "none"
    print(f"measured: processes of {CALLS_EACH} calls until the build breaks even: {processes}")
    assert told["eager"]["first_s"] < told["compiled"]["first_s"]
    assert told["package"]["first_s"] < told["compiled"]["first_s"]
    assert kept_s < told["compiled"]["first_s"]
    print("a package and a warm compile cache answer sooner than a cold compile")


if __name__ == "__main__":
    main()
