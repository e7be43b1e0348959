"""Builds the judge's `TaskSpec` from module.yaml or problem.yaml.

It is separate from `problem`, so that reading these files does not import the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hotloop.core.data_folder import folder
from hotloop.judge.lacking import COMPILER
from hotloop.judge.levels import CountLimit, Level
from hotloop.judge.spec import RungSpec, TaskSpec

if TYPE_CHECKING:
    # The GPU self-test builds a spec without the libraries that read these files.
    from hotloop.tasks.problem import Counted, Problem, Rung, Threshold
    from hotloop.tasks.problem import Level as Declared


def task_spec(problem: Problem[Any], name: str) -> TaskSpec:
    """Return the spec of the code task called `name`. Raises KeyError, which lists the tasks."""
    task = problem.task(name)
    unfit = _unfit()
    rungs = {
        rung.id: replace(
            _rung_spec(problem, rung), unfit=unfit.get(f"{problem.id}.{name}.{rung.id}", "")
        )
        for rung in task.rungs
    }
    cases = tuple(dict(case) for case in task.cases)
    return TaskSpec(task.entry or "", tuple(task.files), rungs, cases, tuple(problem.needs))


def unfit_file() -> Path:
    """Return the file that says which speed checks this machine cannot decide."""
    return folder() / "unfit.json"


def _unfit() -> Mapping[str, str]:
    if not unfit_file().is_file():
        return {}
    from hotloop.tasks import unfit

    return unfit.read(unfit_file())


def _rung_spec(problem: Problem[Any], rung: Rung) -> RungSpec:
    needs = (*problem.needs_of(rung), *([COMPILER] if rung.needs_compiler else []))
    if rung.counted is not None:
        return _counted(RungSpec(needs, gpu=rung.needs_gpu), rung.counted)
    if rung.threshold is None:
        return RungSpec(needs, gpu=rung.needs_gpu)
    asked = rung.threshold
    by_device = {own.device: _levels(asked, own.levels) for own in asked.devices}
    return RungSpec(
        needs,
        _levels(asked, asked.levels),
        by_device,
        rung.needs_gpu,
        reachable=asked.reachable,
    )


def _counted(spec: RungSpec, counted: Counted) -> RungSpec:
    levels = tuple(Level(level.ratio, level.earned) for level in counted.levels or ())
    limits = (CountLimit(at.factor, at.earned, at.plus) for at in counted.limits or ())
    return replace(spec, levels=levels, limits=tuple(limits))


def _levels(asked: Threshold, declared: Sequence[Declared]) -> tuple[Level, ...]:
    """Return the judge's levels, with the stretch goal last if it exceeds them."""
    promised = [Level(level.ratio, level.earned) for level in declared]
    if asked.stretch is None or asked.stretch <= max(level.ratio for level in declared):
        return tuple(promised)
    return (*promised, Level(asked.stretch, 0.0))
