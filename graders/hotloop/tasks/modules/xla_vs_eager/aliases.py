"""Questions about lowered modules: which arguments XLA reuses for results, and how many bytes."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with
from hotloop.tasks.modules.xla_vs_eager.given_files import program, reported

MAKER = program("donating.py")
KEYS = ("aliased", "arguments", "results", "held")
MODULES = 5


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield modules lowered by jax.jit; some of their donated arguments fit no result."""
    maker = MAKER.trusted(session)
    for number in range(MODULES):
        truth = reported(maker.ask("make", number, int(rng.integers(1 << 30))))
        file = GivenFile("module.txt", maker.take(truth["path"]))
        yield Question(f"Module {number + 1}", (file,), mismatch_with(truth, KEYS))
