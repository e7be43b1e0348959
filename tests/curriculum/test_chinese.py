"""A Chinese page is as new as the English one, or says on the page that it is not."""

from pathlib import Path

import pytest
import yaml
from tests.curriculum import chinese
from tests.curriculum.chinese import Page

from hotloop.core import paths
from hotloop.learn.bank.translation import BEHIND

LESSON = "# 题\n\n*半小时。*\n\n正文。\n"
PAGES = list(chinese.pages())


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a module with a lesson and a question in both languages."""
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    folder = tmp_path / "curriculum" / "first"
    folder.mkdir(parents=True)
    (folder / "lesson.md").write_text("# Title\n\nOne\nsentence.\n", encoding="utf-8")
    (folder / "lesson.zh.md").write_text(LESSON, encoding="utf-8")
    (folder / "questions.zh.yaml").write_text(
        "questions:\n  - id: other\n    title: 另\n  - id: bytes\n    title: 多少字节？\n",
        encoding="utf-8",
    )
    ask(folder, title="How many bytes?", links=["first.task"])
    return folder


def ask(folder: Path, **changes: object) -> None:
    questions = [{"id": "other", "title": "Another?"}, {"id": "bytes", **changes}]
    path = folder / "questions.yaml"
    path.write_text(yaml.safe_dump({"questions": questions}), encoding="utf-8")


def found(question: str) -> Page:
    [page] = [page for page in chinese.pages() if page.question == question]
    return page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_it_is_as_new_as_the_english_text_or_says_so(page: Page) -> None:
    again = f"python tests/curriculum/chinese.py --renew {page.name}"
    assert page.new or page.follows == BEHIND, f"correct it after the English text; then {again}"


@pytest.mark.parametrize(
    "path", sorted(paths.curriculum().glob("**/*.zh.*")), ids=lambda p: f"{p.parent.name}.{p.name}"
)
def test_a_term_has_one_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    others = {"批次": "batch", "批大小": "batch 大小"}
    assert {word: name for word, name in others.items() if word in text} == {}


@pytest.mark.parametrize("question", ["", "bytes"])
def test_a_mark_is_written_and_replaced(module: Path, question: str) -> None:
    others = {path: path.read_text(encoding="utf-8") for path in module.iterdir()}
    assert found(question).follows == ""
    for follows in (BEHIND, found(question).english):
        chinese.write(found(question), follows)
        assert found(question).follows == follows
    assert found(question).new
    assert found("other").follows == ""
    path = found(question).path
    lines = path.read_text(encoding="utf-8").splitlines()
    added = [line for line in lines if line not in others[path].splitlines()]
    assert len(added) == 1
    assert all(
        text == each.read_text(encoding="utf-8") for each, text in others.items() if each != path
    )


def test_readers_of_a_lesson_see_that_it_is_behind(module: Path) -> None:
    chinese.write(found(""), BEHIND)
    text = (module / "lesson.zh.md").read_text(encoding="utf-8")
    assert text == LESSON.replace("# 题\n", f"# 题\n\n*{BEHIND}*\n")


def test_a_word_of_the_english_text_counts_and_a_line_break_does_not(module: Path) -> None:
    lesson = found("").english
    (module / "lesson.md").write_text("# Title\n\nOne sentence.\n", encoding="utf-8")
    assert found("").english == lesson
    (module / "lesson.md").write_text("# Title\n\nTwo sentences.\n", encoding="utf-8")
    assert found("").english != lesson


def test_what_is_not_translated_of_a_question_does_not_count(module: Path) -> None:
    asked = {"title": "How many bytes?", "cited": [{"claim": "Four.", "source": "https://a.b"}]}
    ask(module, **asked)
    first = found("bytes").english
    ask(module, **asked, level="beginner", links=["first.other"])
    assert found("bytes").english == first
    asked["cited"] = [{"claim": "Eight.", "source": "https://a.b"}]
    ask(module, **asked)
    assert found("bytes").english != first
