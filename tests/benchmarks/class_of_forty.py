"""How long a class's fused_softmax takes to grade: `python tests/benchmarks/class_of_forty.py`.

`hotloop course grade` grades 40 submissions in the sandbox, all tasks of each, and writes the
learners' pages. Half are the reference solution; the others make one of the module's mistakes each,
and one in ten is the unchanged exercise. Memory is the peak of all processes of the command
together, with shared pages counted in parts.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

from staged.processes import Watch

from hotloop.core.record import JUDGING_SECONDS
from hotloop.course.attempts.store import store
from hotloop.course.prepare import prepare
from hotloop.judge.device import device_name
from hotloop.judge.files import lay_out
from hotloop.tasks import render
from hotloop.tasks.local_judging import default_jobs

MODULE = "fused_softmax"
RESULT = Path(__file__).parent / "results" / "class_of_forty.json"
UNCHANGED_EVERY = 10
RIGHT_MAY_BE = {"passed", "partial", "not_measured", "undecided", "by hand"}
"""Verdicts of the reference solution: without a GPU some checks stay open, speed earns levels."""


def main() -> None:
    """Measure and print; exit code 1 if a verdict cannot be right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=default_jobs())
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotloop-forty-") as folder:
        root = Path(folder) / "course"
        prepare(root, [MODULE])
        kinds = hand_in(root, arguments.count)
        result = grade(root, kinds, arguments.jobs)
    if arguments.keep:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))
    sys.exit(bool(result["impossible"]))


def hand_in(root: Path, count: int) -> dict[str, str]:
    """Put `count` submissions into the course; return the kind of each, by learner."""
    wrong = cycle(render.wrong_answers(MODULE))
    kinds: dict[str, str] = {}
    for number in range(count):
        student = f"learner_{number:02}"
        if number % 2 == 0:
            kinds[student], files = "right", render.submission(MODULE)
        elif number % UNCHANGED_EVERY == UNCHANGED_EVERY - 1:
            kinds[student], files = "unchanged", render.untouched(MODULE)
        else:
            mistake = next(wrong)
            kinds[student], files = mistake.name, render.submission(MODULE, mistake.path)
        folder = root / "submitted" / student / MODULE
        folder.mkdir(parents=True)
        lay_out(files, folder)
    return kinds


def grade(root: Path, kinds: Mapping[str, str], jobs: int) -> dict[str, Any]:
    """Grade the course with the command; return the document."""
    command = ["-m", "hotloop.cli", "course", "grade", "--course", str(root)]
    began = time.monotonic()
    with (root / "answer").open("wb") as answer:
        process = subprocess.Popen(
            [sys.executable, *command, "--jobs", str(jobs), "--json"], stdout=answer
        )
        with Watch(process.pid, every_s=2.0) as watch:  # reading memory more often slows them
            process.wait()
    seconds = time.monotonic() - began
    document = json.loads((root / "answer").read_text())
    results: list[dict[str, Any]] = document["results"]
    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "cores": len(os.sched_getaffinity(0)),
        "load_after": os.getloadavg()[0],
        "module": MODULE,
        "submissions": len(kinds),
        "gradings_at_once": jobs,
        "minutes": seconds / 60,
        "peak_mb": {name: size / 1e6 for name, size in sorted(watch.peak.items())},
        "cpu_s": dict(sorted(watch.cpu().items())),
        "speed_checks_s": speed_checks(root, kinds),
        "verdicts": dict(sorted(Counter(each["verdict"] for each in results).items())),
        "problems": document["problems"],
        "impossible": impossible(results, kinds) + sorted(document["problems"]),
    }


def speed_checks(root: Path, kinds: Mapping[str, str]) -> dict[str, float]:
    """Return how many checks were measured, and how long they took, in seconds."""
    attempts = [store(root).published(student, MODULE) for student in kinds]
    seconds = [
        float(check.evidence[JUDGING_SECONDS])
        for attempt in attempts
        if attempt is not None
        for record in attempt.records.values()
        for check in record.checks
        if "windows" in check.evidence
    ]
    if not seconds:
        return {"checks": 0}
    return {"checks": len(seconds), "median": statistics.median(seconds), "longest": max(seconds)}


def impossible(results: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> list[str]:
    """Return what cannot be: a right answer that lost, points for nothing, nobody's result."""
    found = [
        f"{each['student']} ({kinds[each['student']]}) {each['task']}: {each['verdict']}"
        for each in results
        if (kinds[each["student"]] == "right" and each["verdict"] not in RIGHT_MAY_BE)
        or (kinds[each["student"]] == "unchanged" and each["points"] > 0)
    ]
    missing = kinds.keys() - {each["student"] for each in results}
    return found + [f"{student}: no result" for student in sorted(missing)]


if __name__ == "__main__":
    main()
