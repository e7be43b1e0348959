"""Measures every reference and wrong solution on this machine and writes the run file.

The file is `curriculum/<module>/runs/<device>.json`; its fields are those of
`hotloop.tasks.curriculum.RecordedRun`. What this machine could not measure has the verdict
`not_measured` and no number.
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from hotloop import __version__
from hotloop.core import paths, whole_file
from hotloop.core.record import JUDGING_SECONDS, CheckRecord, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name, kind
from hotloop.judge.gpu.nvml import LIBRARY_VARIABLE as NVML_VARIABLE
from hotloop.judge.task import find
from hotloop.sandbox.level import level
from hotloop.tasks import curriculum
from hotloop.tasks.judged_again import settled
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.measured_code import digest_of_file, measured_code
from hotloop.tasks.problem import CheckEntry
from hotloop.worker.device import LIBRARY_VARIABLE as DRIVER_VARIABLE

REFERENCE = "reference"
_JUDGE = ("judge", "worker", "sandbox", "engines/serving")


class EvidenceError(UserError):
    """There is nothing to record; the message says why."""


@dataclass(frozen=True)
class EvidenceSelection:
    """What to measure of a module.

    tasks: only these. speed: also checks that measure speed. gpu_only: only checks that run on a
    GPU; then every wrong answer of a task is measured, because one that is correct there but slow
    shows what a level must exceed. candidates: only these solutions; `reference`, or the names of
    wrong answers.
    """

    tasks: Collection[str] | None = None
    speed: bool = True
    gpu_only: bool = False
    candidates: Collection[str] | None = None

    def checks(self, module: curriculum.Module) -> dict[str, list[str]]:
        """Return the selected checks of each task that has any."""
        checks_of = {
            task.id: [check.id for check in task.checks if self._wants(check)]
            for task in module.tasks
            if task.kind == "code" and (self.tasks is None or task.id in self.tasks)
        }
        return {task: checks for task, checks in checks_of.items() if checks}

    def _wants(self, check: CheckEntry) -> bool:
        return (self.speed or check.threshold is None) and (not self.gpu_only or check.needs_gpu)


EVERYTHING = EvidenceSelection()


def measure(
    module: str,
    on_progress: Callable[[str], None] = lambda _text: None,
    *,
    selection: EvidenceSelection = EVERYTHING,
    times: int = 1,
    earlier: curriculum.RecordedRun | None = None,
    on_run: Callable[[curriculum.RecordedRun], object] = lambda _run: None,
) -> curriculum.RecordedRun:
    """Judge the module's reference and each of its wrong answers, and collect the results.

    times: how often each is judged. earlier: a run whose measurements are kept and not repeated.
    on_run: called after each record with the results so far.

    Raises EvidenceError if the judge completed no record at all.
    """
    records: list[tuple[str, Record]] = []
    checks = selection.checks(curriculum.load_module(module))
    run = earlier
    with JudgeProcess() as judge:
        for _ in range(times):
            for name, path, task in _solutions(module, checks, selection):
                measured = earlier.measurements if earlier is not None else []
                if any(
                    (m.candidate, m.task) == (name, task) and m.check in checks[task]
                    for m in measured
                ):
                    continue
                on_progress(f"{module}: {name}, {task}")
                whole = selection.speed and not selection.gpu_only
                chosen = None if whole else checks[task]
                records.append((name, _judged(module, path, task, chosen, judge, selection.speed)))
                run = joined(earlier, run_of(module, records))
                on_run(run)
    return run or run_of(module, records)


def _solutions(
    module: str, checks: Mapping[str, Collection[str]], selection: EvidenceSelection
) -> Iterator[tuple[str, Path | None, str]]:
    """Yield each solution's name, the wrong answer's file (else None), and the task to judge."""
    from hotloop.tasks.render import wrong_answers  # imports nbformat, which takes seconds

    chosen = selection.candidates
    if chosen is None or REFERENCE in chosen:
        yield from ((REFERENCE, None, task) for task in checks)
    for wrong in wrong_answers(module):
        wanted = chosen is None or wrong.name in chosen
        judged = wrong.task in checks and (selection.gpu_only or wrong.check in checks[wrong.task])
        if wanted and judged:
            yield wrong.name, wrong.path, wrong.task


def _judged(
    module: str,
    wrong: Path | None,
    task: str,
    checks: list[str] | None,
    judge: JudgeProcess,
    speed: bool,
) -> Record:
    """Return the record. With `speed`, checks left undecided by noise are judged again."""
    from hotloop.tasks.render import submission

    files = submission(module) if wrong is None else submission(module, wrong)
    record = judge_submission(files, module, [task], checks, judge=judge)[task]
    if not speed:
        return record
    return settled(
        record, lambda left: judge_submission(files, module, [task], left, judge=judge)[task]
    )


def joined(
    earlier: curriculum.RecordedRun | None, run: curriculum.RecordedRun
) -> curriculum.RecordedRun:
    """Return a run with the measurements of an earlier one that it has not made again.

    They keep the circumstances under which they were made. A check that is still open replaces no
    decided one.
    """
    if earlier is None:
        return run
    decided = {_key(m) for m in earlier.measurements if not m.verdict.pending}
    new = [m for m in run.measurements if not (m.verdict.pending and _key(m) in decided)]
    made_again = {_key(m) for m in new}
    origins = list(run.earlier)
    kept: list[curriculum.Measurement] = []
    for measurement in earlier.measurements:
        if _key(measurement) in made_again:
            continue
        origin = _circumstances(earlier.made_by(measurement))
        if origin == _circumstances(run):
            place = None
        else:
            if origin not in origins:
                origins.append(origin)
            place = origins.index(origin)
        kept.append(measurement.model_copy(update={"earlier": place}))
    return run.model_copy(
        update={
            "measurements": [*kept, *new],
            "ceilings": {**earlier.ceilings, **run.ceilings},
            "earlier": origins,
        }
    )


def _key(measurement: curriculum.Measurement) -> tuple[str, str, str]:
    return measurement.candidate, measurement.task, measurement.check


def _circumstances(
    run: curriculum.RecordedRun | curriculum.EarlierRun,
) -> curriculum.EarlierRun:
    return curriculum.EarlierRun(
        driver=run.driver,
        date=run.date,
        libraries=run.libraries,
        code=run.code,
        isolation=run.isolation,
    )


def run_here(module: str) -> curriculum.RecordedRun | None:
    """Return the module's run of this device, whatever code it measured; None without one."""
    return run_on(module, device_name())


def run_on(module: str, device: str) -> curriculum.RecordedRun | None:
    """Return the module's run of a device, by the device's name; None without one."""
    return next((run for run in curriculum.runs(module) if run.device == device), None)


def written_here(module: str) -> curriculum.RecordedRun | None:
    """Return what this device's run has of the present code and judge; None if that is nothing."""
    run = run_here(module)
    if run is None:
        return None
    present = [m for m in run.measurements if is_present(run, m)]
    return run.model_copy(update={"measurements": present}) if present else None


def is_present(run: curriculum.RecordedRun, measurement: curriculum.Measurement) -> bool:
    """Return whether code and judge are unchanged since the measurement."""
    by = run.made_by(measurement)
    return (by.code, by.libraries.get("hotloop")) == (measured_code(run.module), measured_by())


def run_of(module: str, records: list[tuple[str, Record]]) -> curriculum.RecordedRun:
    """Return the run file's content from (solution name, record) pairs.

    Raises EvidenceError if no record has a device.
    """
    circumstances = [r.circumstances for _, r in records if r.circumstances.device]
    if not circumstances:
        raise EvidenceError("the judge reached no verdict: see `hotloop doctor`")
    libraries: dict[str, str] = {}
    for each in circumstances:
        libraries.update(each.libraries)
    libraries.update(_installed())
    libraries["hotloop"] = measured_by()
    isolation, _ = level()
    return curriculum.RecordedRun(
        format=1,
        module=module,
        device=circumstances[0].device,
        kind="gpu" if kind() == "cuda" else "cpu",
        driver=circumstances[0].driver,
        date=datetime.now(UTC).date(),
        libraries=dict(sorted(libraries.items())),
        code=measured_code(module),
        isolation=isolation,
        ceilings=_ceilings(records),
        measurements=[
            _measurement(name, record.task, check)
            for name, record in records
            for check in _reached(record)
        ],
    )


def write(run: curriculum.RecordedRun) -> Path:
    """Write the run file.

    Raises UserError outside of a clone, and for a run of a GPU that is not in this machine.
    """
    if not paths.in_clone():
        raise UserError("evidence is written in a clone, not in an installed package")
    if run.kind == "gpu" and (why := why_no_gpu_run(run.device)):
        raise UserError(f"no run of a GPU is written: {why}")
    path = curriculum.folder(run.module) / "runs" / f"{file_name(run.device)}.json"
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(run.model_dump(mode="json", exclude_none=True), indent=1, ensure_ascii=False)
    whole_file.replace(path, f"{text}\n".encode())
    return path


def why_no_gpu_run(device: str) -> str:
    """Return why this machine cannot have measured on the GPU called `device`; "" if it can."""
    if kind() != "cuda":
        return "this machine has no GPU"
    if pretended := sorted({DRIVER_VARIABLE, NVML_VARIABLE} & os.environ.keys()):
        return f"{pretended[0]} names a library in place of the driver's"
    return "" if device == device_name() else f"its device is {device}, this is {device_name()}"


def file_name(device: str) -> str:
    """Return the device's name in lower case, with underscores."""
    return re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_") or "unknown_device"


def _installed() -> dict[str, str]:
    """Return the installed versions of the libraries with which the solutions were run."""
    versions: dict[str, str] = {}
    for name in ("numpy", "torch", "triton"):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def measured_by() -> str:
    """Return the version of Hotloop and of its judge, which a run records.

    Runs with another judge are not comparable. The measured code (the module's solutions and
    checks) has a separate digest in the run.
    """
    return f"{__version__} (judge {judge_digest()[:12]})"


@cache
def judge_digest() -> str:
    """Return the SHA-256 of the judge and of the code that runs submissions for it.

    It takes a second, so it is computed once.
    """
    return digest_of([Path(__file__).parents[1] / name for name in _JUDGE])


def digest_of(folders: Iterable[Path]) -> str:
    """Return the SHA-256 over the names and the code of all files in the folders."""
    total = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(f"{path.relative_to(folder)}\0".encode())
                total.update(digest_of_file(path))
    return total.hexdigest()


def _reached(record: Record) -> list[CheckRecord]:
    """Return the checks that were judged, without those that were skipped after a failure."""
    checks = find(record.module, record.task).checks
    failed = {r.check for r in record.checks if r.verdict is not Verdict.PASSED}
    return [
        r
        for r in record.checks
        if r.check not in checks or failed.isdisjoint(checks[r.check].prerequisites)
    ]


def _ceilings(records: list[tuple[str, Record]]) -> dict[str, float]:
    """Return the highest measured limit by task and check."""
    peaks: dict[str, float] = {}
    for _, record in records:
        for check in record.checks:
            for unit in ("gb_per_s", "gflop_per_s"):
                peak = check.evidence.get(f"peak_{unit}")
                if isinstance(peak, float):
                    name = f"{record.task}.{check.check}_{unit}"
                    peaks[name] = max(peak, peaks.get(name, 0.0))
    return peaks


def _measurement(candidate: str, task: str, check: CheckRecord) -> curriculum.Measurement:
    evidence = check.evidence
    mine: Mapping[str, Any] = evidence.get("candidate_seconds", {})
    theirs: Mapping[str, Any] = evidence.get("baseline_seconds", {})
    interval = evidence.get("interval")
    ratio = None
    if interval is not None:
        low, high = interval
        ratio = curriculum.Ratio(estimate=evidence["ratio"], low=low, high=high)
    return curriculum.Measurement(
        candidate=candidate,
        task=task,
        check=check.check,
        verdict=check.verdict,
        earned=check.earned,
        sentence=check.sentence.replace(sys.executable, "python"),  # without this machine's path
        shape=evidence.get("shape"),
        dtype=evidence.get("dtype"),
        threads=evidence.get("threads"),
        p20_ms=_milliseconds(mine.get("p20")),
        p50_ms=_milliseconds(mine.get("p50")),
        p80_ms=_milliseconds(mine.get("p80")),
        baseline_p50_ms=_milliseconds(theirs.get("p50")),
        ratio=ratio,
        gb_per_s=evidence.get("gb_per_s"),
        gflop_per_s=evidence.get("gflop_per_s"),
        fraction_of_limit=evidence.get("fraction_of_limit"),
        judging_s=evidence.get(JUDGING_SECONDS),
    )


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3
