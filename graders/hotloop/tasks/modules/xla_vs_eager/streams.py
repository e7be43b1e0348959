"""Questions about streams of calls: the programs that jax.jit makes, and the argument to blame."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with
from hotloop.tasks.modules.xla_vs_eager.given_files import program, reported

STREAMS = program("call_streams.py")


def questions(rng: Rng, session: Session, keys: tuple[str, ...]) -> Iterator[Question]:
    """Yield a question about each kind of stream.

    keys: the number of programs; or the argument that causes most of them, and how: by its shape,
    dtype, weak type or value.
    """
    maker = STREAMS.trusted(session)
    kinds = maker.ask("kinds")
    if not isinstance(kinds, int):
        raise JudgeFault("our own program does not know how many streams it has")
    for kind in range(kinds):
        truth = reported(maker.ask("make", kind, int(rng.integers(1 << 30))))
        file = GivenFile("calls.json", maker.take(truth["path"]))
        # In a variant, several processes make all of these calls, and each compiles for itself.
        programs = constant("PROCESSES", 1, range(2, 401)) * int(truth["programs"])
        want = {**truth, "programs": programs}
        yield Question(f"Stream {kind + 1}", (file,), mismatch_with(want, keys))
