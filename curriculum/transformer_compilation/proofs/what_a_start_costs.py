"""What a new process pays before its first answer, three ways, and when that has paid: measured."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "solutions" / "transformer_compilation"))
import cold_start
import starts

PROCESSES, CALLS, CALLS_EACH = 1, 30, 10_000


def main() -> None:
    """Measure, and read the record."""
    if shutil.which("g++") is None:
        print("not measured here: g++ is missing: sudo apt-get install g++")
        return
    with tempfile.TemporaryDirectory() as folder:
        world = starts.Starts(folder)
        record = cold_start.measured(
            world.start, world.build, time.perf_counter, PROCESSES, CALLS
        )
        path = Path(folder) / "record.json"
        path.write_text(json.dumps({**record, "calls_each": CALLS_EACH}), encoding="utf-8")
        told = cold_start.break_even(path)
    print("seconds from the start of a process to its first answer, and of a call after it")
    for way, found in told.items():
        first_s, call_s = found["first_s"], found["call_s"]
        print(f"measured: {way}: {first_s:.1f} s, then {1e3 * call_s:.2f} ms a call")
    print(f"measured: the package was built in {record['ways']['package']['build_s']:.1f} s")
    for way in ("compiled", "package"):
        calls, processes = told[way]["calls"], told[way]["processes"]
        print(f"measured: {way}: pays from call {calls} of a process on, never if None")
        print(f"measured: {way}: {processes} processes of {CALLS_EACH} calls pay, none if None")
    assert told["eager"]["first_s"] < told["compiled"]["first_s"]
    assert told["package"]["first_s"] < told["compiled"]["first_s"]
    print("a package has its first answer sooner than a compiler that finds nothing kept")


if __name__ == "__main__":
    main()
