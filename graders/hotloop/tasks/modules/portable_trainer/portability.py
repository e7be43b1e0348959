"""Checks of backends that resume each other's checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.questions import GivenFile, number_mismatch
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, readable, reading
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.portable_trainer.checkpoints import FILE, resumption_mismatch
from hotloop.tasks.modules.portable_trainer.given_files import RECORDS, REPLAYS, RESUMING

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
            resumption_mismatch(seed, steps + more, session, relative),
        )


@check()
def one_graph(session: Session) -> str:
    """Check that `torch.compile` makes at most MOST_GRAPHS graphs for five batch sizes.

    One process runs the candidate's file and records PyTorch's operators and graphs; another one
    repeats them with hidden weights and samples, without that file, and counts. Returns the message
    for the learner; raises Ruling.
    """
    rng = session.rng()
    seed, first = (int(rng.integers(1 << 30)) for _ in range(2))
    sizes = rng.permutation(np.arange(3, 12))[:5].tolist()
    names = (session.candidate.file or "", "checkpoint.py")
    files = [GivenFile(file, session.files.content(file)) for file in names]
    recorder, replayer = RECORDS.given(session, "records"), REPLAYS.given(session, "repeats")
    steps = as_list(recorder.ask("losses", *files, sizes, timeout_s=TIMEOUT_S))
    if len(steps) != 1 + len(sizes) or not all(isinstance(each, str) for each in steps):
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    compiling, *losses = map(str, steps)
    replayer.ask("begin", seed, compiling)
    for size, repeated in zip(sizes, losses, strict=True):
        want = cast(float, REPLAYS.trusted(session).ask("loss", seed, first, size))
        got = replayer.ask("repeated", first, size, repeated)
        mismatch = number_mismatch("a loss", got, want, 0.0, 1e-4)
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"Compiled, for a batch of {size}, {mismatch}.")
    with reading():
        graphs, outside = as_list(replayer.ask("counts"))
        graphs, outside = int(graphs), readable(outside, 40)
    if outside:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"`{outside}` is computed in no graph: compile the whole model with `compiler`.",
        )
    if not 1 <= graphs <= MOST_GRAPHS:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{graphs} graphs for batches of {', '.join(map(str, sizes))}: "
            f"between 1 and {MOST_GRAPHS} are right.",
        )
    session.note(graphs=graphs)
    return f"{graphs} graph{'s' if graphs > 1 else ''} for five sizes of batch."
