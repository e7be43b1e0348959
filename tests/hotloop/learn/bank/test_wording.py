from collections.abc import Callable

import pytest

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.wording import Block, blocks, wording

Ask = Callable[..., CatalogEntry]


def test_texts_come_in_the_asked_language(ask: Ask, translate: Callable[..., None]) -> None:
    translate()
    entry = ask()
    english, chinese = wording(entry, "en"), wording(entry, "zh")
    assert (english.title, chinese.title) == ("Bytes of a batch", "一个批次有多少字节")
    assert english.weak_answers == (("a few", "does not count"),)
    assert chinese.weak_answers == (("几个", "没有计数"),)
    assert (english.numeric, chinese.numeric) == (None, None)


def test_a_claim_keeps_its_source_in_each_language(
    ask: Ask, translate: Callable[..., None]
) -> None:
    source = "https://example.org/ieee754"
    translate(cited=[{"claim": "四个字节。"}])
    entry = ask(cited=[{"claim": "Four bytes.", "source": source}])
    assert wording(entry, "en").cited == (("Four bytes.", source),)
    assert wording(entry, "zh").cited == (("四个字节。", source),)


def test_what_is_not_translated_cannot_be_asked_in_chinese(ask: Ask) -> None:
    with pytest.raises(KeyError, match="not asked in Chinese"):
        wording(ask(), "zh")


def test_a_text_is_paragraphs_and_code() -> None:
    text = "One\nline.\n\nAnother.\n```cuda\nif (a) {\n\n  b;\n}\n```\nThe end.\n"
    assert list(blocks(text)) == [
        Block("One line.", code=False),
        Block("Another.", code=False),
        Block("if (a) {\n\n  b;\n}", code=True),
        Block("The end.", code=False),
    ]


def test_a_paragraph_of_items_is_a_list() -> None:
    text = "Two numbers:\n\n- 4 - 2 is 2,\n  a difference\n- the other\n\nSo a - b\n"
    assert list(blocks(text)) == [
        Block("Two numbers:", code=False),
        Block(
            "- 4 - 2 is 2, a difference - the other",
            code=False,
            items=("4 - 2 is 2, a difference", "the other"),
        ),
        Block("So a - b", code=False),
    ]
