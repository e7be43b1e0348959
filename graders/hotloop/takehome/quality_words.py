"""What is known of a task's checks, in sentences for the report."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.takehome.intervals import Interval
from hotloop.takehome.report import CheckQuality, MutantTrials, SpeedRate, VariantTrials

FEW = 10
"""Wrong answers and references below which a rate says little."""


def sentences(checks: CheckQuality | None) -> list[str]:
    """How often wrong passes and right fails, with its uncertainty."""
    if checks is None:
        return ["How strong this task’s checks are was never recorded on any machine."]
    runs = _of_runs(checks) if checks.measured else ()
    variants = _of_variants(checks.variants) if checks.variants else ()
    mutants = _of_mutants(checks.mutants) if checks.mutants else ()
    return [*runs, *variants, *mutants]


def counted(hits: int, trials: int, rate: Interval | None) -> str:
    """For a table: `0 of 4, ≤ 49 %`. What few trials leave possible stands beside the count."""
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
        yield "These are few: the intervals say how little that tells."
    if checks.references:
        yield "The reference is one right answer; another one may be judged otherwise."
    where = "; ".join(checks.measured)
    older = " The code has changed since." if checks.older else ""
    yield f"Recorded on {where}.{older}"


def _of_variants(found: VariantTrials) -> Iterator[str]:
    missed = found.references - found.references_passed
    yield (
        f"In {found.variants} candidates’ variants, with fresh inputs each, the reference fell "
        f"short in {missed} of {found.references} judgings{_up_to(found.wrong_fail_rate)}."
    )
    if found.wrong_judgings:
        yield (
            f"There the known wrong answers failed as they must in {found.wrong_failed} of "
            f"{found.wrong_judgings}."
        )
    if found.left_out:
        yield f"Not tried there: {', '.join(found.left_out)}."
    older = " The code has changed since." if found.older else ""
    yield f"Recorded on {found.device}, {found.date}.{older}"


def _of_mutants(found: MutantTrials) -> Iterator[str]:
    older = " The code has changed since." if found.older else ""
    yield (
        f"Of {found.wrong} wrong mutants of the reference, one small systematic mistake each, "
        f"{found.passed} passed at least once in {found.judgings} judgings with new hidden inputs"
        f"{_up_to(found.rate)}. Recorded on {found.device}, {found.date}.{older}"
    )


def _wrong(checks: CheckQuality) -> str:
    count = checks.wrong_answers
    if count == 0:
        return "No known wrong answer to this task was recorded."
    passed = len(checks.wrong_passed)
    rate = _up_to(checks.wrong_pass_rate)
    said = f"Wrong pass: {passed} of {count} known wrong answers passed{rate}"
    named = f": {', '.join(checks.wrong_passed)}" if passed else ""
    return f"{said}{named}. They were written together with the checks: of others more may pass."


def _right(checks: CheckQuality) -> str:
    count = checks.references
    if count == 0:
        return "The reference was not recorded on this task."
    failed = len(checks.reference_failed)
    said = (
        f"Wrong fail: the reference fell short in {failed} of {count} judgings of a rung"
        f"{_up_to(checks.wrong_fail_rate)}"
    )
    named = f": {', '.join(checks.reference_failed)}" if failed else ""
    return f"{said}{named}."


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
