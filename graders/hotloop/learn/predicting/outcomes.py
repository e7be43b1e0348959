"""The judge's record of a change, as one word that can be predicted.

The words are few and exclude each other, so that a prediction is either right or wrong: a data race
counts as "race" whether or not the numbers came out right.
"""

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from hotloop.core.document import Strict
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict

Kind = Literal["none", "wrong", "bounds", "race", "stuck", "bytes", "refused"]

WORDS: dict[Kind, str] = {
    "none": "nothing that the judge can see changes",
    "wrong": "wrong results: wrong numbers, NaN, or elements that nobody writes",
    "race": "a data race, whether or not the numbers come out right",
    "bounds": "an access outside of an array, or a misaligned one",
    "stuck": "threads wait for each other, or it never ends",
    "bytes": "right, but it moves other amounts of memory or does other work",
    "refused": "it does not compile or load, or raises an error",
}

_SAME_FACTOR = 0.02
"""Two byte counts, as multiples of the minimum, are equal within this relative difference."""

_RACE = "Data race"
_BOUNDS = (
    *("Out-of-bounds", "lies outside of the array", "far outside", "that is false there"),
    *("wrote outside of its output", "The address is a multiple of", "illegal memory access"),
)
_STUCK = ("wait at __syncthreads()", "neither will ever go on", "meet in ", "leaves it out")
_PLACES = re.compile(r"(?:[\w./]+\.(?:cu|cuh|cpp|h|py)):(\d+)")
_SHAPE = re.compile(r"\(\w+ \[(?:\d+, )*(\d+)\]")
_LABEL = re.compile(r"^(?P<label>[^:(]+?) \(\w+ \[")


class JudgedPrediction(Strict):
    """The outcome of one judging.

    check: the first that did not pass, "" if all passed. lines: lines of code that the judge names.
    factor: bytes moved, as a multiple of the minimum. input: the judge's name for the case. width:
    columns of that case.
    """

    kind: Kind
    check: str
    sentence: str
    lines: list[int] = Field(default_factory=list[int])
    factor: float | None = None
    input: str = ""
    width: int | None = None

    def is_like(self, other: "JudgedPrediction") -> bool:
        """Return True if kind and check are equal and the byte counts agree."""
        if (self.kind, self.check) != (other.kind, other.check):
            return False
        if self.factor is None or other.factor is None:
            return self.factor == other.factor
        return abs(self.factor - other.factor) <= _SAME_FACTOR * other.factor


def outcome(checks: Sequence[CheckRecord]) -> JudgedPrediction | None:
    """Return the outcome of a task's checks.

    Returns None if the judge failed, could not decide or measured nothing: then there is nothing to
    predict.
    """
    measured = [check for check in checks if check.verdict is not Verdict.NOT_MEASURED]
    if not measured or any(check.verdict.pending for check in measured):
        return None
    factors = [r.evidence["factor"] for r in measured if "factor" in r.evidence]
    factor = float(factors[0]) if factors else None
    failed = next((check for check in measured if check.verdict is not Verdict.PASSED), None)
    if failed is None:
        last = measured[-1].sentence
        return JudgedPrediction(kind="none", check="", sentence=last, factor=factor)
    sentence = failed.sentence
    label, shape = _LABEL.search(sentence), _SHAPE.search(sentence)
    return JudgedPrediction(
        kind=_kind(failed),
        check=failed.check,
        sentence=sentence,
        lines=sorted({int(line) for line in _PLACES.findall(sentence)}),
        factor=factor,
        input=label["label"] if label else "",
        width=int(shape[1]) if shape else None,
    )


def against(changed: JudgedPrediction, unchanged: JudgedPrediction) -> JudgedPrediction:
    """Return the outcome of a change: "none" if the unchanged code has the same one.

    If the change passes but the unchanged code is different, the kind is "bytes".
    """
    if changed.is_like(unchanged) and changed.lines == unchanged.lines:
        return changed.model_copy(update={"kind": "none"})
    if changed.kind == "none":
        return changed.model_copy(update={"kind": "bytes"})
    return changed


def agreed(outcomes: Sequence[JudgedPrediction | None]) -> JudgedPrediction | None:
    """Return the outcome that several seeds agree on, or None.

    Lines, input and width are kept only if all outcomes have the same.
    """
    clear = [one for one in outcomes if one is not None]
    if len(clear) < len(outcomes) or not all(one.is_like(clear[0]) for one in clear):
        return None
    first = clear[0]
    return first.model_copy(
        update={
            "lines": first.lines if all(one.lines == first.lines for one in clear) else [],
            "input": first.input if all(one.input == first.input for one in clear) else "",
            "width": first.width if all(one.width == first.width for one in clear) else None,
        }
    )


def _kind(check: CheckRecord) -> Kind:
    sentence = check.sentence
    if _RACE in sentence:
        return "race"
    if check.verdict is Verdict.TIMEOUT or any(words in sentence for words in _STUCK):
        return "stuck"
    if any(words in sentence for words in _BOUNDS):
        return "bounds"
    if check.verdict in (Verdict.PARTIAL, Verdict.TOO_SLOW, Verdict.IMPLAUSIBLE):
        return "bytes"
    if check.verdict is Verdict.WRONG_ANSWER:
        return "wrong"
    return "refused"
