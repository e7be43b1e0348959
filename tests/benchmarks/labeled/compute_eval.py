"""CUDA C++ problems of NVIDIA's ComputeEval: right solutions, under their own tests."""

from __future__ import annotations

import json
import re
import shlex
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import real_cuda
from case import Case, NotRun, checked, told

RELEASE = Path("data") / "releases" / "2026-1-problems.tar.gz"
SECONDS = 6


def cases(root: Path) -> Iterator[Case]:
    """Yield the problems of a clone of NVIDIA/compute-eval that need the runtime API only."""
    with tarfile.open(root / RELEASE) as archive:
        lines = archive.extractfile("problems.jsonl")
        if lines is None:
            raise FileNotFoundError("problems.jsonl")
        for problem in map(json.loads, lines):
            if problem["type"] == "cuda_cpp" and not other_libraries(problem):
                yield Case(problem["task_id"], faulty=False, run=lambda p=problem: run(p))


def files(problem: dict[str, Any]) -> list[dict[str, str]]:
    """Return the files of the solution, of its tests and what both include."""
    return [
        *problem["context_files"],
        *problem["test_files"],
        *problem["baseline_solution"]["files"],
    ]


def other_libraries(problem: dict[str, Any]) -> bool:
    """Return whether it includes other libraries than the CUDA runtime API."""
    text = "\n".join(file["content"] for file in files(problem))
    return any(re.search(used, text) for used in real_cuda.OTHER.values())


def run(problem: dict[str, Any]) -> Sequence[str]:
    """Build the solution with its tests, and check what they do."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for file in files(problem):
            path = folder / file["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["content"], encoding="utf-8")
        words = shlex.split(problem["build_command"])
        sources = [p for w in words if w.endswith((".cu", ".cpp")) for p in sorted(folder.glob(w))]
        done = checked(
            sources,
            include=[folder, folder / "include"],
            defines=[word[2:] for word in words if word.startswith("-D")],
            orders=["forward"],
            seconds=SECONDS,
        )
    found = [finding for finding in done.report.findings if finding.kind != "crash"]
    if done.runs[0].status and not found:  # an assertion that fails aborts, which is a crash here
        raise NotRun("its own test fails here", real_cuda.said_last(done.runs[0]))
    return told(found)
