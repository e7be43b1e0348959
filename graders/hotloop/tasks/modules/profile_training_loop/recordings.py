"""Four recorded slow runs: their causes, and the events that are evidence of them.

The script that recorded them computed the right answers and sealed them in the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import permutations
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.answer_key import AnswerKey
from hotloop.judge.constants import constant
from hotloop.judge.questions import Question, number_mismatch, shown
from hotloop.tasks.modules.profile_training_loop.given_files import PROGRAMS

Rng = np.random.Generator

KEY = PROGRAMS / "diagnosis_key.json"
NAMES = ("a", "b", "c", "d")
ORDERS = tuple(map("".join, permutations(NAMES)))
CAUSES = ("loader", "sync", "launch", "allocator")

LEAST_SHARE = 0.1
"""An event that takes a smaller share of the steps' time is not evidence."""

RELATIVE = 0.1


def questions(_rng: Rng) -> Iterator[Question]:
    """Yield a question for each recording, all of which the one diagnosis answers."""
    for name in NAMES:
        yield Question("Your diagnosis", (), partial(mismatch, names=(name,)))


def mismatch(answer: object, names: tuple[str, ...] = NAMES) -> str | None:
    """Return what is wrong about the first of these recordings that is wrong, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for name, file in zip(NAMES, constant("FILES", "abcd", ORDERS), strict=True):
        if name not in names:
            continue
        found = _mismatch(as_message(reported.get(name)) or {}, file)
        if found is not None:
            return f"recording {name}: {found}"
    return None


def _mismatch(reported: Mapping[str, Any], file: str) -> str | None:
    cause, event = reported.get("cause"), reported.get("event")
    if cause not in CAUSES:
        return f"“cause” is {shown(cause)}, and one of {', '.join(CAUSES)} is asked for"
    if not _key().value(file, "cause", cause):
        return f"the cause is not {cause}: compare the trace with the healthy one again"
    share = _key().value(file, "evidence", event) if isinstance(event, str) else None
    if share is None or share < LEAST_SHARE:
        return f"the cause is right, but {shown(event)} is not where the lost time lies"
    want = constant("HOURS", 1, range(1, 131)) * share
    return number_mismatch(f"the share of {event}", reported.get("share"), want, RELATIVE)


@cache
def _key() -> AnswerKey:
    return AnswerKey.read(KEY)
