"""The judge's record of a change, as one word that can be predicted.

The words are few and exclude each other, so that a prediction is either right or wrong: a data race
counts as "race" whether or not the numbers came out right, and so does an access outside of an
array.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from hotloop.core.document import Strict
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict

Kind = Literal["none", "wrong", "bounds", "race", "stuck", "bytes", "refused"]

WORDS: dict[Kind, str] = {
    "none": "nothing that the judge can see changes",
    "wrong": "wrong results: wrong numbers, NaN, or elements that nobody writes",
    "race": "a data race, whether or not the numbers come out right",
    "bounds": "an access outside of an array, or a misaligned one, whatever the numbers",
    "stuck": "threads wait for each other, or it never ends",
    "bytes": "right, but it moves other amounts of memory or does other work",
    "refused": "it does not compile or load, or raises an error",
}

_SAME_FACTOR = 0.02
"""Two byte counts, as multiples of the minimum, are equal within this relative difference."""

_RACE = ("Data race", "nothing orders them", "stores different values to")
_BOUNDS = (
    *("Out-of-bounds", "lies outside of the array", "far outside", "that is false there"),
    *("wrote outside of its output", "The address is a multiple of", "illegal memory access"),
)
_STUCK = (
    *("wait at __syncthreads()", "neither will ever go on", "meet in ", "leaves it out"),
    "the launch never ends",
)
_PLACES = re.compile(r"(?:[\w./]+\.(?:cu|cuh|cpp|h|py)):(\d+)")
_SHAPE = re.compile(r"\(\w+ \[(?:\d+, )*(\d+)\]")
_NO_FIGURE = re.compile(r"seconds|_[mu]?s$|^lines?$|^replayed$|^reproducible$")
"""Evidence that differs from one judging of the same code to the next, or by where a line stands.
Of the recorded calls, as many are replayed as time allows."""

_LABEL = re.compile(r"^(?P<label>[^:(]+?) \(\w+ \[")


class JudgedPrediction(Strict):
    """The outcome of one judging.

    check: the first that did not pass, "" if all passed. lines: lines of code that the judge names.
    factor: bytes moved, as a multiple of the minimum. input: the judge's name for the case. width:
    columns of that case. figures: digest of all numbers that the judge recorded, which are equal
    for the same seed if a change has no effect.
    """

    kind: Kind
    check: str
    sentence: str
    lines: list[int] = Field(default_factory=list[int])
    factor: float | None = None
    input: str = ""
    width: int | None = None
    figures: str = ""

    @property
    def is_right(self) -> bool:
        """Return True if the results are right, in whatever bytes."""
        return self.kind in ("none", "bytes")

    def is_like(self, other: "JudgedPrediction") -> bool:
        """Return True if kind and check are equal and the byte counts agree."""
        if (self.kind, self.check) != (other.kind, other.check):
            return False
        if self.factor is None or other.factor is None:
            return self.factor == other.factor
        return abs(self.factor - other.factor) <= _SAME_FACTOR * other.factor


def outcome(checks: Sequence[CheckRecord]) -> JudgedPrediction | None:
    """Return the outcome of a task's checks.

    Returns None if the judge failed, could not decide or measured nothing, or if time ran out: what
    is slow and what never ends looks the same.
    """
    measured = [check for check in checks if check.verdict is not Verdict.NOT_MEASURED]
    if not measured or any(check.verdict.pending for check in measured):
        return None
    factors = [r.evidence["factor"] for r in measured if "factor" in r.evidence]
    factor = float(factors[0]) if factors else None
    figures = _figures(measured)
    failures = [check for check in measured if check.verdict is not Verdict.PASSED]
    if not failures:
        last = measured[-1].sentence
        return JudgedPrediction(
            kind="none", check="", sentence=last, factor=factor, figures=figures
        )
    # Too many bytes hide no race that a later check finds.
    failed = next((check for check in failures if _kind(check) != "bytes"), failures[0])
    sentence = failed.sentence
    if failed.verdict is Verdict.TIMEOUT and not any(words in sentence for words in _STUCK):
        return None
    label, shape = _LABEL.search(sentence), _SHAPE.search(sentence)
    return JudgedPrediction(
        kind=_kind(failed),
        check=failed.check,
        sentence=sentence,
        lines=sorted({int(line) for line in _PLACES.findall(sentence)}),
        factor=factor,
        input=label["label"] if label else "",
        width=int(shape[1]) if shape else None,
        figures=figures,
    )


def against(changed: JudgedPrediction, unchanged: JudgedPrediction) -> JudgedPrediction | None:
    """Return the outcome of a change: "none" if all numbers are the unchanged code's.

    Both must be judged with the same seed. If the verdicts are equal and some number differs, there
    is no outcome, as with code that is wrong already: "nothing changes" would not be true of it.
    """
    if not unchanged.is_right:
        return None
    if not changed.is_right:
        return changed
    if not changed.is_like(unchanged):
        return changed.model_copy(update={"kind": "bytes"})
    if changed.figures != unchanged.figures:
        return None
    return changed.model_copy(update={"kind": "none"})


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


def _figures(checks: Sequence[CheckRecord]) -> str:
    """Return a digest of the numbers in the checks' evidence."""
    numbers = sorted(
        f"{check.check}.{number}" for check in checks for number in _numbers("", check.evidence)
    )
    return hashlib.sha256("\n".join(numbers).encode()).hexdigest()


def _numbers(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            if not _NO_FIGURE.search(str(key)):  # pyright: ignore[reportUnknownArgumentType]
                yield from _numbers(f"{name}.{key}", inner)
    elif isinstance(value, list | tuple):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _numbers(name, inner)
    elif isinstance(value, int | float):
        yield f"{name}={value!r}"


def _kind(check: CheckRecord) -> Kind:
    sentence = check.sentence
    if any(words in sentence for words in _RACE):
        return "race"
    if any(words in sentence for words in _STUCK):
        return "stuck"
    if any(words in sentence for words in _BOUNDS):
        return "bounds"
    if check.verdict in (Verdict.PARTIAL, Verdict.TOO_SLOW, Verdict.IMPLAUSIBLE):
        return "bytes"
    if check.verdict is Verdict.WRONG_ANSWER:
        return "wrong"
    return "refused"
