from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.translation import joined, typeset

Ask = Callable[..., CatalogEntry]
Translate = Callable[..., None]


def test_a_question_may_be_asked_in_chinese(ask: Ask, translate: Translate) -> None:
    assert ask().languages == ("en",)
    translate()
    entry = ask()
    assert entry.languages == ("en", "zh")
    assert entry.chinese is not None
    assert entry.chinese.strategy == ["先数行", "再乘宽度"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"strategy": ["一"]}, "strategy has 1 parts here and 2 in English"),
        ({"opinion": None}, "opinion has 0 parts here and 1 in English"),
        ({"hints": ["提示"]}, "hints has 1 parts here and 0 in English"),
        ({"rubric": {0: "零"}}, "marks 0 to 4"),
        ({"id": "another"}, "there is no question 'another' in English"),
        ({"title": None}, "title"),
        ({"say": None}, "say"),
        ({"numeric": {"ask": "?", "explain": "!"}}, "in one language only"),
        ({"links": ["first.task"]}, "unknown key"),
    ],
)
def test_half_a_translation_is_refused(
    tree: Path, ask: Ask, translate: Translate, changes: dict[str, Any], words: str
) -> None:
    translate(**changes)
    with pytest.raises(CurriculumError, match=words) as raised:
        ask()
    assert str(raised.value).startswith(f"{tree}/first/questions.zh.yaml:")


def test_a_complaint_names_the_line(tree: Path, ask: Ask, translate: Translate) -> None:
    translate(strategy=["一"])
    path = tree / "first" / "questions.zh.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "strategy:" in text)
    with pytest.raises(CurriculumError, match=f":{line}: "):
        ask()


def test_numbers_are_told_in_both_languages(
    ask: Ask, translate: Translate, numbers: dict[str, Any]
) -> None:
    translate(numeric={"ask": "{rows} 行,每行 {width} 个数", "explain": "相乘。"})
    assert ask(numeric=numbers).chinese is not None
    translate(numeric={"ask": "{rows} 行", "explain": "相乘。"})
    with pytest.raises(CurriculumError, match="does not tell the value of width"):
        ask(numeric=numbers)


def test_lines_of_chinese_are_joined_without_a_space() -> None:
    assert typeset("有多少字节？\n说明。") == "有多少字节？说明。"
    assert typeset("到此为止。\nTVM 编译\n“它”") == "到此为止。TVM 编译“它”"
    assert typeset("a b 与 c") == "a b 与 c"


def test_signs_of_a_chinese_sentence_are_wide() -> None:
    assert typeset("多少?说明:两点,即 a,b;c") == "多少？说明：两点，即 a,b;c"
    assert typeset("max(a, b) 是 1:1 的") == "max(a, b) 是 1:1 的"


def test_lines_of_a_chinese_paragraph_are_joined() -> None:
    table = "\n\n- 一项，\n- 另一项\n\n| 表 |\n| --- |\n"
    text = f"# 题\n\n第一行，\n第二行没有句号\n第三行，\nPTX。{table}"
    assert joined(text) == f"# 题\n\n第一行，第二行没有句号第三行，PTX。{table}"


def test_lines_are_joined_and_lists_are_kept() -> None:
    text = "先看两个数：\n\n- 第一个，\n  很大\n- 第二个。\n- 第三个\n\n结论：\n```text\na\n```"
    assert typeset(text) == text.replace("，\n  很", "，很")
