"""Hidden TorchScript files: the effect of freezing, and what must be rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hotloop.core.wire import Message, as_message
from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, dict_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.control_flow_export.encoder_paths import seed
from hotloop.tasks.modules.control_flow_export.given_files import program

FILES = 5
MAKER = program("scripted_files.py")


def figures(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions about each file in three forms: as it is, frozen, optimized for inference."""
    return _questions(rng, session, "figures", "nodes", constant("MODELS", 1, range(2, 401)))


def inventories(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions about methods, branches, loops, mode and parameters of each file."""
    return _questions(
        rng, session, "inventory", "parameters", constant("NUMBER_BYTES", 1, range(2, 401))
    )


def _questions(rng: Rng, session: Session, what: str, key: str, times: int) -> Iterator[Question]:
    """Yield questions about each file's `what`, with the count `key` multiplied by `times`."""
    maker = MAKER.trusted(session)
    for number in range(1, FILES + 1):
        truth = as_message(maker.ask("make", seed(rng), number))
        if truth is None:
            raise JudgeFault("our own program gave no truth")
        file = GivenFile("old.pt", maker.take(truth["path"]))
        want = _times(truth[what], key, times)
        yield Question(f"File {number} of {FILES}", (file,), partial(_mismatch, want))


def _times(truth: Message, key: str, times: int) -> Message:
    def multiplied(name: str, value: object) -> object:
        inner = as_message(value)
        if inner is not None:
            return _times(inner, key, times)
        return times * value if name == key and isinstance(value, int) else value

    return {name: multiplied(name, value) for name, value in truth.items()}


def _mismatch(truth: Message, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for key, want in truth.items():
        inner, got = as_message(want), reported.get(key)
        if inner is not None:
            mismatch = dict_mismatch(f"“{key}”", got, inner)
            if mismatch is not None:
                return mismatch
        elif got != want:
            return f"“{key}” is {shown(got)} and should be {shown(want)}"
    return None
