"""Lessons: short enough to read in one sitting, with standard terms linked to the glossary."""

import re
from pathlib import Path

import pytest

from hotloop.core import paths

LESSONS = sorted(paths.curriculum().glob("*/lesson.md"))
PAGES = sorted(p for p in paths.curriculum().glob("*/*.md") if p.name != "design.md")
GLOSSARY = paths.root() / "site" / "pages" / "glossary.md"
MOST_WORDS = 3000
LINK = re.compile(r"\(\.\./\.\./site/pages/glossary\.md#([\w-]+)\)")
NOT_PROSE = (
    r"(?ms)^\s*(`{3,}).*?^\s*\1\s*$",  # code
    r"(?m)^\s*--8<--.*$",
    r"(?s)<!--.*?-->",
    r"</?\w[^>]*>",
    r"(?m)^\|[ \-|]+\|$",
    r"\([^()\s]*(?:/|\.md)[^()\s]*\)",  # addresses of links
)


def words(text: str) -> int:
    """How many words a text has without code, includes, tags and addresses."""
    for pattern in NOT_PROSE:
        text = re.sub(pattern, " ", text)
    text = re.sub(r"\{\{.*?\}\}", "1", text)
    return sum(1 for word in text.split() if re.search(r"\w", word))


def entries() -> dict[str, str]:
    """The glossary's terms, as anchors, with their definitions."""
    parts = re.split(r"(?m)^### (.+)$", GLOSSARY.read_text(encoding="utf-8"))[1:]
    titles, texts = parts[::2], parts[1::2]
    anchors = [re.sub(r"[^\w\s-]", "", title).strip().lower().replace(" ", "-") for title in titles]
    assert len(set(anchors)) == len(anchors)
    return dict(zip(anchors, texts, strict=True))


def test_words_are_counted_without_code_and_addresses() -> None:
    assert words("Two [words](https://a.b/c).\n\n```text\nnot these\n```\n") == 2


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.parent.name)
def test_a_lesson_is_short_and_links_its_terms(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert words(text) <= MOST_WORDS
    assert LINK.findall(text)
    first = text.split("\n\n")[2]
    assert not first.startswith("#"), "says what the reader will make fast, before the outcomes"


def test_every_linked_term_is_in_the_glossary() -> None:
    named = {term for page in PAGES for term in LINK.findall(page.read_text(encoding="utf-8"))}
    assert named - set(entries()) == set()
    assert len(named) > 40


def test_every_term_has_a_short_definition_and_a_source() -> None:
    assert len(entries()) >= 60
    for term, text in entries().items():
        definition = text.split("\n## ")[0]
        assert re.search(r"\]\(https://", definition), term
        assert 4 <= words(definition) <= 60, term
