"""Judges a folder of submissions to a set's problems: one JSON line each, and a summary.

Which submission is to which problem is read from names: `40_LayerNorm.py` or a folder
`40_LayerNorm/`, and KernelBench's own `level_1_problem_40_sample_0_kernel.py`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.external import forms
from hotloop.external.judging import judge
from hotloop.judge.client import JudgeProcess

_KERNELBENCH = re.compile(r"level_(\d+)_problem_(\d+)_sample_\d+_kernel")
_Z = 1.96
"""Of a 95 % interval."""


@dataclass(frozen=True)
class Row:
    """What came of one submission. digest: of its file; sizes: how the problem was shrunk."""

    problem: str
    submission: str
    digest: str
    verdict: str
    sentence: str
    sizes: str
    tolerance: str
    seed: str
    seconds: float

    @classmethod
    def of(cls, problem: forms.External, file: Path, record: Record) -> Row:
        """From the judge's record."""
        figures = record.rungs[0].evidence
        return cls(
            problem.title,
            str(file),
            digest(file),
            record.verdict.value,
            record.sentence,
            str(figures.get("sizes", "")),
            str(figures.get("tolerance", "")),
            record.circumstances.seed,
            float(figures.get("judging_seconds", 0.0)),
        )


def digest(file: Path) -> str:
    """SHA-256 of a submission."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def problems(folder: Path) -> list[forms.External]:
    """All problems of a set, in the order of their names. UserError where there is none."""
    found = [path.parent for path in folder.rglob("task.yml")]
    found += [path for path in folder.rglob("*.py") if re.match(r"\d+_", path.name)]
    if not found:
        raise UserError(f"{folder} holds no problems of KernelBench or GPU MODE.")
    return [forms.find(path) for path in sorted(found, key=_by_number)]


def pairs(suite: list[forms.External], submissions: Path) -> Iterator[tuple[forms.External, Path]]:
    """Each problem with each of its submissions. UserError for a file that is to no problem."""
    by_name: dict[str, forms.External] = {}
    for problem in suite:
        by_name[problem.title] = problem
        level = re.search(r"level(\d+)", str(problem.path.parent.name))
        if level and (number := re.match(r"\d+", problem.title)):
            by_name[f"{level[1]}/{number[0]}"] = problem
    files = sorted(submissions.rglob("*.py"), key=_by_number)
    if not files:
        raise UserError(f"There are no submissions (*.py) in {submissions}.")
    for file in files:
        theirs = _KERNELBENCH.match(file.stem)
        names = [f"{theirs[1]}/{theirs[2]}"] if theirs else [file.stem, file.parent.name]
        problem = next((by_name[name] for name in names if name in by_name), None)
        if problem is None:
            raise UserError(
                f"{file} is to no problem of the suite: name it, or its folder, like one of them, "
                f"such as {suite[0].title}."
            )
        yield problem, file


def run(
    suite: list[forms.External],
    submissions: Path,
    results: Path,
    on_row: Callable[[int, int, Row], None],
) -> list[Row]:
    """A row each. What `results` holds already of the same file is not judged again."""
    asked = [*pairs(suite, submissions)]
    done = {(row.problem, row.digest): row for row in _kept(results)}
    rows: list[Row] = []
    with JudgeProcess() as process, results.open("a", encoding="utf-8") as stream:
        for number, (problem, file) in enumerate(asked, start=1):
            row = done.get((problem.title, digest(file)))
            if row is None:
                row = Row.of(problem, file, judge(problem, file, process=process))
                stream.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
                stream.flush()
            rows.append(row)
            on_row(number, len(asked), row)
    return rows


def share(rows: list[Row]) -> tuple[float, float, float]:
    """How much of what was measured passed, and Wilson's 95 % interval.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    judged = [row for row in rows if not Verdict(row.verdict).pending]
    if not judged:
        return 0.0, 0.0, 1.0
    n, p = len(judged), sum(row.verdict == Verdict.PASSED for row in judged) / len(judged)
    middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    return p, max(0.0, middle - half), min(1.0, middle + half)


def _kept(results: Path) -> Iterator[Row]:
    """UserError names the line that is none of ours."""
    if not results.is_file():
        return
    for number, line in enumerate(results.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield Row(**json.loads(line))
        except (ValueError, TypeError):
            raise UserError(
                f"{results}, line {number} is no result: expected what this command writes. "
                "Name another file with --results."
            ) from None


def _by_number(path: Path) -> list[tuple[int, str]]:
    """`2_…` before `10_…`."""
    return [
        (int(found[0]) if (found := re.match(r"\d+", part)) else 0, part) for part in path.parts
    ]
