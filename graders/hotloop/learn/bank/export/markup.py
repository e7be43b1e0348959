"""Texts of questions as HTML: escaped, with inline code, paragraphs, lists and code blocks."""

import re
from collections.abc import Iterable
from html import escape

from hotloop.learn.bank.export.labels import Labels
from hotloop.learn.bank.wording import Block, Wording, blocks

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"(?<![\w*`])\*\*(?=\S)([^*]+)(?<=\S)\*\*(?![\w*`])", re.ASCII)
"""Two stars before and after words, Chinese ones too; 2**63 has them within a number."""

_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*`]+)(?<=\S)\*(?![\w*])", re.ASCII)
"""One star before and after words; a product or a pointer has none after it."""


def inline(text: str) -> str:
    """Return a piece of text as HTML, with `code`, **bold** and *emphasized* words."""
    html = escape(" ".join(text.split()), quote=False)
    pieces = _CODE.split(_BOLD.sub(r"<strong>\1</strong>", html))
    return "".join(
        f"<code>{piece}</code>" if place % 2 else _EMPHASIS.sub(r"<em>\1</em>", piece)
        for place, piece in enumerate(pieces)
    )


def paragraphs(text: str) -> str:
    """Return a text's paragraphs and lists, separated by empty lines, and its code as HTML."""
    return "".join(_block(part) for part in blocks(text))


def _block(part: Block) -> str:
    if part.code:
        return f"<pre><code>{escape(part.text, quote=False)}</code></pre>"
    return items(part.items) if part.items else f"<p>{inline(part.text)}</p>"


def items(texts: Iterable[str], kind: str = "ul") -> str:
    """Return the texts as an HTML list."""
    return f"<{kind}>{''.join(f'<li>{inline(text)}</li>' for text in texts)}</{kind}>"


def weak_answers(texts: Wording, labels: Labels) -> str:
    """Return common weak answers, and what each reveals, as an HTML list."""
    entries = (
        f"<li>“{inline(says)}” <em>{labels.reveals}</em> {inline(reveals)}</li>"
        for says, reveals in texts.weak_answers
    )
    return f"<ul>{''.join(entries)}</ul>"


def rubric(texts: Wording) -> str:
    """Return the marks with their descriptions, as an HTML table."""
    rows = (f"<tr><th>{mark}</th><td>{inline(texts.rubric[mark])}</td></tr>" for mark in range(5))
    return f"<table>{''.join(rows)}</table>"


def solution(texts: Wording, labels: Labels) -> str:
    """Return everything that is shown after the question was answered, as HTML."""
    parts = (
        (labels.strategy, items(texts.strategy, "ol")),
        (labels.say, paragraphs(texts.say)),
        (labels.answer, paragraphs(texts.answer)),
        (labels.weak_answers, weak_answers(texts, labels)),
        (labels.follow_ups, items(texts.follow_ups, "ol")),
        (labels.rubric, rubric(texts)),
    )
    return "".join(f"<h3>{heading}</h3>{body}" for heading, body in parts)
