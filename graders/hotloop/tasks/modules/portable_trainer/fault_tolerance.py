"""Checks of a candidate's trainer with faults at random steps, against an undisturbed run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.judge_fault import generated
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.tasks.modules.portable_trainer import random_faults
from hotloop.tasks.modules.portable_trainer.fallback import Backend
from hotloop.tasks.modules.portable_trainer.fault_runs import Kill, Ordeal
from hotloop.tasks.modules.portable_trainer.given_files import DISTURBING
from hotloop.tasks.modules.portable_trainer.random_faults import Trouble
from hotloop.tasks.modules.portable_trainer.run_comparison import Outcome

Rng = np.random.Generator
STANDS_ON = ("checkpoint.py", "policy.py")
TIMEOUT_S = 60.0
KINDS = ("compile_failed", "out_of_memory", "not_finite", "rank_lost", "recompiles", "slow")


def survives(session: Session, ordeals: Callable[[Rng], Iterator[Ordeal]]) -> str:
    """Check that each run ends like an undisturbed one, and follows the policy.

    Returns the message for the learner; raises Ruling.
    """
    names = (*STANDS_ON, session.candidate.file or "")
    files = [GivenFile(name, session.files.content(name)) for name in names]
    count = 0
    for ordeal in generated(lambda: ordeals(session.rng())):
        session.progress(ordeal.label)
        mismatch = Outcome(ordeal, _run(ordeal, files, session)).mismatch(session)
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{ordeal.label}: {mismatch}.")
        count += 1
    session.note(runs=count)
    return f"All {count} runs ended as if nothing had happened."


def _run(ordeal: Ordeal, files: list[GivenFile], session: Session) -> dict[str, Any]:
    program = DISTURBING.given(session, "disturbs")
    reported = program.ask("trained", *files, ordeal.plan(), timeout_s=TIMEOUT_S)
    return as_message(json.loads(str(reported))) or {}


def single(rng: Rng) -> Iterator[Ordeal]:
    """Yield a run without faults, then one for each kind of fault."""
    yield Ordeal("an undisturbed run", _seed(rng), random_faults.backends(rng), ())
    for kind in KINDS:
        lasting = bool(rng.random() < 0.5)
        found, trouble = _fitting(kind, rng, lasting)
        yield Ordeal(kind, _seed(rng), found, (trouble,))


def _fitting(kind: str, rng: Rng, lasting: bool) -> tuple[tuple[Backend, ...], Trouble]:
    """Return backends and a fault before step 26 from which the policy can recover."""
    while True:
        found, trouble = random_faults.one_trouble(kind, rng, lasting=lasting)
        smaller = min(b.memory_gib for b in found[1:]) < found[0].memory_gib
        if trouble.first < 26 and (smaller or kind != "out_of_memory"):
            return found, trouble


def killed(rng: Rng) -> Iterator[Ordeal]:
    """Yield runs with kills before a step, right after one, and while a checkpoint is written."""
    found, trouble = _fitting("compile_failed", rng, lasting=True)
    kills: tuple[Kill, ...] = (
        ("step", int(rng.integers(12, 18)), None),
        ("state", 2, 0.0),
        ("step", int(rng.integers(6, 9)), 0.0),
    )
    yield Ordeal("killed three times", _seed(rng), found, (trouble,), kills)
    early: tuple[Kill, ...] = (("step", int(rng.integers(1, 4)), 0.0),)
    yield Ordeal(
        "killed before the first checkpoint", _seed(rng), random_faults.backends(rng), (), early
    )


def several(rng: Rng) -> Iterator[Ordeal]:
    """Yield runs with several faults, and one with a fault on every backend."""
    for number in (1, 2):
        found, troubles = _many(rng)
        yield Ordeal(f"several faults, run {number} of 2", _seed(rng), found, troubles)
    step = int(rng.integers(8, 30))
    everywhere = (Trouble("not_finite", None, step, step),)
    yield Ordeal(
        "not finite everywhere", _seed(rng), random_faults.backends(rng), everywhere, ends=False
    )


def _many(rng: Rng) -> tuple[tuple[Backend, ...], tuple[Trouble, ...]]:
    found = random_faults.backends(rng)
    steps = sorted(int(step) for step in rng.choice(np.arange(3, 38), 4, replace=False))
    kinds = rng.permutation(["not_finite", "rank_lost", "slow", "recompiles"])
    lasting = {"slow": 12, "recompiles": 10}
    return found, tuple(
        Trouble(str(kind), None, step, step + lasting.get(kind, 0), 99 if kind in lasting else 1)
        for kind, step in zip(kinds, steps, strict=True)
    )


def _seed(rng: Rng) -> int:
    return int(rng.integers(1 << 30))
