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
from hotloop.judge.check import Check

STORED = ("checkpoints",)


def checkpoint() -> Check:
    """What is left of a run when its process is gone."""
    return Check(checkpoints.CHECKPOINT, checkpoints.rungs(), extras=STORED)


def backends() -> Check:
    """Several ways to do a step, which go on from one another."""
    return Check(portability.BACKENDS, portability.rungs(), extras=("checkpoints", "xla"))


def policy() -> Check:
    """What to do after each thing that happens to a run."""
    return Check(policies.POLICY, policies.rungs())


def survive() -> Check:
    """A run that comes to its end, whatever happens to it."""
    return Check(survival.TRAINER, survival.rungs(), extras=STORED)


def ranks() -> Check:
    """Two ranks that train as one process does, also when one of them is lost."""
    return Check(launches.RANKS, launches.rungs(), extras=STORED)


def mesh() -> Check:
    """The step over a mesh of XLA devices."""
    return Check(meshes.MESH, meshes.rungs(), extras=("xla",))


def monitor() -> Check:
    """What a run says about itself, told to people and to machines."""
    return monitoring.check()


def plan() -> Check:
    """A model spread over a cluster, by what plans cost."""
    return planning.check()
