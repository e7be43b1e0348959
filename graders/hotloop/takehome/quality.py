"""Measures the quality of a task's checks: wrong answers that pass, correct ones that fail.

The data are recorded runs, variants and mutants of the module, which are part of the package, and
the team's own measurements (`hotloop takehome calibrate --measure`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hotloop.core.intervals import Interval, rate_interval
from hotloop.core.verdict import Verdict
from hotloop.core.yaml_lines import CurriculumError, load
from hotloop.takehome.integrity.similarity import wrong_answers
from hotloop.takehome.recorded import recorded
from hotloop.takehome.report import CheckQuality, MutantTrials, SpeedRate, VariantTrials
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module, RecordedRun, Task
from hotloop.tasks.measured_code import measured_code

REFERENCE = "reference"


@dataclass(frozen=True)
class _Tried:
    """Counts of wrong answers and reference runs, and the failures.

    A wrong answer counts once, even if judged repeatedly or on several machines.
    """

    wrong: int
    wrong_passed: list[str]
    references: int
    reference_failed: list[str]


def check_quality(
    module: Module, task: Task, more: Sequence[RecordedRun] = ()
) -> CheckQuality | None:
    """Return the quality of a code task's checks; None for written tasks or without records.

    more: runs in addition to the module's own.
    """
    if task.kind == "written":
        return None
    runs = [
        run
        for run in (*curriculum.runs(module.id), *more)
        if any(measurement.task == task.id for measurement in run.measurements)
    ]
    variants = _variant_trials(module.id, task)
    mutants = _mutant_trials(module.id, task)
    if not runs and variants is None and mutants is None:
        return None
    tried = _count(module, task, runs)
    speed = [check for check in task.checks if check.threshold]
    return CheckQuality(
        wrong_answers=tried.wrong,
        wrong_passed=tried.wrong_passed,
        wrong_pass_rate=rate_interval(len(tried.wrong_passed), tried.wrong),
        references=tried.references,
        reference_failed=tried.reference_failed,
        wrong_fail_rate=rate_interval(len(tried.reference_failed), tried.references),
        measured=[f"{run.device}, {run.date}" for run in runs],
        older=any(run.code != measured_code(module.id) for run in runs),
        speed=speed_rate() if any(not check.needs_gpu for check in speed) else None,
        gpu_speed_unmeasured=any(check.needs_gpu for check in speed),
        variants=variants,
        mutants=mutants,
    )


def speed_rate() -> SpeedRate | None:
    """Return the recorded benchmark of speed verdicts with known truth, run on a CPU, or None."""
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


def _count(module: Module, task: Task, runs: Iterable[RecordedRun]) -> _Tried:
    """Count results; a wrong answer counts if the check that must reject it was measured."""
    must_fail = {w.name: w.check for w in wrong_answers(module.id) if w.task == task.id}
    references = 0
    passed: dict[str, set[str]] = {}
    failed: list[str] = []
    for run in runs:
        for one in run.measurements:
            if one.task != task.id or one.verdict.pending:
                continue
            if one.candidate == REFERENCE:
                references += 1
                if one.verdict is not Verdict.PASSED or one.earned < 1:
                    failed.append(f"{one.candidate}, {one.check} ({run.device})")
            elif must_fail.get(one.candidate) == one.check:
                devices = passed.setdefault(one.candidate, set())
                if one.verdict is Verdict.PASSED:
                    devices.add(run.device)
    wrong_passed = [
        f"{name}, {must_fail[name]} ({'; '.join(sorted(devices))})"
        for name, devices in passed.items()
        if devices
    ]
    return _Tried(len(passed), wrong_passed, references, failed)


def _mutant_trials(module: str, task: Task) -> MutantTrials | None:
    """Return the results of the task's mutants; None if none were judged."""
    row = _row("mutants", module, task)
    if row is None:
        return None
    return MutantTrials(
        wrong=row["wrong"],
        passed=row["passed"],
        rate=rate_interval(row["passed"], row["wrong"]),
        judgings=row["judgings"],
        device=row["device"],
        date=row["date"],
        older=row["code"] != measured_code(module),
    )


def _variant_trials(module: str, task: Task) -> VariantTrials | None:
    """Return the results of the task in candidates' variants; None if none were judged."""
    row = _row("variants", module, task)
    if row is None:
        return None
    passed, references = counts(row["reference_as_in_the_plain_module"])
    failed, judgings = counts(row["wrong_answers_as_in_the_plain_module"])
    return VariantTrials(
        variants=row["variants"],
        references=references,
        references_passed=passed,
        wrong_fail_rate=rate_interval(references - passed, references),
        wrong_judgings=judgings,
        wrong_failed=failed,
        left_out=[check.id for check in task.checks if check.threshold or check.needs_gpu],
        device=row["device"],
        date=row["date"],
        older=row["code"] != measured_code(module),
    )


def _row(benchmark: str, module: str, task: Task) -> dict[str, Any] | None:
    """Return a benchmark's row on the task, with the device; None without one."""
    result = recorded(benchmark)
    if result is None:
        return None
    rows = cast("list[dict[str, Any]]", result["rows"])
    row = next((row for row in rows if row["task"] == f"{module}.{task.id}"), None)
    return None if row is None else {"device": result["device"], **row}


def counts(share: str) -> tuple[int, int]:
    """Parse `48 of 50`; return (0, 0) for a dash, which means not applicable."""
    right, of, tried = share.partition(" of ")
    return (int(right), int(tried)) if of else (0, 0)


FOLDER = "calibration"


def of_task(team: Team, module: Module, task: Task) -> CheckQuality | None:
    """Return the quality of the task's checks, including the team's measurements."""
    return check_quality(module, task, measured(team, module.id))


def measured(team: Team, module: str) -> list[RecordedRun]:
    """Return the team's measurements; an unreadable file counts as none."""
    path = path_of(team, module)
    if not path.is_file():
        return []
    try:
        return [load(path, RecordedRun)]
    except CurriculumError:
        return []


def path_of(team: Team, module: str) -> Path:
    """Return the path that `hotloop takehome calibrate --measure` writes to."""
    return team.folder / FOLDER / f"{module}.json"


FEW = 10
"""Fewer wrong answers or references than this say little about a rate."""


def sentences(checks: CheckQuality | None) -> list[str]:
    """Describe how often wrong answers pass and correct ones fail, with uncertainty."""
    if checks is None:
        return ["How strong this task’s checks are was never recorded on any machine."]
    runs = _of_runs(checks) if checks.measured else ()
    variants = _of_variants(checks.variants) if checks.variants else ()
    mutants = _of_mutants(checks.mutants) if checks.mutants else ()
    return [*runs, *variants, *mutants]


def counted(hits: int, trials: int, rate: Interval | None) -> str:
    """Format for a table: `0 of 4, ≤ 49 %`, the count with the bounds that few trials allow."""
    if rate is None:
        return "none tried"
    if not hits:
        return f"0 of {trials}, ≤ {_percent(rate.high)}"
    return f"{hits} of {trials}, {100 * rate.low:.0f}–{_percent(rate.high)}"


def _of_runs(checks: CheckQuality) -> Iterator[str]:
    yield _wrong(checks)
    yield _right(checks)
    if checks.speed is not None:
        yield _speed(checks.speed)
    if checks.gpu_speed_unmeasured:
        yield "How often speed is judged wrongly was not measured on a GPU."
    if min(checks.wrong_answers, checks.references) < FEW:
        yield "The numbers are small, so the intervals are wide."
    if checks.references:
        yield "The reference is one right answer; another one may be judged otherwise."
    where = "; ".join(checks.measured)
    older = " The code has changed since." if checks.older else ""
    yield f"Recorded on {where}.{older}"


def _of_variants(trials: VariantTrials) -> Iterator[str]:
    missed = trials.references - trials.references_passed
    yield (
        f"In {trials.variants} candidates’ variants, with fresh inputs each, the reference fell "
        f"short in {missed} of {trials.references} judgings{_up_to(trials.wrong_fail_rate)}."
    )
    if trials.wrong_judgings:
        yield (
            f"There the known wrong answers failed as they must in {trials.wrong_failed} of "
            f"{trials.wrong_judgings}."
        )
    if trials.left_out:
        yield f"Not tried there: {', '.join(trials.left_out)}."
    older = " The code has changed since." if trials.older else ""
    yield f"Recorded on {trials.device}, {trials.date}.{older}"


def _of_mutants(trials: MutantTrials) -> Iterator[str]:
    older = " The code has changed since." if trials.older else ""
    yield (
        f"Of {trials.wrong} wrong mutants of the reference, one small systematic mistake each, "
        f"{trials.passed} passed at least once in {trials.judgings} judgings with new hidden inputs"
        f"{_up_to(trials.rate)}. Recorded on {trials.device}, {trials.date}.{older}"
    )


def _wrong(checks: CheckQuality) -> str:
    count = checks.wrong_answers
    if count == 0:
        return "No known wrong answer to this task was recorded."
    passed = len(checks.wrong_passed)
    rate = _up_to(checks.wrong_pass_rate)
    counts = f"Wrong pass: {passed} of {count} known wrong answers passed{rate}"
    names = f": {', '.join(checks.wrong_passed)}" if passed else ""
    return f"{counts}{names}. They were written together with the checks: of others more may pass."


def _right(checks: CheckQuality) -> str:
    count = checks.references
    if count == 0:
        return "The reference was not recorded on this task."
    failed = len(checks.reference_failed)
    counts = (
        f"Wrong fail: the reference fell short in {failed} of {count} judgings of a check"
        f"{_up_to(checks.wrong_fail_rate)}"
    )
    names = f": {', '.join(checks.reference_failed)}" if failed else ""
    return f"{counts}{names}."


def _speed(speed: SpeedRate) -> str:
    return (
        f"Speed on a CPU: of {speed.judgings} judgings of a made-up function whose true speed was "
        f"10 % off a level, "
        f"{speed.wrong} were wrong{_up_to(speed.rate)} and {speed.undecided} undecided "
        f"({speed.device}, {speed.date})."
    )


def _up_to(rate: Interval | None) -> str:
    return "" if rate is None else f" (95 % interval {_percent(rate.low)} to {_percent(rate.high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"
