"""The checks of each task of module portable_trainer. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.checks.portable_trainer import (
    checkpoints,
    launches,
    meshes,
    monitoring,
    planning,
    policies,
    portability,
    survival,
)
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.rungs.holds import Holds
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.task import returns_data

PATIENCE_S = 12.0
"""Timeout for plans with hundreds of devices or more: ten times what the reference takes."""

checkpoint = returns_data(
    written=Makes(checkpoints.written),
    resumed=Makes(checkpoints.resumed, entry="resume_and_save"),
    chosen=checkpoints.chosen,
    killed=checkpoints.killed,
)

backends = returns_data(
    eager=Makes(partial(portability.trained, name="eager", relative=checkpoints.RELATIVE)),
    compiled=Makes(partial(portability.trained, name="compile", relative=portability.COMPILED)),
    one_graph=portability.one_graph,
    xla=Makes(partial(portability.trained, name="xla", relative=portability.COMPILED)),
)

policy = returns_data(
    faults=partial(policies.decides, stories=policies.single_faults),
    steady=following("faults", partial(policies.decides, stories=policies.quiet_runs)),
    whole=following("faults", partial(policies.decides, stories=policies.whole_runs)),
    remembers=policies.remembers,
)

survive = returns_data(
    faults=partial(survival.survives, ordeals=survival.single),
    killed=following("faults", partial(survival.survives, ordeals=survival.killed)),
    several=following("faults", partial(survival.survives, ordeals=survival.several)),
)

ranks = returns_data(
    data_parallel=partial(launches.trained, how="data_parallel"),
    lost=following("data_parallel", partial(launches.trained, how="data_parallel", killed=True)),
    fully_sharded=partial(launches.trained, how="fully_sharded"),
)

mesh = returns_data(
    specs=AnswersFrom("specs", meshes.spec_questions),
    laid_out=Makes(partial(meshes.exported, runs=False)),
    same=Makes(partial(meshes.exported, runs=True), after=("laid_out",)),
)

monitor = returns_data(
    figures=Answers(monitoring.figures),
    merged=Holds(monitoring.merged, "Right for the ranks of {count} jobs together."),
    prometheus=Makes(monitoring.metrics, entry="prometheus"),
    tensorboard=Makes(monitoring.curves, entry="tensorboard"),
    dashboard=AnswersFrom("dashboard", monitoring.dashboards),
)

_plans_for = partial(AnswersFrom, "plan_case")
plan = returns_data(
    estimates=Answers(planning.estimates),
    small=_plans_for(planning.small, after=("estimates",)),
    large=_plans_for(planning.large, after=("small",), timeout_s=PATIENCE_S),
    published=_plans_for(planning.as_published, after=("small",), timeout_s=PATIENCE_S),
)
