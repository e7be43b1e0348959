"""How strong a task's checks are: known wrong answers that pass, and right ones that fail.

From the module's recorded runs, variants and mutants, which come with the package, and from what
the team has measured itself (`hotloop takehome calibrate --measure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hotloop import curriculum
from hotloop.core.verdict import Verdict
from hotloop.curriculum import Measurement, Module, Run, Task
from hotloop.measured_code import measured_code
from hotloop.takehome import mutant_trials, variant_trials
from hotloop.takehome.intervals import rate_interval
from hotloop.takehome.published import wrong_answers
from hotloop.takehome.recorded import recorded
from hotloop.takehome.report import CheckQuality, SpeedRate

REFERENCE = "reference"


@dataclass(frozen=True)
class _Tried:
    """Different wrong answers that were judged, judgings of the reference, and what went wrong.

    The same wrong answer judged again, or on another machine, is no second one.
    """

    wrong: int
    wrong_passed: list[str]
    references: int
    reference_failed: list[str]


def check_quality(module: Module, task: Task, more: Sequence[Run] = ()) -> CheckQuality | None:
    """What is known of a code task's checks; None where nothing was ever recorded.

    more: runs beyond those that come with the module.
    """
    if task.kind == "written":
        return None
    runs = [run for run in (*_recorded(module.id), *more) if _about(run, task)]
    variants = variant_trials.of_task(module.id, task)
    mutants = mutant_trials.of_task(module.id, task)
    if not runs and variants is None and mutants is None:
        return None
    tried = _count(module, task, runs)
    speed = [rung for rung in task.rungs if rung.threshold]
    return CheckQuality(
        wrong_answers=tried.wrong,
        wrong_passed=tried.wrong_passed,
        wrong_pass_rate=rate_interval(len(tried.wrong_passed), tried.wrong),
        references=tried.references,
        reference_failed=tried.reference_failed,
        wrong_fail_rate=rate_interval(len(tried.reference_failed), tried.references),
        measured=[f"{run.device}, {run.date}" for run in runs],
        older=any(run.code != measured_code(module.id) for run in runs),
        speed=speed_rate() if any(not rung.needs_gpu for rung in speed) else None,
        gpu_speed_unmeasured=any(rung.needs_gpu for rung in speed),
        variants=variants,
        mutants=mutants,
    )


def speed_rate() -> SpeedRate | None:
    """The recorded benchmark of speed judged where the truth is known, which ran on a CPU."""
    measured = recorded("false_grades")
    if measured is None:
        return None
    rows = cast("list[dict[str, Any]]", measured["rows"])
    judgings, wrong, undecided = (
        sum(int(row[key]) for row in rows) for key in ("judgings", "wrong", "undecided")
    )
    return SpeedRate(
        judgings=judgings,
        wrong=wrong,
        undecided=undecided,
        rate=rate_interval(wrong, judgings),
        device=str(measured["device"]),
        date=str(measured["date"]),
    )


def _recorded(module: str) -> list[Run]:
    return curriculum.runs(module)


def _about(run: Run, task: Task) -> bool:
    return any(measured.task == task.id for measured in run.measurements)


def _count(module: Module, task: Task, runs: Iterable[Run]) -> _Tried:
    """A wrong answer counts where the rung that it must fail was measured."""
    must_fail = {w.name: w.rung for w in wrong_answers(module.id) if w.task == task.id}
    references = 0
    passed: dict[str, set[str]] = {}
    failed: list[str] = []
    for run in runs:
        for found in run.measurements:
            if found.task != task.id or found.verdict.pending:
                continue
            if found.candidate == REFERENCE:
                references += 1
                if _falls_short(found):
                    failed.append(f"{found.candidate}, {found.rung} ({run.device})")
            elif must_fail.get(found.candidate) == found.rung:
                devices = passed.setdefault(found.candidate, set())
                if found.verdict is Verdict.PASSED:
                    devices.add(run.device)
    told = [
        f"{name}, {must_fail[name]} ({'; '.join(sorted(devices))})"
        for name, devices in passed.items()
        if devices
    ]
    return _Tried(len(passed), told, references, failed)


def _falls_short(found: Measurement) -> bool:
    return found.verdict is not Verdict.PASSED or found.earned < 1
