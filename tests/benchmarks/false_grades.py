"""How often is speed judged wrongly? True ratios 10 % below and above a level, many times each.

    python tests/benchmarks/false_grades.py --repeats 100

The level is 1×; the baseline does 9 or 11 units of the work of which the candidate does 10. Runs
with 1 and 2 threads, each idle and with one busy neighbor process. Prints a table and writes
tests/benchmarks/results/false_grades.json with the samples, which the tests replay, and the
package's copy of the table. Do not use the machine while it runs.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.fast import lengthen_side
from hotloop.judge.compare import Tolerance
from hotloop.judge.device import device_name
from hotloop.judge.dtypes import FP32
from hotloop.judge.launcher import Launcher
from hotloop.judge.levels import Level, LevelState, state_of
from hotloop.judge.scheduling import spread, undisturbed
from hotloop.judge.seeds import Seeds
from hotloop.judge.speed import SpeedComparison
from hotloop.judge.verification import rows_agree
from hotloop.judge.window import TimedWorker, Workload
from hotloop.sandbox.level import level as sandbox_level
from hotloop.takehome import recorded

HERE = Path(__file__).parent
LEVEL = Level(1.0, 1.0)
SPEC = CallSpec((TensorSpec((64, 4096), FP32),), TensorSpec((64, 4096), FP32))
BUDGET_S = 30.0
JUDGINGS_A_PROCESS = 10


def _fill(rng: np.random.Generator, call: Any, hostile: bool) -> None:
    x = call.input(0)
    rng.random(out=x, dtype=np.float32)
    if hostile:
        x[:, 0] = -np.inf


WORKLOAD = Workload(
    spec=lambda _rng, _index: SPEC,
    fill=_fill,
    verify=rows_agree(np.exp, Tolerance.derived(FP32)),
)


class Pair:
    """Worker processes of a baseline, a candidate, and a second copy of the baseline."""

    def __init__(self, baseline: str, threads: int) -> None:
        launcher = Launcher(sandbox_level()[0], threads=threads)
        self.seeds, self.threads = Seeds(), threads
        self.sides: list[TimedWorker] = []
        self.workers = [launcher.start(files=HERE, trusted=True) for _ in range(3)]
        self.names = (baseline, "units_10", baseline)
        for worker, name in zip(self.workers, self.names, strict=True):
            worker.resolve(name, "work.py", 60)

    def judge(self) -> dict[str, Any]:
        started = time.monotonic()
        with undisturbed(self.workers, self.threads):
            if not self.sides:
                self._plan()
            elif self.threads > 1:
                for worker in self.workers:
                    spread(worker, self.threads)
            comparison = SpeedComparison(
                self.sides[0],
                self.sides[1],
                (LEVEL,),
                self.seeds.generator(),
                started + BUDGET_S,
                second_baseline=self._second_baseline,
            )
            result = _outcome(comparison)
        result["seconds"] = time.monotonic() - started
        result["baseline"] = _rounded(comparison.samples.baseline)
        result["candidate"] = _rounded(comparison.samples.candidate)
        result["discarded"] = [
            comparison.samples.discarded_baseline,
            comparison.samples.discarded_candidate,
        ]
        return result

    def _plan(self) -> None:
        for worker, name in zip(self.workers, self.names, strict=True):
            candidate = Candidate(name, "work.py", "destination")
            self.sides.append(TimedWorker(worker, candidate, WORKLOAD, self.threads, self.seeds))
        for side in self.sides:
            lengthen_side(side, WORKLOAD, self.seeds)

    @contextmanager
    def _second_baseline(self) -> Generator[TimedWorker]:
        yield self.sides[2]

    def close(self) -> None:
        for worker in self.workers:
            worker.close()


def _outcome(comparison: SpeedComparison) -> dict[str, Any]:
    try:
        outcome = comparison.run()
    except Ruling as ruling:
        return {"standing": ruling.verdict.value}
    return {
        "standing": _grade(state_of(LEVEL, outcome.figure), outcome.samples.quiet),
        "quiet": outcome.samples.quiet,
        "ratio": outcome.figure.ratio,
    }


def _grade(where: LevelState, quiet: bool) -> str:
    """Return the grade as the check does: OPEN counts as missed on a quiet machine."""
    if where is not LevelState.OPEN:
        return where.value
    return LevelState.MISSED.value if quiet else "undecided"


def _rounded(blocks: list[list[float]]) -> list[list[float]]:
    """Return milliseconds with five digits: enough to replay, small enough to store."""
    return [[float(f"{1e3 * s:.5g}") for s in block] for block in blocks]


@contextmanager
def neighbor(busy: bool):
    """Run a process with an endless loop if `busy`."""
    if not busy:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def cell(baseline: str, threads: int, busy: bool, repeats: int) -> dict[str, Any]:
    """Run all judgings of one true ratio under one load."""
    judgings: list[dict[str, Any]] = []
    pair: Pair | None = None
    with neighbor(busy):
        for index in range(repeats):
            if index % JUDGINGS_A_PROCESS == 0:
                if pair is not None:
                    pair.close()
                pair = Pair(baseline, threads)
            assert pair is not None
            judgings.append(pair.judge())
            print(
                f"\r{index + 1}/{repeats} {judgings[-1]['standing']:<10}", end="", file=sys.stderr
            )
        if pair is not None:
            pair.close()
    print(file=sys.stderr)
    wanted = LevelState.REACHED if baseline == "units_11" else LevelState.MISSED
    return {
        "baseline": baseline,
        "true_ratio": 1.1 if baseline == "units_11" else 0.9,
        "threads": threads,
        "busy_neighbor": busy,
        "wanted": wanted.value,
        "judgings": judgings,
    }


def summary(result: dict[str, Any]) -> dict[str, Any]:
    """Return one row of the table."""
    counted = Counter(j["standing"] for j in result["judgings"])
    right = counted.pop(result["wanted"], 0)
    wrong = counted.pop("reached", 0) + counted.pop("missed", 0)
    seconds = [j["seconds"] for j in result["judgings"]]
    return {
        "true_ratio": result["true_ratio"],
        "threads": result["threads"],
        "busy_neighbor": result["busy_neighbor"],
        "judgings": len(seconds),
        "right": right,
        "wrong": wrong,
        "undecided": sum(counted.values()),
        "median_s": round(float(np.median(seconds)), 1),
        "longest_s": round(max(seconds), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--busy", type=int, nargs="*", default=[0, 1], help="0 idle, 1 neighbor")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "false_grades.json")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = [
        cell(baseline, threads, busy, options.repeats)
        for busy in map(bool, options.busy)
        for threads in options.threads
        for baseline in ("units_9", "units_11")
    ]
    rows = [summary(result) for result in results]
    document = {
        "device": device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "isolation": sandbox_level()[0],
        "rows": rows,
        "results": results,
    }
    options.out.write_text(json.dumps(document, separators=(",", ":")) + "\n")
    # Take-home reports quote this summary; the samples are not in the package.
    stated = {key: value for key, value in document.items() if key != "results"}
    (recorded.FOLDER / "false_grades.json").write_text(json.dumps(stated, indent=1) + "\n")
    if options.json:
        print(json.dumps(rows))
        return
    print(" | ".join(rows[0]))
    for row in rows:
        print(" | ".join(map(str, row.values())))


if __name__ == "__main__":
    main()
