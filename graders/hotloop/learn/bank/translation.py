"""A question in another language: the same id, and all texts, with lists of equal length."""

import re
from collections.abc import Iterator, Sized
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from hotloop.core.document import Identifier, Strict, Text
from hotloop.learn.bank.question import InterviewQuestion, complain_about_places
from hotloop.tasks.problem import refuse_repeats

_LISTS = ("probes", "strategy", "weak_answers", "follow_ups", "hints", "cited", "opinion")
_WIDE = "[\u2e80-\u9fff\uff00-\uffef“”‘’…]"
_STOP = "[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]"
_GAP = re.compile(f"(?<={_WIDE})(?: +| *\n *)(?={_WIDE})|(?<={_STOP})(?: +| *\n *(?!\\s|- |```))")
"""What joins two lines of a paragraph; an empty line, a list item or code begins a new one."""

_BREAK = re.compile(f"(?<={_WIDE})\n(?={_WIDE})|(?<={_STOP})\n(?=[A-Za-z`])")

_HAN = "[\u3400-\u9fff]"
_NARROW = re.compile(f"(?<={_HAN})[,;:?!]|[,;:?!](?={_HAN})")
_FULL = str.maketrans(",;:?!", "\uff0c\uff1b\uff1a\uff1f\uff01")


def typeset(text: str) -> str:
    """Return Chinese text with full-width punctuation and no spaces where lines were joined."""
    wide = _NARROW.sub(lambda sign: sign[0].translate(_FULL), text)
    return _GAP.sub("", wide)


def joined(markdown: str) -> str:
    """Join the lines of Chinese paragraphs, since a page shows a line break as a space.

    A line that begins with another sign, such as a list item or code, stays as it is.
    """
    return _BREAK.sub("", markdown)


Words = Annotated[Text, AfterValidator(typeset)]

BEHIND = "英文版已更新，中文版尚未跟上。"
"""What a Chinese page says if the English text has changed since."""


class WeakAnswerText(Strict):
    """A common weak answer, and what it reveals."""

    says: Words
    reveals: Words


class ClaimText(Strict):
    """The text of a claim; the question has its source."""

    claim: Words


class NumericText(Strict):
    """The texts of a question with numbers."""

    ask: Words
    explain: Words


class Translation(Strict):
    """The texts. What programs read, such as links and proofs, is only in the question.

    follows: a digest of the English texts that these were written after, or BEHIND if those have
    changed (`tests/curriculum/chinese.py`).
    """

    id: Identifier
    follows: Annotated[str, Field(pattern=rf"^([0-9a-f]{{12}}|{BEHIND})?$")] = ""
    title: Words
    prompt: Words
    probes: list[Words]
    strategy: list[Words]
    say: Words
    answer: Words
    weak_answers: list[WeakAnswerText]
    follow_ups: list[Words]
    rubric: dict[int, Words]
    hints: list[Words] = Field(default_factory=list[str])
    cited: list[ClaimText] = Field(default_factory=list[ClaimText])
    opinion: list[Words] = Field(default_factory=list[str])
    numeric: NumericText | None = None


class Translations(Strict):
    """The content of a file of translations."""

    questions: Annotated[list[Translation], Field(min_length=1)]

    @model_validator(mode="after")
    def _questions_differ(self) -> Self:
        refuse_repeats("question", [question.id for question in self.questions])
        return self


def differences(question: InterviewQuestion, translation: Translation) -> Iterator[tuple[str, str]]:
    """Yield where the translation does not match the question: the key and a sentence."""
    for key in _LISTS:
        there, here = _length(question, key), _length(translation, key)
        if there != here:
            yield key, f"{key} has {here} parts here and {there} in English"
    if set(translation.rubric) != set(question.rubric):
        yield "rubric", "the rubric needs the marks 0 to 4"
    if (translation.numeric is None) != (question.numeric is None):
        yield "numeric", "`numeric` is in one language only"
    if translation.numeric and question.numeric:
        try:
            complain_about_places(translation.numeric.ask, question.numeric.parameters)
        except ValueError as error:
            yield "numeric", str(error)


def _length(of: InterviewQuestion | Translation, key: str) -> int:
    value: Sized = getattr(of, key)
    return len(value)
