"""A question's texts in one language, whichever file they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hotloop.bank.catalog import Entry
from hotloop.bank.question import Question
from hotloop.bank.translation import NumericText, Translation

Language = Literal["en", "zh"]


@dataclass(frozen=True)
class Wording:
    """What is said. weak_answers: pairs of what is said and what it reveals; cited: with source."""

    language: Language
    title: str
    prompt: str
    probes: tuple[str, ...]
    strategy: tuple[str, ...]
    answer: str
    weak_answers: tuple[tuple[str, str], ...]
    follow_ups: tuple[str, ...]
    rubric: Mapping[int, str]
    hints: tuple[str, ...]
    cited: tuple[tuple[str, str], ...]
    opinion: tuple[str, ...]
    numeric: NumericText | None


def wording(entry: Entry, language: Language) -> Wording:
    """The question in that language. KeyError when it is not asked in it."""
    question = entry.question
    if language == "en":
        numeric = question.numeric
        words = NumericText(ask=numeric.ask, explain=numeric.explain) if numeric else None
        return _wording("en", question.title, question, question, words)
    if entry.chinese is None:
        raise KeyError(f"{entry.key} is not asked in Chinese")
    return _wording("zh", entry.chinese.title, entry.chinese, question, entry.chinese.numeric)


def _wording(
    language: Language,
    title: str,
    said: Question | Translation,
    question: Question,
    numeric: NumericText | None,
) -> Wording:
    sources = [claim.source for claim in question.cited]
    return Wording(
        language=language,
        title=title,
        prompt=said.prompt,
        probes=tuple(said.probes),
        strategy=tuple(said.strategy),
        answer=said.answer,
        weak_answers=tuple((weak.says, weak.reveals) for weak in said.weak_answers),
        follow_ups=tuple(said.follow_ups),
        rubric=said.rubric,
        hints=tuple(said.hints),
        cited=tuple(zip((claim.claim for claim in said.cited), sources, strict=True)),
        opinion=tuple(said.opinion),
        numeric=numeric,
    )
