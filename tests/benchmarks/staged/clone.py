"""A copy of this repository's package with one more module: `array_warmup`.

Grader, judge, kernels and Ray workers are separate processes that find modules on disk, so the
module has to be in the folders that they search. The copy also isolates a long measurement from
changes to the code.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from array_warmup import lab

BENCHMARKS = Path(__file__).resolve().parents[1]
CLONE = BENCHMARKS.parents[1]
DRIVER = Path(__file__).with_name("drive.py")


@dataclass(frozen=True)
class Clone:
    """The copy at `root`."""

    root: Path

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return an environment in which Python imports the copy, and nbgrader finds its tools."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        scratch = self.root / "tmp"
        scratch.mkdir(exist_ok=True)
        return {
            **os.environ,
            "PATH": path,
            "PYTHONPATH": str(self.root / "graders"),
            "TMPDIR": str(scratch),
            **(more or {}),
        }

    def run(self, *arguments: str) -> Any:
        """Run the driver to its end and return its answer.

        Raises SystemExit with its log if it fails.
        """
        done = subprocess.run(
            [sys.executable, str(DRIVER), *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-4000:]}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def start(self, *arguments: str, log: Path) -> Started:
        """Start the driver in a process group of its own; its output goes to `log`."""
        answer = log.with_suffix(".answer")
        answer.unlink(missing_ok=True)
        with log.open("ab") as stream:
            process = subprocess.Popen(
                [sys.executable, str(DRIVER), *arguments, "--answer", str(answer)],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
        return Started(process, log, answer)


@dataclass(frozen=True)
class Started:
    """A running driver."""

    process: subprocess.Popen[bytes]
    log: Path
    answer: Path

    def document(self) -> Any:
        """Return its answer after it has ended.

        Raises RuntimeError with its log if there is none.
        """
        if self.process.wait() or not self.answer.is_file():
            said = self.log.read_text(errors="replace")[-3000:]
            raise RuntimeError(f"the grader ended with {self.process.returncode}:\n{said}")
        return json.loads(self.answer.read_text())


def make(root: Path) -> Clone:
    """Copy the package to `root`, which must not exist, and add the module to it."""
    package = root / "graders" / "hotloop"
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "_data")
    shutil.copytree(CLONE / "graders" / "hotloop", package, ignore=ignored)
    given = BENCHMARKS / "array_warmup"
    checks = package / "tasks" / "modules" / lab.MODULE
    checks.mkdir()
    shutil.copyfile(given / "tasks.py", checks / "tasks.py")
    data = root / "curriculum"
    (data / lab.MODULE).mkdir(parents=True)
    shutil.copyfile(given / "curriculum.yaml", data / "curriculum.yaml")
    shutil.copyfile(given / "module.yaml", data / lab.MODULE / "module.yaml")
    exercise = root / "exercises" / lab.MODULE
    exercise.mkdir(parents=True)
    (exercise / lab.NOTEBOOK).write_text(json.dumps(lab.released()))
    (root / "solutions" / lab.MODULE).mkdir(parents=True)
    _let_read(root)
    return Clone(root)


def whole(root: Path) -> Clone:
    """Copy the package to `root`, which must not exist, with all modules and exploits."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "_data")
    for tree in ("graders/hotloop", "curriculum", "exercises", "solutions", "tests/exploits"):
        shutil.copytree(CLONE / tree, root / tree, ignore=ignored)
    _let_read(root)
    return Clone(root)


def hand_in(course: Path, students: Sequence[str], first: int = 0) -> dict[str, lab.Answer]:
    """Put a submission of each learner into a course; return their answers."""
    given: dict[str, lab.Answer] = {}
    for number, student in enumerate(students, first):
        given[student] = lab.answer_of(number)
        folder = course / "submitted" / student / lab.MODULE
        folder.mkdir(parents=True)
        notebook = lab.submitted(given[student], number)
        (folder / lab.NOTEBOOK).write_text(json.dumps(notebook))
    return given


def _let_read(root: Path) -> None:
    """Make the copy readable for workers that run as a spare user."""
    for folder in (root, *root.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
