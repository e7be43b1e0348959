"""Texts of questions as HTML: escaped, with `code`, paragraphs and fenced blocks of code."""

import re
from collections.abc import Iterable
from html import escape

from hotloop.bank.export.labels import Labels
from hotloop.bank.wording import Wording, blocks

_CODE = re.compile(r"`([^`]+)`")


def inline(text: str) -> str:
    """One piece of text, with what stands between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(" ".join(text.split()), quote=False))


def paragraphs(text: str) -> str:
    """A text whose paragraphs are apart by an empty line, with its fenced code."""
    return "".join(
        f"<pre><code>{escape(part.text, quote=False)}</code></pre>"
        if part.code
        else f"<p>{inline(part.text)}</p>"
        for part in blocks(text)
    )


def items(texts: Iterable[str], kind: str = "ul") -> str:
    """A list."""
    return f"<{kind}>{''.join(f'<li>{inline(text)}</li>' for text in texts)}</{kind}>"


def weak_answers(said: Wording, labels: Labels) -> str:
    """What is often said, and what it shows."""
    told = (
        f"<li>“{inline(says)}” <em>{labels.reveals}</em> {inline(reveals)}</li>"
        for says, reveals in said.weak_answers
    )
    return f"<ul>{''.join(told)}</ul>"


def rubric(said: Wording) -> str:
    """The marks with their sentences."""
    rows = (f"<tr><th>{mark}</th><td>{inline(said.rubric[mark])}</td></tr>" for mark in range(5))
    return f"<table>{''.join(rows)}</table>"


def solution(said: Wording, labels: Labels) -> str:
    """All that is shown after the question was answered."""
    parts = (
        (labels.strategy, items(said.strategy, "ol")),
        (labels.say, paragraphs(said.say)),
        (labels.answer, paragraphs(said.answer)),
        (labels.weak_answers, weak_answers(said, labels)),
        (labels.follow_ups, items(said.follow_ups, "ol")),
        (labels.rubric, rubric(said)),
    )
    return "".join(f"<h3>{heading}</h3>{body}" for heading, body in parts)
