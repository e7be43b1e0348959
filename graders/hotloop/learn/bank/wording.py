"""A question's texts in one language, from whichever file has them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.question import InterviewQuestion
from hotloop.learn.bank.translation import NumericText, Translation

Language = Literal["en", "zh"]

_FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A paragraph on one line, the lines of a code block without its fence, or a list.

    items: what a list has, each on one line; empty where the block is no list.
    """

    text: str
    code: bool
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wording:
    """The texts. weak_answers: pairs of answer and what it reveals; cited: claims with sources."""

    language: Language
    title: str
    prompt: str
    probes: tuple[str, ...]
    strategy: tuple[str, ...]
    say: str
    answer: str
    weak_answers: tuple[tuple[str, str], ...]
    follow_ups: tuple[str, ...]
    rubric: Mapping[int, str]
    hints: tuple[str, ...]
    cited: tuple[tuple[str, str], ...]
    opinion: tuple[str, ...]
    numeric: NumericText | None


def wording(entry: CatalogEntry, language: Language) -> Wording:
    """Return the question's texts. Raises KeyError if there is no translation."""
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
    texts: InterviewQuestion | Translation,
    question: InterviewQuestion,
    numeric: NumericText | None,
) -> Wording:
    sources = [claim.source for claim in question.cited]
    return Wording(
        language=language,
        title=title,
        prompt=texts.prompt,
        probes=tuple(texts.probes),
        strategy=tuple(texts.strategy),
        say=texts.say,
        answer=texts.answer,
        weak_answers=tuple((weak.says, weak.reveals) for weak in texts.weak_answers),
        follow_ups=tuple(texts.follow_ups),
        rubric=texts.rubric,
        hints=tuple(texts.hints),
        cited=tuple(zip((claim.claim for claim in texts.cited), sources, strict=True)),
        opinion=tuple(texts.opinion),
        numeric=numeric,
    )


def blocks(text: str) -> Iterator[Block]:
    """Yield the text's paragraphs, separated by empty lines, and its code between ``` fences.

    A paragraph that begins with `- ` is a list.
    """
    for index, part in enumerate(_FENCED.split(text.strip())):
        if index % 2:
            yield Block(part.rstrip("\n"), code=True)
            continue
        for paragraph in re.split(r"\n\s*\n", part.strip()):
            line = " ".join(paragraph.split())
            if paragraph.startswith("- "):
                items = re.split(r"^- ", paragraph, flags=re.MULTILINE)[1:]
                yield Block(line, code=False, items=tuple(" ".join(i.split()) for i in items))
            elif paragraph:
                yield Block(line, code=False)
