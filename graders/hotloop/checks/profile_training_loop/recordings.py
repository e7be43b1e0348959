"""Four recorded sicknesses: the causes, and which events are evidence of them.

The script that made the recordings has computed what is right, and sealed it in the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.answer_key import AnswerKey
from hotloop.judge.questions import Question, number_complaint, shown

Rng = np.random.Generator

KEY = Path(__file__).parent / "programs" / "diagnosis_key.json"
NAMES = ("a", "b", "c", "d")
CAUSES = ("loader", "sync", "launch", "allocator")

LEAST_SHARE = 0.1
"""An event that takes less of the steps' time than this is no evidence."""

RELATIVE = 0.1


@dataclass(frozen=True)
class Asked:
    """files: the recordings' letters, in the order in which they are called a, b, c and d.

    hours: of how many hours of training the part is told that an event takes; 1 for a share.
    """

    files: str = "abcd"
    hours: int = 1


PLAIN = Asked()


def questions(_rng: Rng, asked: Asked = PLAIN) -> Iterator[Question]:
    """One question, which has four answers."""
    yield Question("Your diagnosis", (), partial(mismatch, asked=asked))


def mismatch(answer: object, asked: Asked = PLAIN) -> str | None:
    """What is wrong with a diagnosis of all four."""
    told = as_message(answer)
    if told is None:
        return f"it is {shown(answer)}, not a dict"
    for name, file in zip(NAMES, asked.files, strict=True):
        about = as_message(told.get(name)) or {}
        found = _mismatch(about, file, asked.hours)
        if found is not None:
            return f"recording {name}: {found}"
    return None


def _mismatch(told: Mapping[str, Any], file: str, hours: int) -> str | None:
    cause, event = told.get("cause"), told.get("event")
    if cause not in CAUSES:
        return f"“cause” is {shown(cause)}, and one of {', '.join(CAUSES)} is asked for"
    if not _key().value(file, "cause", cause):
        return f"the cause is not {cause}: compare the trace with the healthy one again"
    share = _key().value(file, "evidence", event) if isinstance(event, str) else None
    if share is None or share < LEAST_SHARE:
        return f"the cause is right, but {shown(event)} is not where the lost time lies"
    what, want = f"the share of {event}", hours * share
    return number_complaint(what, told.get("share"), want, RELATIVE)


@cache
def _key() -> AnswerKey:
    return AnswerKey.read(KEY)
