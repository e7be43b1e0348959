"""A question's page has all of the bank's data about it, in each language."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import markdown
import pytest

from hotloop.core import paths
from hotloop.learn.bank.catalog import CatalogEntry, Proof
from hotloop.learn.bank.guides import Guide, guides
from hotloop.learn.bank.question import InterviewQuestion
from hotloop.learn.bank.translation import BEHIND, Translation
from hotloop.site import guides_page, question_index, questions

ENGLISH = {
    "id": "bytes_of_a_batch",
    "level": "beginner",
    "minutes": 5,
    "links": ["fused_softmax.online_pass"],
    "title": "Bytes of a batch",
    "prompt": "How many bytes has a batch?",
    "probes": ["counts", "knows widths"],
    "strategy": ["count the numbers", "multiply by the width"],
    "say": "Rows times columns times width.",
    "answer": "Numbers times width.",
    "weak_answers": [{"says": "many", "reveals": "does not count"}],
    "follow_ups": ["And in bfloat16?", "And its gradient?"],
    "rubric": {mark: f"anchor {mark}" for mark in range(5)},
    "hints": ["How wide is a float?"],
    "proofs": ["proofs/bytes.py"],
    "cited": [{"claim": "A float has 4 bytes.", "source": "https://a.example/ieee"}],
    "opinion": ["Counting comes first."],
    "sources": ["https://a.example/reading"],
    "numeric": {
        "ask": "{rows} rows of 1024 float32 numbers?",
        "parameters": {"rows": [16]},
        "formula": "rows * 1024 * 4",
        "unit": "bytes",
        "explain": "Rows times columns times four bytes.",
    },
}
CHINESE = {
    "id": "bytes_of_a_batch",
    "title": "一个批次的字节数",
    "prompt": "一个批次有多少字节？",
    "probes": ["会数", "知道宽度"],
    "strategy": ["数数字", "乘以宽度"],
    "say": "行数乘列数乘宽度。",
    "answer": "数字个数乘以宽度。",
    "weak_answers": [{"says": "很多", "reveals": "没有数"}],
    "follow_ups": ["bfloat16 呢？", "梯度呢？"],
    "rubric": {mark: f"标准 {mark}" for mark in range(5)},
    "hints": ["float 有多宽？"],
    "cited": [{"claim": "float 有 4 字节。"}],
    "opinion": ["先数。"],
    "numeric": {"ask": "{rows} 行，每行 1024 个 float32？", "explain": "行数乘以列数乘以四字节。"},
}


@pytest.fixture
def entry() -> CatalogEntry:
    proof = paths.curriculum() / "fused_softmax" / "proofs" / "bytes.py"
    return CatalogEntry(
        key="fused_softmax.bytes_of_a_batch",
        track="framework_internals",
        module="fused_softmax",
        question=InterviewQuestion.model_validate(ENGLISH),
        chinese=Translation.model_validate(CHINESE),
        folder=Path(),
        proofs=(Proof(proof, "print(4096)", "4096\n"),),
    )


def test_the_english_page_holds_everything(entry: CatalogEntry) -> None:
    lines = questions.pages(entry, None)["fused_softmax/bytes_of_a_batch.md"]
    page = "\n".join(lines)
    for wanted in (
        "# Bytes of a batch",
        "**Level** beginner · **Time** 5 minutes",
        "[中文](bytes_of_a_batch.zh.md)",
        "> How many bytes has a batch?",
        "- knows widths",
        "2. multiply by the width",
        '??? tip "Hint 1"',
        '??? note "Show the whole answer"\n\n    Numbers times width.',
        "> 16 rows of 1024 float32 numbers?",
        "65,536 bytes",
        "| “many” | does not count |",
        "2. And its gradient?",
        "| 4 | anchor 4 |",
        "[The online recurrence](../../modules/fused_softmax/index.md#online_pass)",
        "**Shown by a program**: `curriculum/fused_softmax/proofs/bytes.py`",
        "print(4096)",
        "- A float has 4 bytes. (written in <https://a.example/ieee>)",
        "- Counting comes first.",
        "- <https://a.example/reading>",
        "Shown by a program, Cited, Opinion",
    ):
        assert wanted in page, wanted
    assert "    ``` { .text }\n    4096\n    ```" in page


def test_what_helps_comes_before_the_answer_and_what_tells_it_after(entry: CatalogEntry) -> None:
    page = questions.pages(entry, None)
    text = "\n".join(page["fused_softmax/bytes_of_a_batch.md"])
    assert '??? success "Show what to say in a minute"\n\n    Rows times columns' in text
    parts = (
        "## The question", '??? tip "A strategy', "## Hints", "## With numbers",
        "## After your answer", '??? success "Show what to', '??? note "Show the whole',
        '??? note "Rubric', '??? note "Weak answers and', '??? quote "Evidence',
        '??? question "Follow-ups',
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize("language", ["", ".zh"])
def test_nothing_that_tells_the_answer_is_seen_or_searched_before_it(
    entry: CatalogEntry, language: str
) -> None:
    lines = questions.pages(entry, entry)[f"fused_softmax/bytes_of_a_batch{language}.md"]
    start, end = [n for n, line in enumerate(lines) if line.endswith("{ data-search-exclude }")][
        -2:
    ]
    assert lines[start].startswith(("## After your answer", "## 回答之后"))
    assert lines[end].startswith(("## Practice it", "## 配套练习"))
    after = [line for line in lines[start + 1 : end] if line]
    assert not after[0].startswith(("?", "|", " "))
    assert all(line.startswith(("??? ", "    ")) for line in after[1:])
    before = "\n".join(line for line in lines[:start] if not line.startswith("    "))
    seen = "\n".join([before, *lines[end:]])
    text = entry.question if not language else entry.chinese
    assert text is not None
    for told in (text.answer, text.say, *text.rubric.values(), *text.follow_ups):
        assert told.strip().split("\n")[0] not in seen
    for weak in text.weak_answers:
        assert weak.reveals not in seen


def test_the_chinese_page_says_the_same_and_leads_back(entry: CatalogEntry) -> None:
    page = "\n".join(questions.pages(entry, entry)["fused_softmax/bytes_of_a_batch.zh.md"])
    assert '<div lang="zh-Hans" markdown>' in page
    assert "[English](bytes_of_a_batch.md)" in page
    for wanted in ("一个批次有多少字节？", "2. 乘以宽度", "16 行，每行 1024 个", "| 4 | 标准 4 |"):
        assert wanted in page
    assert "Numbers times width" not in page


def test_a_chinese_page_says_that_it_is_behind(entry: CatalogEntry) -> None:
    assert entry.chinese is not None
    old = replace(entry, chinese=entry.chinese.model_copy(update={"follows": BEHIND}))
    for asked, seen in ((entry, 0), (old, 1)):
        found = questions.pages(asked, None)
        assert found["fused_softmax/bytes_of_a_batch.zh.md"].count(f"*{BEHIND}*") == seen
        assert f"*{BEHIND}*" not in found["fused_softmax/bytes_of_a_batch.md"]


def test_a_page_leads_to_the_next_question(entry: CatalogEntry) -> None:
    page = questions.pages(entry, entry)["fused_softmax/bytes_of_a_batch.md"]
    assert "Next: [Bytes of a batch](../fused_softmax/bytes_of_a_batch.md)" in page
    assert not [line for line in questions.pages(entry, None)[
        "fused_softmax/bytes_of_a_batch.md"] if line.startswith("Next")]  # fmt: skip


def test_without_a_proof_or_a_translation_the_page_does_without(entry: CatalogEntry) -> None:
    changed = entry.question.model_copy(update={"proofs": [], "numeric": None, "links": []})
    bare = CatalogEntry(entry.key, entry.track, None, changed, None, Path(), ())
    found = questions.pages(bare, None)
    assert list(found) == ["fused_softmax/bytes_of_a_batch.md"]
    page = "\n".join(found["fused_softmax/bytes_of_a_batch.md"])
    assert "中文" not in page
    assert "Shown by a program" not in page
    assert "No task covers this question." in page


def test_the_index_tells_the_filters_what_a_question_is(entry: CatalogEntry) -> None:
    [item] = [line for line in question_index.question_list([entry], "") if line.startswith("<li")]
    assert 'data-track="framework_internals" data-module="fused_softmax"' in item
    assert 'data-level="beginner" data-kind="concept"' in item
    assert 'data-role="training kernels" data-round="phone_screen"' in item
    assert 'data-language="en zh"' in item
    assert 'href="fused_softmax/bytes_of_a_batch.html"' in item
    assert 'lang="zh-Hans"' in item


def test_code_in_a_prompt_shows_as_code(entry: CatalogEntry) -> None:
    prompt = "What is wrong?\n\n```cuda\nif (a < b) {\n\n  c[i] = __ldg(x);\n}\n```\n"
    asked = replace(entry, question=InterviewQuestion.model_validate(ENGLISH | {"prompt": prompt}))
    page = questions.pages(asked, None)["fused_softmax/bytes_of_a_batch.md"]
    assert 'description: "What is wrong?"' in page
    html = markdown.markdown(
        "\n".join(page[page.index("> What is wrong?") :]),
        extensions=["pymdownx.highlight", "pymdownx.superfences"],
        extension_configs={"pymdownx.highlight": {"use_pygments": False}},
    )
    quoted = re.search(
        r"<blockquote>\n<p>What is wrong\?</p>\n<pre[^>]*><code[^>]*>(.*?)</code></pre>",
        html,
        re.DOTALL,
    )
    assert quoted
    assert unescape(quoted[1]) == "if (a < b) {\n\n  c[i] = __ldg(x);\n}"


def test_guides_are_covered_and_corrected(
    entry: CatalogEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guides_page, "find", lambda _key: entry)
    guide = Guide.model_validate(
        {
            "id": "g",
            "guide": "a guide",
            "asks": "What is a batch?",
            "covered_by": [entry.key],
            "corrections": [
                {"usual": "It is free.", "right": "It is not.", "source": "https://a.example"}
            ],
        }
    )
    page = "\n".join(guides_page.page([guide]))
    assert "## A guide" in page
    assert "Covered by [Bytes of a batch](fused_softmax/bytes_of_a_batch.md)." in page
    assert "What holds: It is not. (<https://a.example>)" in page


def test_a_guide_is_shown_in_chinese_with_all_of_its_corrections() -> None:
    page = "\n".join(guides_page.page(guides()))
    chinese = page[page.index("## 中文面试的问题") :]
    translated = [guide for guide in guides() if guide.chinese]
    assert len(translated) == 7
    assert chinese.count("常见的说法：") == sum(len(guide.corrections) for guide in translated)
    assert ".zh.md)" in chinese
    incomplete = translated[0].model_dump() | {"chinese": {"asks": "什么？", "corrections": []}}
    with pytest.raises(ValueError, match="as many corrections"):
        Guide.model_validate(incomplete)
