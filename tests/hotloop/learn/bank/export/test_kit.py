"""The kit's page for printing; tests/browser prints it."""

import re
from collections.abc import Callable

import pytest
from lxml import html

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import kit
from hotloop.learn.bank.wording import Language


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ["Scorecard", "5 minutes", "mark 4"]), ("zh", ["评分表", "5 分钟", "4 分"])],
)
def test_it_has_a_scorecard_and_every_text(
    entry: CatalogEntry, language: Language, words: list[str]
) -> None:
    page = html.fromstring(kit.page([entry], language))
    text = " ".join(page.text_content().split())
    for said in (*words, entry.key):
        assert said in text
    assert page.get("lang") == language
    assert len(page.findall(".//section")) == 1
    # Five boxes on the scorecard, and one per line of the question's marks.
    assert len(page.find_class("box")) == 10


def test_texts_are_escaped(entry: CatalogEntry) -> None:
    page = kit.page([entry], "en")
    assert "<code>a-&gt;b</code> &lt;b&gt; &amp;" in page
    assert "<b> &" not in page


def test_questions_stand_in_the_order_they_were_chosen(ask: Callable[..., CatalogEntry]) -> None:
    first = ask(id="one", title="One", minutes=7)
    second = ask(id="two", title="Two", minutes=8)
    text = html.fromstring(kit.page([second, first], "en")).text_content()
    assert text.index("1. Two") < text.index("2. One")
    assert re.search(r"Sum of marks\s*15", text)
    assert re.search(r"of 8\b", text)


def test_it_asks_no_other_host(entry: CatalogEntry) -> None:
    page = html.fromstring(kit.page([entry], "en"))
    assert not page.xpath("//script | //link | //img | //*[@src]")
    assert "url(" not in kit.page([entry], "en")


def test_a_list_in_an_answer_is_a_list(ask: Callable[..., CatalogEntry]) -> None:
    answer = "Two numbers, 2**2 and 2**3:\n\n- **float32**: 4 bytes\n- 8 bytes\n"
    page = kit.page([ask(answer=answer, opinion=["8"])], "en")
    items = "<li><strong>float32</strong>: 4 bytes</li><li>8 bytes</li>"
    assert f"<p>Two numbers, 2**2 and 2**3:</p><ul>{items}</ul>" in page
