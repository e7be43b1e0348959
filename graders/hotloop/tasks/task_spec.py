"""Builds the judge's `TaskSpec` from module.yaml or problem.yaml.

It is separate from `problem`, so that reading these files does not import the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hotloop.core.data_folder import folder
from hotloop.judge.levels import CountLimit, Level
from hotloop.judge.not_measurable import COMPILER
from hotloop.judge.spec import CheckSpec, TaskSpec

if TYPE_CHECKING:
    # The GPU self-test builds a spec without the libraries that read these files.
    from hotloop.tasks.problem import CheckEntry, Counted, TaskSet, Threshold
    from hotloop.tasks.problem import LevelEntry as Declared


def task_spec(problem: TaskSet[Any], name: str) -> TaskSpec:
    """Return the spec of the code task called `name`. Raises KeyError, which lists the tasks."""
    task = problem.task(name)
    unfit = _unfit()
    checks = {
        check.id: replace(
            _check_spec(problem, check), unfit=unfit.get(f"{problem.id}.{name}.{check.id}", "")
        )
        for check in task.checks
    }
    cases = tuple(dict(case) for case in task.cases)
    return TaskSpec(task.entry or "", tuple(task.files), checks, cases, tuple(problem.needs))


def unfit_file() -> Path:
    """Return the file that says which speed checks this machine cannot decide."""
    return folder() / "unfit.json"


def _unfit() -> Mapping[str, str]:
    if not unfit_file().is_file():
        return {}
    from hotloop.tasks import unfit

    return unfit.read(unfit_file())


def _check_spec(problem: TaskSet[Any], check: CheckEntry) -> CheckSpec:
    needs = (*problem.needs_of(check), *([COMPILER] if check.needs_compiler else []))
    if check.counted is not None:
        return _counted(CheckSpec(needs, gpu=check.needs_gpu), check.counted)
    if check.threshold is None:
        return CheckSpec(needs, gpu=check.needs_gpu)
    asked = check.threshold
    by_device = {own.device: _levels(asked, own.levels) for own in asked.devices}
    return CheckSpec(
        needs,
        _levels(asked, asked.levels),
        by_device,
        check.needs_gpu,
        reachable=asked.reachable,
    )


def _counted(spec: CheckSpec, counted: Counted) -> CheckSpec:
    levels = tuple(Level(level.ratio, level.earned) for level in counted.levels or ())
    limits = (CountLimit(at.factor, at.earned, at.plus) for at in counted.limits or ())
    return replace(spec, levels=levels, limits=tuple(limits))


def _levels(asked: Threshold, declared: Sequence[Declared]) -> tuple[Level, ...]:
    """Return the judge's levels, with the stretch goal last if it exceeds them."""
    promised = [Level(level.ratio, level.earned) for level in declared]
    if asked.stretch is None or asked.stretch <= max(level.ratio for level in declared):
        return tuple(promised)
    return (*promised, Level(asked.stretch, 0.0))
