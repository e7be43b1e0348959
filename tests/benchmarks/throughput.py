"""How many times the throughput of stock nbgrader: `python tests/benchmarks/throughput.py`.

The same files, byte for byte, are graded by `nbgrader autograde`, and by Hotloop with two gradings
at once in the full sandbox. The two alternate; every round is a whole class in fresh courses, and
starts with a new process. In the stock course the graded cells hold assertions over as many fresh
arrays as the judge uses; the points that each learner must get are compared on both sides.

`nbgrader autograde` writes no feedback, so Hotloop writes none either. With `--feedback` both do:
stock nbgrader by `nbgrader generate_feedback`, whose time is added to its own.

Memory is the peak of everything below the grader, divided by the gradings at once: grading process,
judge, sandbox and the notebook's kernel, with shared pages counted in parts. The notebooks use
almost no memory, so all of it counts as Hotloop's.

`--profile` grades one class once instead, and prints a profile of the process that enters the
results.
"""

import argparse
import json
import math
import os
import pstats
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from array_warmup import lab
from staged.clone import Clone, hand_in, make
from staged.processes import Watch

from hotloop.judge.device import device_name

ASKED_RATIO = 8.0
ASKED_MEMORY = 300e6
"""Required memory per grading, in bytes."""
RESULTS = Path(__file__).parent / "results"
LARGEST = 60
# Student's t: 97.5 % points by degrees of freedom.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass(frozen=True)
class Round:
    """Seconds for a whole class with both graders, and Hotloop's memory and CPU use.

    stock_cpu_s: CPU seconds of nbgrader and its kernels, which depend less on what else the machine
    does than seconds. cpu: those of Hotloop by role, sampled.
    """

    stock_s: float
    ours_s: float
    stock_cpu_s: float
    memory: Mapping[str, int]
    cpu: Mapping[str, float]


def main() -> None:
    """Measure and print; exit code 1 if a requirement is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="submissions in the class")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--feedback", action="store_true", help="have both write pages too")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotloop-throughput-") as folder:
        bench = Bench(
            make(Path(folder) / "clone"),
            Path(folder),
            arguments.count,
            arguments.jobs,
            feedback=arguments.feedback,
        )
        if arguments.profile:
            print(bench.profile())
            return
        rounds = [bench.round(number) for number in range(arguments.rounds)]
    result = document(rounds, arguments.count, arguments.jobs, feedback=arguments.feedback)
    if arguments.keep:
        name = "throughput_with_feedback.json" if arguments.feedback else "throughput.json"
        (RESULTS / name).write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1) if arguments.json else table(result))
    sys.exit(not (result["fast_enough"] and result["small_enough"]))


class Bench:
    """Two courses to copy from, and the runs over the copies."""

    def __init__(
        self, clone: Clone, folder: Path, count: int, jobs: int, *, feedback: bool
    ) -> None:
        self.clone, self.folder, self.jobs, self.feedback = clone, folder, jobs, feedback
        self.students = [f"learner_{number:04}" for number in range(count)]
        for kind, action in (("ours", "prepare"), ("stock", "stock")):
            clone.run(action, str(folder / kind))
            self.given = hand_in(folder / kind, self.students)

    def round(self, number: int) -> Round:
        """Run both graders once; which one is first alternates from round to round."""
        sides = [self.stock, self.ours]
        done = {side.__name__: side() for side in (sides if number % 2 == 0 else sides[::-1])}
        (stock, stock_cpu), (ours, memory, cpu) = done["stock"], done["ours"]
        say(f"round {number + 1}: stock {stock:.1f} s, ours {ours:.1f} s")
        return Round(stock, ours, stock_cpu, memory, cpu)

    def stock(self) -> Any:
        """Return the seconds of `nbgrader autograde` and its feedback, and its CPU seconds."""
        course = self._copy("stock")
        self._settle(course / "nbgrader_config.py", self.folder / "stock", course)
        began, before = time.monotonic(), _children_cpu_s()
        self._nbgrader("autograde", course)
        if self.feedback:
            self._nbgrader("generate_feedback", course)
        seconds = time.monotonic() - began
        used = _children_cpu_s() - before
        self._compare("stock nbgrader", stock_points(course))
        shutil.rmtree(course)
        return seconds, used

    def _nbgrader(self, command: str, course: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", command, lab.MODULE],
            cwd=course,
            env=self.clone.environment(),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"stock nbgrader failed:\n{done.stderr.decode()[-3000:]}")

    def ours(self) -> Any:
        """Return the seconds of `hotloop.course.grade.grade` over the class, its memory and CPU."""
        course = self._copy("ours")
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        began = time.monotonic()
        started = self.clone.start(*self._grading(course), log=log)
        with Watch(started.process.pid) as watch:
            started.process.wait()
        seconds = time.monotonic() - began
        answer = started.document()
        if answer["isolation"] == "none":
            raise SystemExit("there is no sandbox on this machine: nothing to compare")
        points: dict[str, dict[str, float]] = {}
        for result in answer["results"]:
            points.setdefault(result["student"], {})[result["task"]] = result["points"]
        self._compare("Hotloop", points)
        shutil.rmtree(course)
        return seconds, watch.peak, watch.cpu()

    def profile(self) -> str:
        """Profile the process that enters the results."""
        course, target = self._copy("ours"), self.folder / "profile"
        log = self.folder / "profile.log"
        arguments = ("--profile", str(target))
        started = self.clone.start(*self._grading(course), *arguments, log=log)
        with Watch(started.process.pid, 0.1) as watch:
            started.document()
        cpu = {name: round(seconds, 1) for name, seconds in sorted(watch.cpu().items())}
        with (self.folder / "profile.txt").open("w") as stream:
            for order in ("cumulative", "tottime"):
                pstats.Stats(str(target), stream=stream).sort_stats(order).print_stats(LARGEST)
        text = (self.folder / "profile.txt").read_text()
        return f"Processor seconds of {len(self.students)} submissions by role: {cpu}\n{text}"

    def _grading(self, course: Path) -> list[str]:
        jobs = ["grade", str(course), "--jobs", str(self.jobs)]
        return jobs if self.feedback else [*jobs, "--no-feedback"]

    def _copy(self, kind: str) -> Path:
        target = self.folder / f"{kind}-graded"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.folder / kind, target)
        return target

    @staticmethod
    def _settle(config: Path, old: Path, new: Path) -> None:
        config.write_text(config.read_text().replace(str(old), str(new)))

    def _compare(self, who: str, points: Mapping[str, Mapping[str, float]]) -> None:
        wrong = {s: p for s, p in points.items() if p != dict(self.given[s].points)}
        if wrong or points.keys() != self.given.keys():
            missing = sorted(self.given.keys() - points.keys())
            raise SystemExit(f"{who} gave other points: {wrong}; none to {missing}")


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stock_points(course: Path) -> dict[str, dict[str, float]]:
    """Return the points in stock nbgrader's own gradebook, by learner and task."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        return {
            submission.student.id: {
                grade.name: float(grade.auto_score)
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in gradebook.assignment_submissions(lab.MODULE)
        }


def document(rounds: Sequence[Round], count: int, jobs: int, *, feedback: bool) -> dict[str, Any]:
    """Return the recorded document. The interval is Student's, of the logarithms of the ratios."""
    logs = [math.log(one.stock_s / one.ours_s) for one in rounds]
    middle = statistics.mean(logs)
    half = 0.0
    if len(logs) > 1:
        t = _T[min(len(logs) - 1, len(_T)) - 1]
        half = t * statistics.stdev(logs) / math.sqrt(len(logs))
    ratio, low, high = (math.exp(value) for value in (middle, middle - half, middle + half))
    peak = {name: max(r.memory.get(name, 0) for r in rounds) for name in rounds[0].memory}
    a_grading = peak["gradings"] / jobs
    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "submissions": count,
        "feedback": feedback,
        "gradings_at_once": jobs,
        "cores": len(os.sched_getaffinity(0)),
        "load_after": os.getloadavg()[0],
        "rounds": len(rounds),
        "ratio": ratio,
        "ratio_low": low if len(rounds) > 1 else None,
        "ratio_high": high if len(rounds) > 1 else None,
        "asked_ratio": ASKED_RATIO,
        "fast_enough": (low if len(rounds) > 1 else ratio) >= ASKED_RATIO,
        "memory_mb_a_grading": a_grading / 1e6,
        "asked_memory_mb": ASKED_MEMORY / 1e6,
        "small_enough": a_grading <= ASKED_MEMORY,
        "rows": [
            {
                "round": number,
                "stock_s": one.stock_s,
                "ours_s": one.ours_s,
                "ratio": one.stock_s / one.ours_s,
                "stock_s_a_submission": one.stock_s / count,
                "ours_s_a_submission": one.ours_s / count,
                "stock_cpu_s_a_submission": one.stock_cpu_s / count,
                "ours_cpu_s_a_submission": sum(one.cpu.values()) / count,
            }
            for number, one in enumerate(rounds, start=1)
        ],
        "peak_mb_by_role": {name: size / 1e6 for name, size in sorted(peak.items())},
        "cpu_s_by_role": [dict(sorted(one.cpu.items())) for one in rounds],
    }


def table(result: Mapping[str, Any]) -> str:
    """Format the result as text."""
    lines = [f"{'round':>5}{'stock s':>10}{'ours s':>10}{'ratio':>8}{'CPU ms each':>20}"]
    lines += [
        f"{row['round']:5}{row['stock_s']:10.1f}{row['ours_s']:10.1f}{row['ratio']:8.2f}"
        f"{1000 * row['stock_cpu_s_a_submission']:13.0f}"
        f"{1000 * row['ours_cpu_s_a_submission']:7.0f}"
        for row in result["rows"]
    ]
    interval = ""
    if result["ratio_low"] is not None:
        interval = f" ({result['ratio_low']:.2f} to {result['ratio_high']:.2f})"
    lines += [
        f"{result['ratio']:.2f} times the throughput{interval}; asked: {ASKED_RATIO:g}",
    ]
    memory = f"{result['memory_mb_a_grading']:.0f} MB a running grading"
    lines.append(f"{memory}; asked: at most {ASKED_MEMORY / 1e6:.0f}")
    roles = result["peak_mb_by_role"].items()
    lines.append("most at once, MB: " + ", ".join(f"{name} {size:.0f}" for name, size in roles))
    cpu = result["cpu_s_by_role"][-1].items()
    lines.append("processor s: " + ", ".join(f"{name} {seconds:.1f}" for name, seconds in cpu))
    return "\n".join(lines)


def say(text: str) -> None:
    """Print progress to standard error."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
