"""Checks of portable_trainer."""

from __future__ import annotations

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
from hotloop.checks.portable_trainer.costs import OPTIMIZER
from hotloop.checks.portable_trainer.fallback import PLAIN, Rules
from hotloop.judge.check import Check
from hotloop.variants.variant import Variant

STORED = ("checkpoints",)


def checkpoint(variant: Variant | None = None) -> Check:
    """What is left of a run when its process is gone."""
    version = int(_value(variant, "VERSION") or 0)
    return Check(checkpoints.CHECKPOINT, checkpoints.rungs(version), extras=STORED)


def backends() -> Check:
    """Several ways to do a step, which go on from one another."""
    return Check(portability.BACKENDS, portability.rungs(), extras=("checkpoints", "xla"))


def policy(variant: Variant | None = None) -> Check:
    """What to do after each thing that happens to a run."""
    return Check(policies.POLICY, policies.rungs(_rules(variant)))


def survive(variant: Variant | None = None) -> Check:
    """A run that comes to its end, whatever happens to it."""
    return Check(survival.TRAINER, survival.rungs(_rules(variant)), extras=STORED)


def ranks() -> Check:
    """Two ranks that train as one process does, also when one of them is lost."""
    return Check(launches.RANKS, launches.rungs(), extras=STORED)


def mesh() -> Check:
    """The step over a mesh of XLA devices."""
    return Check(meshes.MESH, meshes.rungs(), extras=("xla",))


def monitor(variant: Variant | None = None) -> Check:
    """What a run says about itself, told to people and to machines."""
    return monitoring.check(int(_value(variant, "WINDOW") or 1))


def plan(variant: Variant | None = None) -> Check:
    """A model spread over a cluster, by what plans cost."""
    return planning.check(float(_value(variant, "OPTIMIZER_BYTES") or OPTIMIZER))


def _rules(variant: Variant | None) -> Rules:
    rest, most = _value(variant, "REST"), _value(variant, "MOST_COMPILATIONS")
    return PLAIN if rest is None or most is None else Rules(int(rest), int(most))


def _value(variant: Variant | None, constant: str) -> float | None:
    """A variant's number; None without one."""
    return float(variant.constants[constant]) if variant and variant.constants else None
