"""The kit's page for printing; tests/browser prints it."""

import re
from collections.abc import Callable

import pytest
from lxml import html

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import kit
from hotloop.learn.bank.export.labels import LABELS
from hotloop.learn.bank.interview_round import fit
from hotloop.learn.bank.wording import Language, wording


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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_kit_for_a_round_has_a_clock_and_short_answers(
    entry: CatalogEntry, language: Language
) -> None:
    plan = fit([entry], 30, in_order=True)
    page = html.fromstring(kit.page([entry], language, plan))
    text = " ".join(page.text_content().split())
    said = wording(entry, language)
    assert " ".join(said.say.split()) in text
    assert " ".join(said.answer.split()) not in text
    assert LABELS[language].strategy not in text
    first, *rows, last, total = page.find(".//table").findall(".//tbody/tr")
    assert first.findtext("td") == "0"
    assert [row.findtext("td") for row in rows] == ["5"]
    assert last.findtext("td") == "25"
    assert len({len(row) for row in (first, *rows, last, total)}) == 1
    assert {"en": "Second interviewer", "zh": "第二位面试官"}[language] in text


def test_the_candidates_sheet_has_questions_and_no_answers(
    ask: Callable[..., CatalogEntry],
) -> None:
    prompt = "What is wrong?\n\n```cuda\n  a < b;\n```\n"
    entries = [ask(id="one", title="One", prompt=prompt), ask(id="two", title="Two")]
    sheet = kit.candidate_sheet(entries, "en")
    assert "## 1. One\n\nWhat is wrong?\n\n```cuda\n  a < b;\n```\n" in sheet
    assert "## 2. Two" in sheet
    said = wording(entries[0], "en")
    for text in (said.say, said.answer, *said.follow_ups, *said.probes, *said.rubric.values()):
        assert text not in sheet


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It does *not* wait.", "It does <em>not</em> wait."),
        ("*one*, **two**, `*p = *q`", "<em>one</em>, <strong>two</strong>, <code>*p = *q</code>"),
        ("a * b * c, 2*x*y, float *a, *b", "a * b * c, 2*x*y, float *a, *b"),
        ("2**63 and **uses `x`**, x*", "2**63 and <strong>uses <code>x</code></strong>, x*"),
    ],
)
def test_words_between_stars_are_emphasized(text: str, shown: str) -> None:
    assert kit.inline(text) == shown
