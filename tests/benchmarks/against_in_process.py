"""Does the judge's clock agree with ordinary in-process timing?

    python tests/benchmarks/against_in_process.py

Times the same two functions twice: inside one process with fresh inputs for every call, and by the
judge through its protocol. Prints the time and the ratio of both for windows of 40 ms and more; the
requirement is agreement within 5 % on times and 3 % on ratios. Writes
tests/benchmarks/results/against_in_process.json.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from false_grades import WORKLOAD, Pair

from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.fast import lengthen_side
from hotloop.judge.device import device_name
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.window import TimedWorker
from hotloop.sandbox.level import level as sandbox_level

HERE = Path(__file__).parent
NAMES = ("units_11", "units_10")


def _by_judge(pair: Pair, rounds: int) -> list[float]:
    """Return the median seconds per call of baseline and candidate, interleaved, by the judge."""
    with undisturbed(pair.workers, pair.threads):
        sides = [
            TimedWorker(
                worker, Candidate(n, "work.py", "destination"), WORKLOAD, pair.threads, pair.seeds
            )
            for worker, n in zip(pair.workers, NAMES, strict=True)
        ]
        for side in sides:
            lengthen_side(side, WORKLOAD, pair.seeds)
        seconds: list[list[float]] = [[], []]
        for _ in range(rounds):
            for index, side in enumerate(sides):
                window = side.window([False] * len(side.calls))
                seconds[index].append(window.seconds / len(side.calls))
        for side in sides:
            side.close()
    return [float(np.median(s)) for s in seconds]


def _in_process(pair: Pair, rounds: int) -> list[float]:
    """Return the same medians, timed where the functions run: a trusted worker times itself."""
    medians: list[float] = []
    with undisturbed(pair.workers, pair.threads):
        for worker, name in zip(pair.workers, NAMES, strict=True):
            worker.resolve("time_in_process", "in_process.py", 60)
            plan = {"calls": [{"args": [{"json": name}, {"json": rounds}], "returns": None}]}
            worker.request({"op": "plan", **plan, "framework": "torch", "style": "json"}, 10)
            reply = worker.request({"op": "run"}, 120)
            medians.append(float(reply["returned"][0]["json"]))
            worker.resolve(name, "work.py", 60)
    return medians


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "against_in_process.json")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for _ in range(options.repeats):
        pair = Pair(NAMES[0], options.threads)
        inside, judged = _in_process(pair, options.rounds), _by_judge(pair, options.rounds)
        pair.close()
        rows.append(
            {
                "time_difference": max(abs(j / i - 1) for j, i in zip(judged, inside, strict=True)),
                "ratio_difference": abs((judged[0] / judged[1]) / (inside[0] / inside[1]) - 1),
                "inside_ms": [round(1e3 * s, 4) for s in inside],
                "judged_ms": [round(1e3 * s, 4) for s in judged],
            }
        )
    document = {
        "device": device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "isolation": sandbox_level()[0],
        "threads": options.threads,
        "median_time_difference": float(np.median([r["time_difference"] for r in rows])),
        "median_ratio_difference": float(np.median([r["ratio_difference"] for r in rows])),
        "rows": rows,
    }
    options.out.write_text(json.dumps(document, indent=1) + "\n")
    if options.json:
        print(json.dumps(document))
        return
    for row in rows:
        print(
            f"time differs by {row['time_difference']:.1%}, ratio by {row['ratio_difference']:.1%}"
        )
    print(
        f"median: time {document['median_time_difference']:.1%} (asked: 5 %), "
        f"ratio {document['median_ratio_difference']:.1%} (asked: 3 %)"
    )


if __name__ == "__main__":
    main()
