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
    from hotloop.tasks.problem import CheckEntry, LevelEntry, TaskSet


def task_spec(problem: TaskSet[Any], name: str) -> TaskSpec:
    """Return the spec of the code task called `name`. Raises KeyError, which lists the tasks."""
    task = problem.task(name)
    unfit = _unfit()
    return TaskSpec(
        task.entry or "",
        tuple(task.files),
        {
            check.id: _check_spec(
                problem.needs_of(check), check, unfit.get(f"{problem.id}.{name}.{check.id}", "")
            )
            for check in task.checks
        },
        tuple(dict(case) for case in task.cases),
        tuple(problem.needs),
    )


def unfit_file() -> Path:
    """Return the file that says which speed checks this machine cannot decide."""
    return folder() / "unfit.json"


def _unfit() -> Mapping[str, str]:
    if not unfit_file().is_file():
        return {}
    from hotloop.tasks import unfit

    return unfit.read(unfit_file())


def _check_spec(needs: Sequence[str], check: CheckEntry, unfit: str) -> CheckSpec:
    spec = CheckSpec(
        needs=(*needs, *([COMPILER] if check.needs_compiler else [])),
        gpu=check.needs_gpu,
        unfit=unfit,
    )
    if check.counted is not None:
        levels, limits = check.counted.levels or (), check.counted.limits or ()
        return replace(
            spec,
            levels=_levels(levels),
            limits=tuple(CountLimit(at.factor, at.earned, at.plus) for at in limits),
        )
    if check.threshold is not None:
        stretch = check.threshold.stretch
        return replace(
            spec,
            levels=_levels(check.threshold.levels, stretch),
            by_device={own.device: _levels(own.levels, stretch) for own in check.threshold.devices},
            reachable=check.threshold.reachable,
        )
    return spec


def _levels(entries: Sequence[LevelEntry], stretch: float | None = None) -> tuple[Level, ...]:
    """Return the judge's levels, with the stretch goal last if it exceeds them."""
    levels = tuple(Level(entry.ratio, entry.earned) for entry in entries)
    if stretch is None or stretch <= max(level.ratio for level in levels):
        return levels
    return (*levels, Level(stretch, 0.0))
