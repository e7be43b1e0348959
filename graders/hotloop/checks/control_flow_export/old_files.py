"""Hidden TorchScript files: what freezing makes of them, and what has to be written anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hotloop.checks.control_flow_export.given_files import program
from hotloop.checks.control_flow_export.ways import seed
from hotloop.core.wire import Message, as_message
from hotloop.judge.fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, dict_complaint, shown
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.session import Session

Rng = np.random.Generator

FILES = 5
MAKER = program("scripted_files.py")


def asked(what: str, key: str = "", times: int = 1) -> HiddenAnswers:
    """The rung that asks for `what` of what is known of a file.

    key, times: a count that is told so many times, wherever it stands.
    """
    return HiddenAnswers(partial(_questions, what=what, key=key, times=times))


def _questions(rng: Rng, session: Session, what: str, key: str, times: int) -> Iterator[Question]:
    maker = MAKER.trusted(session)
    for number in range(1, FILES + 1):
        truth = as_message(maker.ask("make", seed(rng), number))
        if truth is None:
            raise JudgeFault("our own program gave no truth")
        given = GivenFile("old.pt", maker.take(truth["path"]))
        yield Question(
            f"File {number} of {FILES}", (given,), _complaint(_times(truth[what], key, times))
        )


def _times(truth: Message, key: str, times: int) -> Message:
    def told(name: str, value: object) -> object:
        inner = as_message(value)
        if inner is not None:
            return _times(inner, key, times)
        return times * value if name == key and isinstance(value, int) else value

    return {name: told(name, value) for name, value in truth.items()}


def _complaint(truth: Message) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        told = as_message(answer)
        if told is None:
            return f"it is {shown(answer)}, not a dict"
        for key, want in truth.items():
            inner = as_message(want)
            found = None
            if inner is not None:
                found = dict_complaint(f"“{key}”", told.get(key), inner)
            elif told.get(key) != want:
                found = f"“{key}” is {shown(told.get(key))} and should be {shown(want)}"
            if found is not None:
                return found
        return None

    return complaint
