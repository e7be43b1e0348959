"""Can a public set's problems be loaded, and which known cheats pass? With its own checker and
ours.

    python tests/benchmarks/public_sets.py kernelbench CLONE --every 10
    python tests/benchmarks/public_sets.py gpu_mode CLONE/problems/pmpp_v2

CLONE is your own clone; nothing of it is copied into the repository. For KernelBench, PyTorch's
eager code itself (`Model`, renamed `ModelNew`) and each cheat in tests/benchmarks/cheats are judged
by `hotloop judge`, and by KernelBench's `run_and_check_correctness` with the CPU as its device, at
the same reduced sizes, in a process of its own. For GPU MODE, the solutions that its authors label
as correct and as wrong are judged.

A cheat whose numbers are right within the judge's tolerance passes: half precision does if every
number is exact in bfloat16. The rows say which passed; no result is required.
"""

import argparse
import importlib
import inspect
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.author.external import PROGRAMS, forms, judging, suite
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name

sys.path.append(str(PROGRAMS))
HERE = Path(__file__).parent
CHEATS = sorted((HERE / "cheats").glob("*.py"))
RESULTS = HERE / "results"

THEIRS = """
import sys, types, json, importlib.util
from unittest.mock import MagicMock
from pathlib import Path
clone, programs, problem, submission = map(Path, sys.argv[1:])
sys.path[:0] = [str(clone / "src"), str(programs)]
for name in ("timing", "dataset", "utils"):
    sys.modules[f"kernelbench.{name}"] = MagicMock()  # clocks, a catalog: no part of the check
import torch
torch.cuda.synchronize = lambda *_args, **_options: None
from kernelbench import eval as checker
import hotloop_kernelbench as form
form.FILE = str(problem)
factor, least = form.fitting(form.MOST_BYTES, form.MOST_FLOPS)
reference = form.KernelBenchProblem(factor, least).module
sys.modules["reference_model"] = reference
spec = importlib.util.spec_from_file_location("submission", submission)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
init = reference.get_init_inputs()
torch.manual_seed(42)
model = reference.Model(*init)
torch.manual_seed(42)
result = checker.run_and_check_correctness(
    model, module.ModelNew(*init), reference.get_inputs, {}, 5, device=torch.device("cpu"))
print(json.dumps(bool(result.correctness)))
"""


@dataclass(frozen=True)
class Row:
    """One submission to one problem.

    theirs: None if the set's checker was not asked, or failed. sizes: how the problem was shrunk.
    """

    problem: str
    submission: str
    ours: str
    sentence: str
    theirs: bool | None
    sizes: str = ""


def main() -> None:
    """Judge and print; with --keep, write results/public_sets_<form>.json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("form", choices=("kernelbench", "gpu_mode"))
    parser.add_argument("clone", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only each so many'th problem")
    parser.add_argument("--eager-only", action="store_true", help="no cheats")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--resume", action="store_true", help="judge what results/ lacks")
    arguments = parser.parse_args()
    path = RESULTS / f"public_sets_{arguments.form}.json"
    kept: list[dict[str, Any]] = json.loads(path.read_text())["rows"] if arguments.resume else []
    rows: list[Row] = []
    with JudgeProcess() as process, tempfile.TemporaryDirectory() as folder:
        bench = Bench(process, Path(folder), arguments.clone, [Row(**row) for row in kept])
        for row in (
            bench.kernelbench(arguments.every, [] if arguments.eager_only else CHEATS)
            if arguments.form == "kernelbench"
            else bench.gpu_mode()
        ):
            rows.append(row)
            if arguments.keep:  # a run of hours, cut off, goes on with --resume
                keep(path, arguments.form, [*rows, *bench.not_yet(rows)])
    print(json.dumps(summary([*rows, *bench.not_yet(rows)]), indent=1))


def keep(path: Path, form: str, rows: list[Row]) -> None:
    """Write the rows so far."""
    document = {
        "set": form,
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "summary": summary(rows),
        "rows": [asdict(row) for row in rows],
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def summary(rows: list[Row]) -> dict[str, Any]:
    """Return for each submission the number of problems, and how many passed under each judge."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(row.submission for row in rows):
        mine = [row for row in rows if row.submission == name]
        asked = [row.theirs for row in mine if row.theirs is not None]
        found[name] = {
            "problems": len(mine),
            "ours_passed": sum(row.ours == "passed" for row in mine),
            "ours": dict(Counter(row.ours for row in mine)),
            "theirs_passed": sum(asked),
            "theirs_asked": len(asked),
        }
    return found


def shrinking(told: str) -> str:
    """Return Python code that shrinks `reference_model` to the sizes in a record.

    Eager is judged first: a cheat that runs the problem itself then uses the judged sizes.
    """
    found = re.search(r"from (\d+) on divided by (\d+)", told)
    if found is None:
        return ""
    source = inspect.getsource(importlib.import_module("hotloop_kernelbench").shrunk)
    return (
        f"SMALLEST = 16\n{source}\nfor name, value in list(vars(reference_model).items()):\n"
        f"    setattr(reference_model, name, shrunk(value, {found[2]}, {found[1]}))\n"
    )


class Bench:
    """The judge of a run, and the rows of an earlier run."""

    def __init__(self, process: JudgeProcess, folder: Path, clone: Path, kept: list[Row]) -> None:
        self.process, self.folder, self.clone = process, folder, clone
        self.kept = {(row.problem, row.submission): row for row in kept}
        self.sizes = ""

    def not_yet(self, rows: list[Row]) -> list[Row]:
        """Return the rows of an earlier run that this one has not reached."""
        done = {(row.problem, row.submission) for row in rows}
        return [row for key, row in self.kept.items() if key not in done]

    def kernelbench(self, every: int, cheats: list[Path]) -> Iterator[Row]:
        """Judge eager itself and the cheats, on level 1."""
        for problem in suite.problems(self.clone / "KernelBench" / "level1")[::every]:
            self.sizes = ""
            eager = re.sub(r"\bModel\b", "ModelNew", problem.path.read_text(encoding="utf-8"))
            for name, text in {"eager": eager, **{c.stem: c.read_text() for c in cheats}}.items():
                yield self._row(problem, name, text)

    def gpu_mode(self) -> Iterator[Row]:
        """Judge the solutions that each problem's authors label as correct and as wrong."""
        for problem in suite.problems(self.clone):
            for file in sorted(problem.path.glob("solutions/*/*.py")):
                name = f"called {file.parent.name}"
                yield self._row(problem, name, file.read_text(), theirs=False)

    def _row(self, problem: forms.External, name: str, text: str, *, theirs: bool = True) -> Row:
        if (kept := self.kept.get((problem.title, name))) is not None:
            self.sizes = self.sizes or shrinking(kept.sizes)
            return kept
        file = self.folder / "submission.py"
        # Our judge puts no reference beside a submission, so the submission brings the problem's
        # text.
        beside = (
            f"import sys, types\nreference_model = types.ModuleType('reference_model')\n"
            f"exec({problem.path.read_text()!r}, reference_model.__dict__)\n{self.sizes}"
            "sys.modules['reference_model'] = reference_model\n"
            if theirs
            else ""
        )
        file.write_text(beside + text)
        asked = judging.ExternalJob.of(problem, file)
        record = suite.correctness(judging.judge(asked, process=self.process))
        sizes = str(record.evidence.get("sizes", ""))
        self.sizes = self.sizes or shrinking(sizes)
        file.write_text(text)
        row = Row(
            problem.title, name, record.verdict.value, record.sentence,
            self._theirs(problem, file) if theirs else None, sizes,
        )  # fmt: skip
        print(f"{row.problem}, {name}: ours {row.ours}, theirs {row.theirs}", file=sys.stderr)
        return row

    def _theirs(self, problem: forms.External, file: Path) -> bool | None:
        command = [sys.executable, "-c", THEIRS, self.clone, PROGRAMS, problem.path.resolve(), file]
        try:
            done = subprocess.run(
                [str(part) for part in command], capture_output=True, check=False, timeout=600
            )
        except subprocess.TimeoutExpired:
            return None
        try:
            return bool(json.loads(done.stdout.decode().strip().splitlines()[-1]))
        except (ValueError, IndexError):
            print(done.stderr.decode()[-300:], file=sys.stderr)
            return None


if __name__ == "__main__":
    main()
