"""Four recorded failures: the cause of each, the line, and the name in the log that shows it.

The right answers are sealed in the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.answer_key import AnswerKey
from hotloop.judge.constants import constant
from hotloop.judge.questions import Question, shown
from hotloop.tasks.modules.control_flow_export.given_files import PROGRAMS

Rng = np.random.Generator

KEY = PROGRAMS / "diagnosis_key.json"
NAMES = ("a", "b", "c", "d")
CAUSES = ("branch_on_data", "fixed_size", "no_fake_kernel", "recompiles", "size_from_data")


def questions(_rng: Rng) -> Iterator[Question]:
    """Yield a question for each failure, all of which the one diagnosis answers."""
    for name in NAMES:
        yield Question("Your diagnosis", (), partial(mismatch, names=(name,)))


def mismatch(answer: object, names: tuple[str, ...] = NAMES) -> str | None:
    """Return what is wrong about the first of these failures that is wrong, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for name in names:
        found = _mismatch(as_message(reported.get(name)), name)
        if found is not None:
            return f"failure {name}: {found}"
    return None


def _mismatch(reported: Mapping[str, Any] | None, failure: str) -> str | None:
    if reported is None:
        return "a dict is asked for, with “cause”, “line” and “name”"
    cause, line, word = (reported.get(key) for key in ("cause", "line", "name"))
    if cause not in CAUSES:
        return f"“cause” is {shown(cause)}, and one of {', '.join(CAUSES)} is asked for"
    if not _key().value(failure, "cause", cause):
        return f"the cause is not {cause}: read the last error again, not the longest one"
    first = constant("LOG_LINE", 1, range(2, 1000))
    if type(line) is not int or not _key().value(failure, "line", line + 1 - first):
        return f"the cause is right, and line {shown(line)} does not bring it about"
    if not isinstance(word, str) or not _key().value(failure, "name", word):
        return f"cause and line are right, and {shown(word)} is not what is named there"
    return None


@cache
def _key() -> AnswerKey:
    return AnswerKey.read(KEY)
