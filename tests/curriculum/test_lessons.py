"""Lessons: short enough to read in one sitting, with standard terms linked to the glossary."""

import json
import re
import runpy
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.tasks import lesson_files
from hotloop.tasks.notebook_cells import NOTEBOOK

LESSONS = sorted(paths.curriculum().glob("*/lesson.md"))
PAGES = sorted(p for p in paths.curriculum().glob("*/*.md") if p.name != "design.md")
CHARTS = [
    path
    for path in sorted(paths.curriculum().glob("*/figures/*.py"))
    if "\nfrom hotloop.site." in path.read_text(encoding="utf-8")
]
GLOSSARY = paths.curriculum() / "glossary.md"
MOST_WORDS = 3000
LINK = re.compile(r"\(\.\./glossary\.md#([\w-]+)\)")
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


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.parent.name)
def test_a_lesson_has_four_figures_that_exist(path: Path) -> None:
    for page in path.parent.glob("lesson*.md"):
        shown = re.findall(r'<img src="(figures/\w+\.svg)"', page.read_text(encoding="utf-8"))
        assert len(set(shown)) == len(shown) >= 4
        assert all((path.parent / name).is_file() for name in shown)


@pytest.mark.parametrize("script", CHARTS, ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_a_chart_is_what_its_script_draws_from_the_recorded_data(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == script.with_suffix(".svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.parent.name)
def test_lesson_and_notebook_link_each_other(path: Path) -> None:
    module = path.parent.name
    notebook = paths.exercises() / module / NOTEBOOK
    link = f"](../../exercises/{module}/{NOTEBOOK})"
    for page in path.parent.glob("lesson*.md"):
        assert link in page.read_text(encoding="utf-8")
        assert notebook.samefile(page.parent / link[2:-1])
    first = json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]
    assert "[The lesson](lesson.md)" in "".join(first["source"])


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.parent.name)
def test_a_lesson_ends_with_questions_a_real_model_and_the_next_module(path: Path) -> None:
    for page in path.parent.glob("lesson*.md"):
        text = page.read_text(encoding="utf-8")
        end = re.split(r"(?m)^## (?:What next|接下来)$", text)[1]
        last, _, sources = end.partition("\n## ")
        assert len(re.findall("(?m)^- \\*\\*", last)) == 3
        assert "\n## " not in sources, "only sources follow"
        for link in re.findall(r"\]\(([^)]+)\)", last):
            assert (path.parent / link).is_file(), link
        assert re.search(r"\]\(questions(\.zh)?\.yaml\)", last)
        [following] = re.findall(r"\]\(\.\./(\w+)/lesson\.md\)", last)
        assert following != path.parent.name
        assert f"`hotloop start {following}`" in last


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.parent.name)
def test_what_start_copies_links_only_what_it_copies(path: Path) -> None:
    copied = lesson_files.beside_notebook(path.parent.name)
    exercise = {p.name for p in (paths.exercises() / path.parent.name).iterdir()}
    pages = {name: data.decode() for name, data in copied.items() if name.endswith(".md")}
    assert {"lesson.md", "glossary.md"} <= pages.keys()
    for name, text in pages.items():
        text = re.sub(NOT_PROSE[0] + r"|`[^`\n]+`", "", text)
        assert "{{" not in text, name
        links = re.findall(r"\]\((?!https?:)([^)#\s]+)|<img src=\"([^\"]+)", text)
        assert {a or b for a, b in links} <= copied.keys() | exercise, name
        assert "--8<--" not in text


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
