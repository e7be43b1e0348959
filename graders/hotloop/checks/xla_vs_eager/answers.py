"""Compare an answer, which is a dict, with the right one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hotloop.core.wire import as_message
from hotloop.judge.questions import dict_mismatch, number_mismatch, shown


def mismatch_with(
    truth: Mapping[str, Any], keys: tuple[str, ...], relative: float = 0.0
) -> Callable[[object], str | None]:
    """Return a function that reports the first of `keys` whose value is wrong, or None.

    relative: tolerance of floats. Values of other types must be equal to the truth's.
    """

    def mismatch(answer: object) -> str | None:
        given = as_message(answer)
        if given is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key in keys:
            if key not in given:
                return f"the answer has no “{key}”"
            wrong = _wrong(f"“{key}”", given[key], truth[key], relative)
            if wrong is not None:
                return wrong
        return None

    return mismatch


def _wrong(what: str, got: object, want: object, relative: float) -> str | None:
    if isinstance(want, float):
        return number_mismatch(what, got, want, relative)
    if type(got) is type(want) and got == want:
        return None
    entries = as_message(want)
    if entries is not None:
        return dict_mismatch(what, got, entries) or f"{what} has a number of another type"
    return f"{what} is {shown(got)} and should be {shown(want)}"
