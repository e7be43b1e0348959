"""The diagnosis of recorded faulty runs, compared with a sealed key."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.answer_key import AnswerKey
from hotloop.judge.author_guard import Authored, Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.checks.answers import Answers
from hotloop.judge.questions import Question, number_mismatch, shown
from hotloop.judge.session import Session

_NAMES = ("a", "b", "c", "d")

Sealed = Callable[..., Any]
"""Returns what the key holds for words about one recording; None if they are wrong."""


@dataclass(frozen=True)
class DiagnosisWord(Authored):
    """A word that the diagnosis of each recording must have right, such as its cause.

    field: the word's name, in the answer and in the key.
    advice: what a wrong word is told; `{}` stands for the word.
    choices: the only allowed words; none: any.
    """

    field: str
    advice: str
    choices: tuple[str | None, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that the answer must have."""
        return (self.field,)

    def malformed(self, reported: Mapping[str, Any]) -> str | None:
        """Return a sentence about a word that is none of the choices, or None."""
        word = reported[self.field]
        if not self.choices or word in self.choices:
            return None
        return (
            f"“{self.field}” is {shown(word)}, expected one of {', '.join(map(str, self.choices))}"
        )

    def mismatch(self, sealed: Sealed, reported: Mapping[str, Any]) -> str | None:
        """Return a sentence about a wrong word, or None."""
        return self._unless(sealed(self.field, reported[self.field]), reported)

    def _unless(self, right: object, reported: Mapping[str, Any]) -> str | None:
        return None if right else self.advice.format(shown(reported[self.field]))


@dataclass(frozen=True)
class DiagnosisLine(DiagnosisWord):
    """The number of a line in a recording.

    first: the number of the first line in this candidate's variant; it is 1 in the key.
    """

    first: Callable[[], int] = lambda: 1

    def mismatch(self, sealed: Sealed, reported: Mapping[str, Any]) -> str | None:
        """Return a sentence about a wrong line, or None."""
        line = reported[self.field]
        right = type(line) is int and sealed(self.field, line + 1 - self.first())
        return self._unless(right, reported)


@dataclass(frozen=True)
class DiagnosisFigure(DiagnosisWord):
    """The name of a figure that shows the cause, and in the field `value` the figure itself.

    value: name of the field with the figure.
    label: what messages call the figure; `{}` stands for its name.
    relative, absolute: tolerances.
    factor: what a candidate's variant multiplies the figure by.
    """

    field: str = "evidence"
    advice: str = "the cause is right, but {} does not show it"
    value: str = "value"
    label: str = "{}"
    relative: float = 0.03
    absolute: float = 0.0
    factor: Callable[[], float] = lambda: 1.0

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that the answer must have."""
        return (self.field, self.value)

    def mismatch(self, sealed: Sealed, reported: Mapping[str, Any]) -> str | None:
        """Return a sentence about a figure that shows nothing or is wrong, or None."""
        name = reported[self.field]
        figure = sealed("evidence", name)
        if figure is None:
            return self._unless(None, reported)
        label, want = self.label.format(name), self.factor() * figure
        return number_mismatch(label, reported[self.value], want, self.relative, self.absolute)


@dataclass(frozen=True)
class Diagnosis(Check):
    """Each recording must be diagnosed correctly, or each right diagnosis earns its share.

    The function that is asked takes nothing and returns a dict: by the name of each recording, a
    dict with the fields of all `parts`.

    key: the file that `answer_key.write` has written.
    recording: what messages call a recording, such as "run".
    parts: of one diagnosis, the cause first.
    names: of the recordings.
    files: the recordings' names in the key, in the order of `names`, where a candidate's variant
        mixes them.
    timeout_s: seconds for each recording.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    key: Path
    recording: str
    parts: tuple[DiagnosisWord, ...]
    timeout_s: float = 60.0
    names: tuple[str, ...] = _NAMES
    files: Callable[[], tuple[str, ...]] = lambda: _NAMES

    def __call__(self, session: Session) -> str:
        """Ask about each recording, as `Answers` does with `shares`."""
        return Answers(self.questions, self.timeout_s, shares=True)(session)

    def questions(self, _rng: np.random.Generator | None = None) -> Iterator[Question]:
        """Yield a question for each recording, all of which the one diagnosis answers."""
        key = AnswerKey.read(self.key)
        sealed: dict[str, Sealed] = {
            name: partial(key.value, file)
            for name, file in zip(self.names, self.files(), strict=True)
        }
        for name in sealed:
            yield Question("Your diagnosis", (), partial(self._mismatch, sealed, name))

    def mismatch(self, answer: object) -> str | None:
        """Return what is wrong with the first wrong part of a diagnosis, or None."""
        return _first(question.mismatch(answer) for question in self.questions())

    def _mismatch(self, sealed: Mapping[str, Sealed], name: str, answer: object) -> str | None:
        diagnosis = as_message(answer)
        if diagnosis is None:
            return f"it is {shown(answer)}, not a dict"
        reported = as_message(diagnosis.get(name))
        fields = [field for part in self.parts for field in part.fields]
        if reported is None or not reported.keys() >= set(fields):
            quoted = [f"“{field}”" for field in fields]
            wrong = f"expected a dict with {', '.join(quoted[:-1])} and {quoted[-1]}"
        else:
            wrong = _first(
                chain(
                    (part.malformed(reported) for part in self.parts),
                    (part.mismatch(sealed[name], reported) for part in self.parts),
                )
            )
            # One word for all of them would be right about some.
            same = all(diagnosis.get(other) == reported for other in sealed)
            if same and any(
                part.mismatch(s, reported) for s in sealed.values() for part in self.parts
            ):
                wrong = f"the diagnosis is the same as that of every other {self.recording}"
        return None if wrong is None else f"{self.recording} {name}: {wrong}"


def _first(mismatches: Iterable[str | None]) -> str | None:
    return next(filter(None, mismatches), None)
