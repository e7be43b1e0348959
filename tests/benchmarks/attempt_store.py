"""What SQLite's two journals cost the store of attempts, and nbgrader in the same file.

A process stores and publishes attempts while another one writes grades as nbgrader does, in turns
with the delete journal (SQLite's own choice) and with a write-ahead log, and with each of them
alone. Prints one JSON document: milliseconds, the median and the longest of all rounds, and what
each of them leaves in a copy of the file that was taken as nbgrader takes its backups.

    python tests/benchmarks/attempt_store.py --rounds 3 --writes 100
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

JOURNALS = ("delete", "wal")
DOCUMENT = json.dumps({"records": [{"figure": n, "sentence": "x" * 40} for n in range(200)]})


def store(path: Path, writes: int) -> list[float]:
    """Seconds that each attempt takes to be stored and published."""
    from hotloop.course.attempts.attempt import Attempt, Kind, now
    from hotloop.course.attempts.store import Store

    kept = Store(f"sqlite:///{path}")
    kept.events(limit=1)
    took: list[float] = []
    for number in range(writes):
        seed = f"{time.time_ns()}-{number}"
        made = Attempt("ada", "m", "d", "g", "e", seed, now(), 1.0, "", "", DOCUMENT)
        start = time.perf_counter()
        kept.note(Kind.PUBLISHED, kept.add(made))
        took.append(time.perf_counter() - start)
    return took


def nbgrader(path: Path, writes: int) -> list[float]:
    """Seconds that nbgrader takes to open its gradebook and to write one row."""
    from nbgrader.api import Gradebook

    took: list[float] = []
    for number in range(writes):
        start = time.perf_counter()
        with Gradebook(f"sqlite:///{path}") as gradebook:
            gradebook.update_or_create_student("ada", first_name=str(number))
        took.append(time.perf_counter() - start)
    return took


WRITERS = {"store": store, "nbgrader": nbgrader}


def run(path: Path, writes: int, *who: str) -> dict[str, list[float]]:
    """What each of `who` took, in processes of their own at the same time."""
    command = [sys.executable, "-W", "ignore", __file__, "--database", str(path)]
    started = {
        name: subprocess.Popen(
            [*command, "--writes", str(writes), "--as", name], stdout=subprocess.PIPE
        )
        for name in who
    }
    return {name: json.loads(process.communicate()[0]) for name, process in started.items()}


def backup(path: Path) -> int:
    """Events in a copy of the one file, made while the database is open in another program."""
    with sqlite3.connect(path) as reader:
        reader.execute("SELECT count(*) FROM hotloop_events").fetchone()
        store(path, 5)
        copied = path.with_suffix(".copy")
        shutil.copy(path, copied)
        (there,) = reader.execute("SELECT count(*) FROM hotloop_events").fetchone()
    reader.close()
    with sqlite3.connect(copied) as copy:
        (found,) = copy.execute("SELECT count(*) FROM hotloop_events").fetchone()
    copy.close()
    return there - found


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--writes", type=int, default=100)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--as", dest="who", choices=WRITERS)
    asked = parser.parse_args()
    if asked.who:
        print(json.dumps(WRITERS[asked.who](asked.database, asked.writes)))
        return
    found: dict[str, list[float]] = defaultdict(list)
    lost: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for journal in JOURNALS:
            path = Path(folder) / f"{journal}.db"
            store(path, 1)
            with sqlite3.connect(path) as connection:
                connection.execute(f"PRAGMA journal_mode = {journal}")
        for _ in range(asked.rounds):
            for journal in JOURNALS:
                path = Path(folder) / f"{journal}.db"
                for who in (("store",), ("nbgrader",), ("store", "nbgrader")):
                    for name, took in run(path, asked.writes, *who).items():
                        found[f"{journal}: {name} {'alone' if len(who) == 1 else 'beside'}"] += took
        for journal in JOURNALS:
            lost[journal] = backup(Path(folder) / f"{journal}.db")
    milliseconds = {
        name: {
            "median": round(1000 * statistics.median(took), 2),
            "longest": round(1000 * max(took), 1),
        }
        for name, took in found.items()
    }
    print(json.dumps({"milliseconds": milliseconds, "events_missing_in_copy": lost}, indent=1))


if __name__ == "__main__":
    main()
