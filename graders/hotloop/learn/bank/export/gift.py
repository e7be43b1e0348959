"""GIFT, Moodle's text format: one essay per question, with the answer as feedback for the grader.

If a question has numbers, a numerical question with its tolerance follows the essay.
"""

import re
from collections.abc import Iterator, Sequence

from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import markup
from hotloop.learn.bank.export.labels import LABELS
from hotloop.learn.bank.wording import Language, wording
from hotloop.tasks import curriculum

_SPECIAL = re.compile(r"([\\~=#{}:])")


def text(entries: Sequence[CatalogEntry], language: Language) -> str:
    """Return the questions as GIFT text, in categories by track and level."""
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


def escaped(plain: str) -> str:
    """Return the text with GIFT's special characters and line breaks escaped."""
    return _SPECIAL.sub(r"\\\1", plain.strip()).replace("\n", r"\n")


def _questions(entry: CatalogEntry, language: Language) -> Iterator[str]:
    texts = wording(entry, language)
    solution = escaped(markup.solution(texts, LABELS[language]))
    yield (
        f"// [id:hotloop.{entry.question.id}.{language}] [tag:{entry.question.level}]\n"
        f"::{escaped(texts.title)}::[html]{escaped(markup.paragraphs(texts.prompt))}"
        f"{{####{solution}}}"
    )
    if entry.question.numeric is None:
        return
    instance = numeric.draw(entry.question.numeric, entry.key, texts.numeric)
    ask = f"{instance.ask} ({instance.unit})" if instance.unit else instance.ask
    yield (
        f"// [id:hotloop.{entry.question.id}.{language}.numeric] [tag:{entry.question.level}]\n"
        f"::{escaped(texts.title)}, 1::[html]{escaped(markup.paragraphs(ask))}"
        f"{{#{_plain(instance.answer)}:{_plain(abs(instance.answer) * instance.tolerance)}"
        f"####{escaped(markup.paragraphs(f'{instance.shown}. {instance.explain}'))}}}"
    )


def _plain(value: float) -> str:
    """Format a number without exponent, which GIFT readers do not support."""
    return f"{value:.12f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
