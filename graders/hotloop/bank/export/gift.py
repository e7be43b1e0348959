"""GIFT, Moodle's text format: an essay a question, with its answer as feedback to the marker.

A question with numbers follows its essay as a numerical question with its tolerance.
"""

import re
from collections.abc import Iterator, Sequence

from hotloop import curriculum
from hotloop.bank import numeric
from hotloop.bank.catalog import Entry
from hotloop.bank.export import markup
from hotloop.bank.export.labels import LABELS
from hotloop.bank.wording import Language, wording

_SPECIAL = re.compile(r"([\\~=#{}:])")


def text(entries: Sequence[Entry], language: Language) -> str:
    """The questions, in categories by track and level."""
    lines: list[str] = []
    category = ""
    titles = {track.id: track.title for track in curriculum.curriculum().tracks}
    for entry in entries:
        place = f"{LABELS[language].bank}/{titles[entry.track]}/{entry.question.level}"
        if place != category:
            lines += [f"$CATEGORY: {place}", ""]
            category = place
        for question in _questions(entry, language):
            lines += [question, ""]
    return "\n".join(lines)


def escaped(said: str) -> str:
    """With a backslash before each character that GIFT reads, and its escape for a line break."""
    return _SPECIAL.sub(r"\\\1", said.strip()).replace("\n", r"\n")


def _questions(entry: Entry, language: Language) -> Iterator[str]:
    said = wording(entry, language)
    solution = escaped(markup.solution(said, LABELS[language]))
    yield (
        f"// [id:hotloop.{entry.question.id}.{language}] [tag:{entry.question.level}]\n"
        f"::{escaped(said.title)}::[html]{escaped(markup.paragraphs(said.prompt))}"
        f"{{####{solution}}}"
    )
    if entry.question.numeric is None:
        return
    drawn = numeric.draw(entry.question.numeric, entry.key, said.numeric)
    asked = f"{drawn.ask} ({drawn.unit})" if drawn.unit else drawn.ask
    yield (
        f"// [id:hotloop.{entry.question.id}.{language}.numeric] [tag:{entry.question.level}]\n"
        f"::{escaped(said.title)}, 1::[html]{escaped(markup.paragraphs(asked))}"
        f"{{#{_plain(drawn.answer)}:{_plain(abs(drawn.answer) * drawn.tolerance)}"
        f"####{escaped(markup.paragraphs(f'{drawn.shown}. {drawn.explain}'))}}}"
    )


def _plain(value: float) -> str:
    """Digits only: readers of GIFT know no exponents."""
    return f"{value:.12f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
