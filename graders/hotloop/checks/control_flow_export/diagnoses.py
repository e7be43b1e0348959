"""Four recorded failures: what ails each program, and what in the log says so.

What stands in failures.json was written by the script that recorded them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any, cast

import numpy as np

from hotloop.checks.control_flow_export.given_files import HARNESS
from hotloop.judge.questions import Question, shown
from hotloop.worker.wire import as_message

Rng = np.random.Generator

TRUTH = HARNESS / "failures.json"
NAMES = ("a", "b", "c", "d")
CAUSES = ("branch_on_data", "fixed_size", "no_fake_kernel", "recompiles", "size_from_data")


def questions(_rng: Rng, first: int = 1) -> Iterator[Question]:
    """One question, which has four answers. first: what a program's first line counts as."""
    yield Question("Your diagnosis", (), partial(complaint, first=first))


def complaint(answer: object, first: int = 1) -> str | None:
    """What is wrong with a diagnosis of all four. first: as above."""
    told = as_message(answer)
    if told is None:
        return f"it is {shown(answer)}, not a dict"
    for name in NAMES:
        known = truth()[name]
        known = {**known, "line": known["line"] - 1 + first}
        found = _complaint_about(as_message(told.get(name)), known)
        if found is not None:
            return f"failure {name}: {found}"
    return None


@cache
def truth() -> Mapping[str, Any]:
    """By letter: "cause", "line" and "name"."""
    return cast(Mapping[str, Any], json.loads(TRUTH.read_text(encoding="utf-8")))


def _complaint_about(told: Mapping[str, Any] | None, known: Mapping[str, Any]) -> str | None:
    if told is None:
        return "a dict is asked for, with “cause”, “line” and “name”"
    cause = told.get("cause")
    if cause not in CAUSES:
        return f"“cause” is {shown(cause)}, and one of {', '.join(CAUSES)} is asked for"
    if cause != known["cause"]:
        return f"the cause is not {cause}: read the last error again, not the longest one"
    if told.get("line") != known["line"]:
        return f"the cause is right, and line {shown(told.get('line'))} does not bring it about"
    if told.get("name") != known["name"]:
        return f"cause and line are right, and {shown(told.get('name'))} is not what is named there"
    return None
