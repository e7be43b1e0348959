"""Checks of backends that resume each other's checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.checks.portable_trainer.checkpoints import FILE, goes_on
from hotloop.checks.portable_trainer.given_files import GRAPHING, RESUMING
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.artifact import Assignment
from hotloop.judge.questions import GivenFile
from hotloop.judge.rung import rung
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading

Rng = np.random.Generator

COMPILED = 2e-4
"""Relative tolerance of losses: a compiler sums in another order, and errors grow over 20 steps."""

MOST_GRAPHS = 2
"""The first graph may be static, for the first size; the second one is dynamic."""

TIMEOUT_S = 90.0


def trained(rng: Rng, session: Session, *, name: str, relative: float) -> Iterator[Assignment]:
    """Yield assignments: a backend resumes our runs, at step 0 and later.

    relative: tolerance of losses.
    """
    for steps in (0, int(rng.integers(3, 12))):
        seed, more = int(rng.integers(1 << 30)), int(rng.integers(3, 9))
        program = RESUMING.trusted(session)
        file = GivenFile(FILE, program.take(program.ask("written", seed, steps)))
        yield Assignment(
            f"{name}, from step {steps} to {steps + more}",
            (name, file, more),
            FILE,
            goes_on(seed, steps + more, session, relative),
        )


@rung(instrumented=True)
def one_graph(session: Session) -> str:
    """Check that `torch.compile` makes at most MOST_GRAPHS graphs for five batch sizes.

    They are counted in the process that runs the candidate's file. Returns the message for the
    learner; raises Ruling.
    """
    sizes = session.rng().permutation(np.arange(3, 12))[:5].tolist()
    names = (session.candidate.file or "", "checkpoint.py")
    files = [GivenFile(file, session.files.content(file)) for file in names]
    program = GRAPHING.given(session, "counts")
    reported = program.ask("graphs", *files, " ".join(map(str, sizes)), timeout_s=TIMEOUT_S)
    with reading():
        found = as_message(reported) or {}
        graphs, off = int(found["graphs"]), float(found["off"])
    if not 1 <= graphs <= MOST_GRAPHS:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{graphs} graphs for batches of {', '.join(map(str, sizes))}: "
            f"between 1 and {MOST_GRAPHS} are right.",
        )
    if not off <= 1e-4:
        raise Ruling(Verdict.WRONG_ANSWER, f"Compiled, a loss is off by {off:.2g}.")
    session.note(graphs=graphs)
    return f"{graphs} graph{'s' if graphs > 1 else ''} for five sizes of batch."
