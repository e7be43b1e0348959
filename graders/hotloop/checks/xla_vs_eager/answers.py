"""What is wrong with an answer in the form of a dict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hotloop.core.wire import as_message
from hotloop.judge.questions import dict_complaint, number_complaint, shown


def complaint(
    truth: Mapping[str, Any], keys: tuple[str, ...], relative: float = 0.0
) -> Callable[[object], str | None]:
    """About the first of the keys that is not right. relative: of floats, how far they may be off.

    What is whole in the truth must be exactly it.
    """

    def found(answer: object) -> str | None:
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

    return found


def _wrong(what: str, got: object, want: object, relative: float) -> str | None:
    if isinstance(want, float):
        return number_complaint(what, got, want, relative)
    if type(got) is type(want) and got == want:
        return None
    entries = as_message(want)
    if entries is not None:
        return dict_complaint(what, got, entries) or f"{what} has a number of another type"
    return f"{what} is {shown(got)} and should be {shown(want)}"
