"""Checks of a candidate's trainer with faults at random steps, against an undisturbed run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.judge_fault import generated
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.portable_trainer import random_faults
from hotloop.tasks.modules.portable_trainer.fallback import Backend
from hotloop.tasks.modules.portable_trainer.fault_runs import Kill, PlannedRun
from hotloop.tasks.modules.portable_trainer.given_files import DISTURBING
from hotloop.tasks.modules.portable_trainer.random_faults import Fault
from hotloop.tasks.modules.portable_trainer.run_comparison import Outcome

STANDS_ON = ("checkpoint.py", "policy.py")
TIMEOUT_S = 60.0
KINDS = ("compile_failed", "out_of_memory", "not_finite", "rank_lost", "recompiles", "slow")


def survives(session: Session, runs: Callable[[Rng], Iterator[PlannedRun]]) -> str:
    """Check that each run ends like an undisturbed one, and follows the policy.

    Returns the message for the learner; raises Ruling.
    """
    names = (*STANDS_ON, session.candidate.file or "")
    files = [GivenFile(name, session.files.content(name)) for name in names]
    count = 0
    for run in generated(lambda: runs(session.rng())):
        session.progress(run.label)
        program = DISTURBING.given(session, "disturbs")
        answer = program.ask("trained", *files, run.plan(), timeout_s=TIMEOUT_S)
        reported = as_message(json.loads(str(answer))) or {}
        mismatch = Outcome(run, reported).mismatch(session)
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{run.label}: {mismatch}.")
        count += 1
    session.note(runs=count)
    return f"All {count} runs ended as if nothing had happened."


def single(rng: Rng) -> Iterator[PlannedRun]:
    """Yield a run without faults, then one for each kind of fault."""
    yield PlannedRun("an undisturbed run", _seed(rng), random_faults.backends(rng), ())
    for kind in KINDS:
        lasting = bool(rng.random() < 0.5)
        backends, fault = _fitting(kind, rng, lasting)
        yield PlannedRun(kind, _seed(rng), backends, (fault,))


def _fitting(kind: str, rng: Rng, lasting: bool) -> tuple[tuple[Backend, ...], Fault]:
    """Return backends and a fault before step 26 from which the policy can recover."""
    while True:
        backends, fault = random_faults.one_fault(kind, rng, lasting=lasting)
        smaller = min(b.memory_gib for b in backends[1:]) < backends[0].memory_gib
        if fault.first < 26 and (smaller or kind != "out_of_memory"):
            return backends, fault


def killed(rng: Rng) -> Iterator[PlannedRun]:
    """Yield runs with kills before a step, right after one, and while a checkpoint is written."""
    backends, fault = _fitting("compile_failed", rng, lasting=True)
    kills: tuple[Kill, ...] = (
        ("step", int(rng.integers(12, 18)), None),
        ("state", 2, 0.0),
        ("step", int(rng.integers(6, 9)), 0.0),
    )
    yield PlannedRun("killed three times", _seed(rng), backends, (fault,), kills)
    early: tuple[Kill, ...] = (("step", int(rng.integers(1, 4)), 0.0),)
    yield PlannedRun(
        "killed before the first checkpoint", _seed(rng), random_faults.backends(rng), (), early
    )


def several(rng: Rng) -> Iterator[PlannedRun]:
    """Yield runs with several faults, and one with a fault on every backend."""
    for number in (1, 2):
        backends, faults = _many(rng)
        yield PlannedRun(f"several faults, run {number} of 2", _seed(rng), backends, faults)
    step = int(rng.integers(8, 30))
    everywhere = (Fault("not_finite", None, step, step),)
    yield PlannedRun(
        "not finite everywhere", _seed(rng), random_faults.backends(rng), everywhere, ends=False
    )


def _many(rng: Rng) -> tuple[tuple[Backend, ...], tuple[Fault, ...]]:
    backends = random_faults.backends(rng)
    steps = sorted(int(step) for step in rng.choice(np.arange(3, 38), 4, replace=False))
    kinds = rng.permutation(["not_finite", "rank_lost", "slow", "recompiles"])
    lasting = {"slow": 12, "recompiles": 10}
    return backends, tuple(
        Fault(str(kind), None, step, step + lasting.get(kind, 0), 99 if kind in lasting else 1)
        for kind, step in zip(kinds, steps, strict=True)
    )


def _seed(rng: Rng) -> int:
    return int(rng.integers(1 << 30))
