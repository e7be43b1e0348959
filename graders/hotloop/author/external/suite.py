"""Judges a folder of submissions to a set's problems: one JSON line each, and a summary.

Submissions are matched to problems by name: `40_LayerNorm.py` or a folder `40_LayerNorm/`, and
KernelBench's own `level_1_problem_40_sample_0_kernel.py`.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hotloop.author.external import flashinfer, forms
from hotloop.author.external.judging import ExternalJob, judge_all
from hotloop.core.intervals import rate_interval
from hotloop.core.record import CheckRecord, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict

_KERNELBENCH = re.compile(r"level_(\d+)_problem_(\d+)_sample_\d+_kernel")
_MEASURED = {Verdict.PASSED, Verdict.PARTIAL, Verdict.TOO_SLOW, Verdict.UNDECIDED}
SUMMARY = "summary"
"""Key of the lines in a results file that summarize a run."""

FAST = (1.0, 1.5, 2.0)
"""The values of p for which fast_p is reported."""

"""Standard normal quantile of a 95 % interval."""


@dataclass(frozen=True)
class SuiteResult:
    """The result of one submission.

    digest: SHA-256 of its file. verdict, sentence: of correctness; the ratios are about speed.
    sizes: how the problem was shrunk. ratio, compiled_ratio: speedup over the problem's own code,
    eager and under torch.compile, with 95 % intervals. limit_share: share of the device's measured
    limit. speed: why there is no ratio. moves: bytes that its Triton kernels move, divided by the
    fewest possible; not_counted: why there is no such figure. All of these are None where nothing
    was measured. own, own_sentence: of the check that kernels of its own do the work.
    """

    problem: str
    submission: str
    digest: str
    verdict: str
    sentence: str
    sizes: str
    tolerance: str
    seed: str
    seconds: float
    ratio: float | None = None
    ratio_interval: tuple[float, float] | None = None
    compiled_ratio: float | None = None
    compiled_interval: tuple[float, float] | None = None
    limit_share: float | None = None
    speed: str = ""
    moves: float | None = None
    moved_bytes: int | None = None
    fewest_bytes: int | None = None
    not_counted: str = ""
    own: str = ""
    own_sentence: str = ""

    @classmethod
    def of(cls, problem: forms.External, file: Path, record: Record) -> SuiteResult:
        """Return the row of the judge's record."""
        right, own = correctness(record), record.check(forms.OWN)
        fast, compiled = record.check("gpu_fast"), record.check("gpu_fast_compiled")
        ratio, interval = _ratio(fast)
        return cls(
            problem.title,
            str(file),
            digest(file),
            right.verdict.value,
            right.sentence,
            str(right.evidence.get("sizes", "")),
            str(right.evidence.get("tolerance", "")),
            record.circumstances.seed,
            sum(float(each.evidence.get("judging_seconds", 0.0)) for each in record.checks),
            ratio,
            interval,
            *_ratio(compiled),
            _limit_share(fast.evidence) if ratio is not None else None,
            "" if ratio is not None else _why_no_speed(record),
            **_moves(record.check("correct")),
            own=own.verdict.value,
            own_sentence=own.sentence,
        )

    @property
    def right(self) -> bool:
        """Whether its answers are right."""
        return self.verdict == Verdict.PASSED


def correctness(record: Record) -> CheckRecord:
    """Return the result for correctness: a failure on either device, else the last measured one."""
    both = [record.check("correct"), record.check("gpu_correct")]
    known = [each for each in both if not each.verdict.pending]
    failed = [each for each in known if each.verdict is not Verdict.PASSED]
    return next(iter([*failed, *known[::-1], *both]))


def _ratio(check: CheckRecord) -> tuple[float | None, tuple[float, float] | None]:
    """Return the ratio and its interval; None if a timed answer was wrong or impossible."""
    if "ratio" not in check.evidence or check.verdict not in _MEASURED:
        return None, None
    low, high = check.evidence["interval"]
    return float(check.evidence["ratio"]), (float(low), float(high))


def _moves(check: CheckRecord) -> dict[str, Any]:
    """What was counted beside the answers, or why nothing was."""
    figures = check.evidence
    if "factor" not in figures:
        return {"not_counted": figures.get("not_counted", "its answers are not known to be right")}
    counted = {key: figures[key] for key in ("moved_bytes", "fewest_bytes")}
    return {"moves": figures["factor"], **counted}


def _why_no_speed(record: Record) -> str:
    """Return the first check on a GPU that did not pass; later ones were skipped because of it."""
    on_gpu = [record.check("gpu_correct"), record.check("gpu_fast")]
    why = next(each for each in on_gpu if each.verdict is not Verdict.PASSED)
    return f"{why.verdict.value}: {why.sentence}"


def _limit_share(figures: Mapping[str, Any]) -> float:
    """Return the larger of the shares of the device's bandwidth and of its arithmetic limit."""
    peak = figures.get("peak_gflop_per_s")
    computed = float(figures["gflop_per_s"]) / float(peak) if peak else 0.0
    return max(float(figures["fraction_of_limit"]), computed)


def digest(file: Path) -> str:
    """Return the SHA-256 of a submission."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def problems(folder: Path) -> list[forms.External]:
    """Return all problems of a set, ordered by name. Raises UserError if there is none."""
    paths = forms.further(folder)
    paths += [path.parent for path in folder.rglob("task.yml")]
    paths += [path for path in folder.rglob("*.json") if flashinfer.is_definition(path)]
    # robust-kbench keeps KernelBench's file beside its own.
    folders = {path.parent for path in paths}
    own = [path for path in folder.rglob("*.py") if re.match(r"\d+_", path.name)]
    paths += [path for path in own if path.parent not in folders]
    if not paths:
        raise UserError(f"{folder} holds no problems in a form that is known.")
    return [forms.find(path) for path in sorted(paths, key=_by_number)]


def pairs(suite: list[forms.External], submissions: Path) -> Iterator[tuple[forms.External, Path]]:
    """Yield each problem with each of its submissions. Raises UserError for an unmatched file."""
    by_name: dict[str, forms.External] = {}
    for problem in suite:
        by_name[problem.title] = problem
        level = re.search(r"level(\d+)", str(problem.path.parent.name))
        if level and (number := re.match(r"\d+", problem.title)):
            by_name[f"{level[1]}/{number[0]}"] = problem
    paths = [*submissions.rglob("*.py"), *submissions.rglob("*.json")]
    files = sorted(paths, key=_by_number)
    if not files:
        raise UserError(f"There are no submissions (*.py, *.json) in {submissions}.")
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


@dataclass(frozen=True)
class Progress:
    """How far a run is. done: of all submissions, with those of an earlier run.

    elapsed_s: of this run. left_s: expected for the rest, at this run's pace; None for the last.
    """

    done: int
    of: int
    elapsed_s: float
    left_s: float | None

    def __str__(self) -> str:
        text = f"{self.done} of {self.of}, {_clock(self.elapsed_s)}"
        return text if self.left_s is None else f"{text}, some {_clock(self.left_s)} left"


def _clock(seconds: float) -> str:
    minutes = round(seconds) // 60
    return (
        f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{seconds / 60:.1f} min"
    )


def run(
    suite: list[forms.External],
    submissions: Path,
    results: Path,
    on_row: Callable[[Progress, SuiteResult], None],
    ray: str = "",
) -> list[SuiteResult]:
    """Judge all submissions and return a row for each.

    Files with a row in `results` are not judged again, unless the judge failed on them. ray:
    address of a cluster whose nodes judge.
    """
    submitted = [*pairs(suite, submissions)]
    _mend(results)
    failed = Verdict.JUDGE_ERROR
    rows = {(row.problem, row.digest): row for row in _kept(results) if row.verdict != failed}
    keys = [(problem.title, digest(file)) for problem, file in submitted]
    left = {key: pair for key, pair in zip(keys, submitted, strict=True) if key not in rows}
    begin, judged = time.monotonic(), 0
    with results.open("a", encoding="utf-8") as stream:
        for row in _judged([*left.values()], ray):
            rows[row.problem, row.digest] = row
            judged += 1
            stream.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            stream.flush()
            elapsed, rest = time.monotonic() - begin, len(left) - judged
            left_s = rest * elapsed / judged if rest else None
            on_row(Progress(len(submitted) - rest, len(submitted), elapsed, left_s), row)
        result = [rows[key] for key in keys]
        stream.write(json.dumps({SUMMARY: summary(result)}) + "\n")
    return result


def _judged(pairs: list[tuple[forms.External, Path]], ray: str) -> Iterator[SuiteResult]:
    """Yield a row for each submission; one to a problem that cannot be read says why, at once."""
    jobs: list[ExternalJob] = []
    todo: list[tuple[forms.External, Path]] = []
    for problem, file in pairs:
        try:
            jobs.append(ExternalJob.of(problem, file))
        except UserError as error:
            pending = Verdict.NOT_MEASURED.value
            yield SuiteResult(
                problem.title, str(file), digest(file), pending, str(error), "", "", "", 0.0
            )
        else:
            todo.append((problem, file))
    for number, record in judge_all(jobs, ray):
        yield SuiteResult.of(*todo[number], record)


@dataclass(frozen=True)
class Share:
    """value: from 0 to 1, None if some of it was not measured. low, high: its 95 % interval.

    What was not measured counts as missed at the low end, and as reached at the high one.
    """

    value: float | None
    low: float
    high: float

    def __str__(self) -> str:
        if self.value is None:
            return f"not measured in full ({100 * self.low:.0f} to {100 * self.high:.0f} %)"
        return f"{100 * self.value:.0f} % ({100 * self.low:.0f} to {100 * self.high:.0f} %)"


def summary(rows: list[SuiteResult]) -> dict[str, Any]:
    """Return shares of all rows, as JSON: right, and fast_p by p."""
    judged = [row for row in rows if not Verdict(row.verdict).pending]
    return {
        "judged": len(judged),
        "right": sum(row.right for row in judged),
        "right_share": asdict(share(rows)),
        "own": sum(row.right and row.own == Verdict.PASSED for row in judged),
        "not_own": sum(row.own == Verdict.WRONG_ANSWER for row in rows),
        "speed_measured": sum(row.ratio is not None for row in judged),
        "fast": {f"{p:g}": asdict(fast(rows, p)) for p in FAST},
        "fast_compiled": {f"{p:g}": asdict(fast(rows, p, compiled=True)) for p in FAST},
    }


def share(rows: list[SuiteResult]) -> Share:
    """Return the share of the rows that are right."""
    right = sum(row.right for row in rows)
    pending = sum(Verdict(row.verdict).pending for row in rows)
    return _share(right, right, right + pending, len(rows), pending)


def fast(rows: list[SuiteResult], p: float, *, compiled: bool = False) -> Share:
    """Return fast_p, the share of the rows that are right and fast.

    Fast means more than p times as fast as the problem's own code. The interval allows for ratios
    whose own interval contains p, and for rows that were not judged, or are right and without a
    measured speed: they count as slow at its lower end, and as fast at the upper one.
    Source: Ouyang et al., "KernelBench: Can LLMs Write Efficient GPU Kernels?", 2025, section 3.3.
    """
    right = [row for row in rows if row.right]
    ratios = [row.compiled_ratio if compiled else row.ratio for row in right]
    intervals = [row.compiled_interval if compiled else row.ratio_interval for row in right]
    pending = sum(Verdict(row.verdict).pending for row in rows)
    surely = sum(each is not None and each[0] > p for each in intervals)
    perhaps = sum(each is None or each[1] > p for each in intervals) + pending
    reached = sum(ratio is not None and ratio > p for ratio in ratios)
    return _share(reached, surely, perhaps, len(rows), pending + ratios.count(None))


def _share(reached: int, surely: int, perhaps: int, of: int, unmeasured: int) -> Share:
    """Return a share of `of` rows. It has no value while a row is unmeasured.

    Without those rows, whoever is hard to measure would have the better share.
    """
    least, most = rate_interval(surely, of), rate_interval(perhaps, of)
    if least is None or most is None:  # there are no rows
        return Share(None, 0.0, 1.0)
    return Share(None if unmeasured else reached / of, least.low, most.high)


def _mend(results: Path) -> None:
    """Cut off the last line of a run that was killed while it wrote: what it says is judged again.

    Only the beginning of such a line as `run` writes is cut off.
    """
    if not results.is_file():
        return
    text = results.read_bytes()
    whole, _, rest = text.rpartition(b"\n")
    start = b'{"problem": "', b'{"summary": {'
    if rest and any(rest[: len(each)] == each[: len(rest)] for each in start):
        results.write_bytes(whole + b"\n" if whole else b"")


def _kept(results: Path) -> Iterator[SuiteResult]:
    """Yield the rows of an earlier run. Raises UserError with the line that is not a row."""
    if not results.is_file():
        return
    for number, line in enumerate(results.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            if SUMMARY not in row:
                yield SuiteResult(**row)
        except (ValueError, TypeError):
            raise UserError(
                f"{results}, line {number} is no result: expected what this command writes. "
                "Name another file with --results."
            ) from None


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Sort key: `2_…` before `10_…`."""
    return [
        (int(number[0]) if (number := re.match(r"\d+", part)) else 0, part) for part in path.parts
    ]
