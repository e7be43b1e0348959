"""The checks of each task of module portable_trainer. Points, levels and needs: module.yaml."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.portable_trainer import (
    checkpoints,
    clip_runs,
    fault_tolerance,
    launches,
    meshes,
    monitoring,
    planning,
    policies,
    portability,
    prefetches,
    reductions,
)

TIMEOUT_S = 12.0
"""Timeout for plans with hundreds of devices or more: ten times what the reference takes."""

checkpoint = hl.returns_data(
    written=hl.WritesFiles(checkpoints.written),
    resumed=hl.WritesFiles(checkpoints.resumed, entry="resume_and_save"),
    chosen=checkpoints.chosen,
    killed=checkpoints.killed,
)

backends = hl.returns_data(
    eager=hl.WritesFiles(partial(portability.trained, name="eager", relative=checkpoints.RELATIVE)),
    compiled=hl.WritesFiles(
        partial(portability.trained, name="compile", relative=portability.COMPILED)
    ),
    one_graph=portability.one_graph,
    xla=hl.WritesFiles(partial(portability.trained, name="xla", relative=portability.COMPILED)),
)

policy = hl.returns_data(
    faults=partial(policies.decides, runs=policies.single_faults),
    steady=hl.following("faults", partial(policies.decides, runs=policies.quiet_runs)),
    whole=hl.following("faults", partial(policies.decides, runs=policies.whole_runs)),
    remembers=policies.remembers,
)

survive = hl.returns_data(
    faults=partial(fault_tolerance.survives, runs=fault_tolerance.single),
    killed=hl.following("faults", partial(fault_tolerance.survives, runs=fault_tolerance.killed)),
    several=hl.following("faults", partial(fault_tolerance.survives, runs=fault_tolerance.several)),
)

ranks = hl.returns_data(
    data_parallel=partial(launches.trained, how="data_parallel"),
    lost=hl.following("data_parallel", partial(launches.trained, how="data_parallel", killed=True)),
    fully_sharded=partial(launches.trained, how="fully_sharded"),
)

mesh = hl.returns_data(
    specs=hl.Answers(meshes.spec_questions, entry="specs"),
    laid_out=hl.WritesFiles(partial(meshes.exported, runs=False)),
    same=hl.WritesFiles(partial(meshes.exported, runs=True), after=("laid_out",)),
)

all_reduce = hl.returns_data(
    ring=reductions.sums.bind(ring=True),
    bytes=reductions.few_bytes,
    tree=replace(reductions.sums.bind(ring=False), entry="tree"),
    steps=replace(reductions.few_steps, entry="tree"),
)

prefetch = hl.returns_data(
    gathers=prefetches.gathers,
    ahead=prefetches.ahead,
    exposed=prefetches.exposed,
)

monitor = hl.returns_data(
    figures=hl.Answers(monitoring.figures),
    merged=hl.Assertions(monitoring.merged, "Right for the ranks of {count} jobs together."),
    prometheus=hl.WritesFiles(monitoring.metrics, entry="prometheus"),
    tensorboard=hl.WritesFiles(monitoring.curves, entry="tensorboard"),
    dashboard=hl.Answers(monitoring.dashboards, entry="dashboard"),
)

_plans_for = partial(hl.Answers, entry="plan_case")
plan = hl.returns_data(
    estimates=hl.Answers(planning.estimates),
    small=_plans_for(planning.small, after=("estimates",)),
    large=_plans_for(planning.large, after=("small",), timeout_s=TIMEOUT_S),
    published=_plans_for(planning.as_published, after=("small",), timeout_s=TIMEOUT_S),
)

_EAGER, _XLA = "eager", "xla"
clip = hl.returns_data(
    eager=hl.WritesFiles(partial(clip_runs.trained, orders=((_EAGER,) * 3,))),
    xla=hl.WritesFiles(partial(clip_runs.trained, orders=((_XLA,) * 3, (_XLA,) * 2))),
    fallback=hl.WritesFiles(
        partial(
            clip_runs.trained,
            orders=((_XLA, _XLA, _EAGER, _EAGER), (_EAGER, _XLA, _XLA, _EAGER, _XLA)),
        ),
        after=("eager", "xla"),
    ),
)
