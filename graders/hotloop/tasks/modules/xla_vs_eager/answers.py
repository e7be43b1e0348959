"""Compare an answer, which is a dict, with the right one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hotloop.core.wire import as_message
from hotloop.judge.questions import dict_mismatch, number_mismatch, same, shown, without_zeros

COUNTS = ("fusions", "fallbacks")
"""Answers that are counts by name; one of 0 may be left out."""


def mismatch_with(
    truth: Mapping[str, Any], keys: tuple[str, ...], relative: float = 0.0
) -> Callable[[object], str | None]:
    """Return a function that reports the first of `keys` whose value is wrong, or None.

    relative: tolerance where the truth is a float. All else must be equal; 3.0 is 3.
    """

    def mismatch(answer: object) -> str | None:
        reported = as_message(answer)
        if reported is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key in keys:
            if key not in reported:
                return f"the answer has no “{key}”"
            got = without_zeros(reported[key]) if key in COUNTS else reported[key]
            wrong = _wrong(f"“{key}”", got, truth[key], relative)
            if wrong is not None:
                return wrong
        return None

    return mismatch


def _wrong(what: str, got: object, want: object, relative: float) -> str | None:
    if isinstance(want, float):
        return number_mismatch(what, got, want, relative)
    entries = as_message(want)
    if entries is not None:
        return dict_mismatch(what, got, entries)
    return None if same(got, want) else f"{what} is {shown(got)} and should be {shown(want)}"
