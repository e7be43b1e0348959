"""Does each public set's own code pass as a submission, on a CPU at reduced sizes?

    python tests/benchmarks/public_references.py robust_kbench CLONE/tasks
    python tests/benchmarks/public_references.py kernelbench_hard CLONE/…/problems-h100
    python tests/benchmarks/public_references.py sol_execbench CLONE/examples
    python tests/benchmarks/public_references.py sol_solutions CLONE/examples --solutions
    python tests/benchmarks/public_references.py kernelbench_level2 CLONE/KernelBench/level2

CLONE is your own clone; nothing of it is copied into the repository. Each problem's own code is
judged as a submission: it must pass, or the verdict is `not_measured` with a reason that names the
problem's fault. Time and memory of each judging are recorded. Interrupted, the same command goes on
with what tests/benchmarks/results/public_references.json lacks; --again KIND judges those again.
With --solutions, the solutions that lie beside each definition are judged instead.
"""

import argparse
import fcntl
import json
import os
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from hotloop.author.external import forms, judging, suite
from hotloop.core.user_error import UserError
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name

HERE = Path(__file__).parent
RESULT = HERE / "results" / "public_references.json"
BACKWARD = HERE / "public_answers" / "robust_kbench"
"""Backward functions of our own: the set has none in PyTorch."""

OPTIONAL = ("einops", "transformers")
"""Packages that problems ask for, and that Hotloop does not install."""

POLL_S = 0.1

KINDS = {
    "package": r"needs the package",
    "weights": r"Hugging Face hub",
    "float8": r"[Ff]loat8|float4|e4m3|e5m2",
    "reads values": r"\.item\(\)|meta tensors",
    "memory": r"memory|MiB",
    "time": r"too long|timeout",
    "random": r"differ from call to call",
    "state": r"keeps state",
    "roundings": r"too far from float64|not finite",
    "constant": r"same for all inputs|only one call|can tell nothing|no call",
    "its own check": r"its own check",
    "GPU": r"needs a GPU",
    "inputs in files": r"lie in files",
    "no Python": r"in Python",
    "its arguments": r"its arguments cannot",
    "raises": r"it raises",
}
"""Kinds of reasons, by what the sentence says."""


@dataclass(frozen=True)
class Reference:
    """A problem's own code as a submission. peak_mib: largest resident memory of one process."""

    problem: str
    verdict: str
    sentence: str
    sizes: str
    seconds: float
    peak_mib: int

    @property
    def kind(self) -> str:
        """Whether it is right, or why it was not measured."""
        if self.verdict == "passed":
            return "right"
        if self.verdict not in ("not_measured", "refused"):
            return self.verdict
        found = (kind for kind, text in KINDS.items() if re.search(text, self.sentence))
        return next(found, "other")


class Peak:
    """Watches the memory of a process and of its descendants, while it is open."""

    def __init__(self) -> None:
        self.most_kib = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(POLL_S):
            self.most_kib = max(self.most_kib, *map(_resident, _descendants(os.getpid())), 0)


def _descendants(root: int) -> list[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found, grown = {root}, True
    while grown:
        more = {each for each, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return sorted(found - {root})


def _resident(process: int) -> int:
    try:
        told = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", told)
    return int(found[1]) if found else 0


def submission(problem: forms.External) -> str:
    """Return the problem's own code in the form of a submission to it."""
    if problem.form == "robust_kbench" and problem.title.endswith("_backward"):
        return (BACKWARD / f"{problem.title.removesuffix('_backward')}.py").read_text()
    return forms.own_code(problem)


def judged(problem: forms.External, process: JudgeProcess, file: Path, name: str) -> Reference:
    """Judge a submission. name: of the row."""
    begin = time.monotonic()
    with Peak() as peak:
        try:
            record = judging.judge(judging.ExternalJob.of(problem, file), process=process)
        except UserError as error:
            # Without the path of this machine.
            said = re.sub(r"(?<!\S)/\S*/", "", str(error))
            return Reference(name, "refused", said, "", 0.0, 0)
    right = suite.correctness(record)
    return Reference(
        name,
        right.verdict.value,
        right.sentence,
        str(right.evidence.get("sizes", "")),
        round(time.monotonic() - begin, 1),
        peak.most_kib >> 10,
    )


def submissions(
    problem: forms.External, folder: Path, *, solutions: bool
) -> Iterator[tuple[str, Path]]:
    """Yield name and file of what is judged."""
    if solutions:
        for file in sorted(problem.path.parent.glob("solution*.json")):
            yield f"{problem.title}: {file.stem}", file
        return
    file = folder / "submission.py"
    file.write_text(submission(problem), encoding="utf-8")
    yield problem.title, file


def summary(rows: list[Reference]) -> dict[str, Any]:
    """Return counts by kind, and time and memory of the largest."""
    if not rows:
        return {}
    slowest, largest = max(rows, key=lambda r: r.seconds), max(rows, key=lambda r: r.peak_mib)
    return {
        "problems": len(rows),
        **dict(Counter(row.kind for row in rows)),
        "slowest": {"problem": slowest.problem, "seconds": slowest.seconds},
        "largest": {"problem": largest.problem, "peak_mib": largest.peak_mib},
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def keep(name: str, rows: list[Reference]) -> None:
    """Write the rows of a set; several sets may be judged at once."""
    with (Path(tempfile.gettempdir()) / "public_references.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        document = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
        document |= {"device": device_name(), "date": datetime.now(UTC).date().isoformat()}
        document[name] = {
            "date": document["date"],
            "packages": {each: _version(each) for each in OPTIONAL},
            "summary": summary(rows),
            "rows": [asdict(row) for row in rows],
        }
        text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        written = RESULT.with_suffix(".new")
        written.write_text(text)
        written.replace(RESULT)


def main() -> None:
    """Judge what is not in the result yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("set", help="a name for the result, such as sol_execbench")
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="only each so many'th problem")
    parser.add_argument("--solutions", action="store_true", help="judge solutions of the set")
    parser.add_argument("--again", action="append", default=[], help="judge rows of a kind again")
    parser.add_argument("--seconds", type=float, default=280, help="stop after this time")
    arguments = parser.parse_args()
    kept = json.loads(RESULT.read_text()).get(arguments.set, {}) if RESULT.is_file() else {}
    rows = {row["problem"]: Reference(**row) for row in kept.get("rows", [])}
    rows = {name: row for name, row in rows.items() if row.kind not in arguments.again}
    every = [each for folder in arguments.folder for each in suite.problems(folder)]
    begin = time.monotonic()
    with JudgeProcess() as process, tempfile.TemporaryDirectory() as folder:
        for problem in every[:: arguments.every]:
            if time.monotonic() - begin > arguments.seconds:
                print("perhaps not all: the same command goes on", file=sys.stderr)
                break
            for name, file in submissions(problem, Path(folder), solutions=arguments.solutions):
                if name in rows:
                    continue
                row = rows[name] = judged(problem, process, file, name)
                keep(arguments.set, [*rows.values()])
                print(f"{name}: {row.kind} ({row.seconds} s): {row.sentence}", file=sys.stderr)
    print(json.dumps(summary([*rows.values()]), indent=1))


if __name__ == "__main__":
    main()
