"""The site builds without a warning, from pages and data only, and is complete."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import markdown
import pytest
import yaml
from tests.benchmarks import built_site as built

from hotloop.author import exploits
from hotloop.core import paths
from hotloop.learn.bank.catalog import catalog
from hotloop.site import boundaries, exploits_table
from hotloop.site.markdown import plain
from hotloop.site.pages import gather
from hotloop.site.questions import address
from hotloop.tasks import curriculum

CLONE = Path(__file__).resolve().parents[3]
MODULE = "fused_softmax"
MOST_BYTES = 300_000
"""Most bytes of a lesson's page, without notebook images."""
MOST_BYTES_OF_SEARCH = 750_000
"""Most bytes of the search index as servers send it: compressed."""


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages gathered in a folder like the clone, so that nothing is written into the clone."""
    root = tmp_path_factory.mktemp("clone")
    sources(root)
    # Lessons include code from these.
    for tree in ("curriculum", "solutions", "exercises"):
        (root / tree).symlink_to(CLONE / tree)
    gather(root)
    return root


@pytest.fixture(scope="module")
def site(gathered: Path) -> Path:
    """The built site."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", "build/mkdocs.yml"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, check=False, cwd=gathered, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return gathered / "build" / "site"


def sources(root: Path) -> None:
    shutil.copytree(CLONE / "site", root / "site")
    (root / "tests").mkdir()
    shutil.copytree(CLONE / "tests" / "benchmarks", root / "tests" / "benchmarks")
    shutil.copytree(CLONE / "tests" / "docs" / "authoring", root / "tests" / "docs" / "authoring")


@pytest.fixture
def with_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A clone with one module, which has a page beside its lesson, and needs a server."""
    sources(tmp_path)
    own = tmp_path / "curriculum" / MODULE
    shutil.copytree(CLONE / "curriculum" / MODULE, own)
    shutil.copyfile(CLONE / "curriculum" / "curriculum.yaml", own.parent / "curriculum.yaml")
    page = "# Softmax elsewhere\n\nAs the [lesson](lesson.md) says.\n"
    (own / "elsewhere.md").write_text(page)
    with (own / "module.yaml").open("a") as description:
        description.write("\nneeds: [serving]\n")
    for tree in ("solutions", "exercises"):
        (tmp_path / tree).symlink_to(CLONE / tree)
    shutil.copyfile(paths.curriculum() / "glossary.md", own.parent / "glossary.md")
    monkeypatch.setattr(paths, "curriculum", lambda: own.parent)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    curriculum.load_module.cache_clear()
    catalog.cache_clear()


@pytest.mark.slow
def test_a_modules_further_pages_are_on_the_site_and_linked(with_a_page: Path) -> None:
    settings = yaml.safe_load(gather(with_a_page).read_text())
    pages = with_a_page / "build" / "pages" / "modules" / MODULE
    assert sorted(path.name for path in pages.glob("*.md")) == [
        "elsewhere.md", "extensions.md", "find_the_bug.md", "index.md", "lesson.md", "lesson.zh.md",
        "notebook.md", "profiler_report.md", "row_lengths.md", "solutions.md",
    ]  # fmt: skip
    index = (pages / "index.md").read_text()
    read = "**Read.** [Lesson](lesson.md) · [课程](lesson.zh.md) · [Softmax elsewhere]"
    assert f"{read}(elsewhere.md) · [Operators" in index
    install = "**Install.** `pip install 'hotloop[course,serving,cuda,extension]'`, "
    assert f"{install}`hotloop doctor --install tritonserver`: all tasks are judged" in index
    [learn] = [entry["Learn"] for entry in settings["nav"] if "Learn" in entry]
    [track] = [e for e in learn if isinstance(e, dict) and "Framework internals and serving" in e]
    assert track["Framework internals and serving"] == [
        "tracks/framework_internals/index.md",
        {
            "Fused softmax": [
                f"modules/{MODULE}/index.md",
                {"Lesson": f"modules/{MODULE}/lesson.md"},
                {"课程": f"modules/{MODULE}/lesson.zh.md"},
                {"Softmax elsewhere": f"modules/{MODULE}/elsewhere.md"},
                {"Operators the older way, and why it lost": f"modules/{MODULE}/extensions.md"},
                {"Nine kernels with one bug each": f"modules/{MODULE}/find_the_bug.md"},
                {
                    "Read a profiler's report of one kernel": (
                        f"modules/{MODULE}/profiler_report.md"
                    )
                },
                {"Kernels for every row length": f"modules/{MODULE}/row_lengths.md"},
                {"Notebook": f"modules/{MODULE}/notebook.md"},
                {"Reference solutions": f"modules/{MODULE}/solutions.md"},
            ]
        },
    ]


@pytest.mark.slow
def test_pages_that_are_put_into_a_folder_have_a_section(with_a_page: Path) -> None:
    pages = with_a_page / "site" / "pages"
    (pages / "practice" / "a-quiz.md").write_text("# A quiz\n")
    (pages / "practice.md").write_text("# Practice\n")
    settings = yaml.safe_load(gather(with_a_page).read_text())
    [practice] = [entry["Practice"] for entry in settings["nav"] if "Practice" in entry]
    assert practice == [
        "practice.md", "practice/index.md", "practice/a-quiz.md", "practice/assistant.md",
        "practice/learning-path.md", "practice/predict.md",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_page_without_a_title_is_refused(with_a_page: Path) -> None:
    page = with_a_page / "curriculum" / MODULE / "elsewhere.md"
    page.write_text("no title\n")
    with pytest.raises(ValueError, match=r"elsewhere\.md:1: a page begins with its title"):
        gather(with_a_page)


@pytest.mark.slow
def test_a_lesson_without_outcomes_is_refused(with_a_page: Path) -> None:
    lesson = with_a_page / "curriculum" / MODULE / "lesson.md"
    lesson.write_text("# Fused softmax\n\nNo outcomes.\n")
    with pytest.raises(ValueError, match=r"lesson\.md:1: a lesson has a part “What you will be"):
        gather(with_a_page)


# --- what is gathered -----------------------------------------------------------------------------


@pytest.mark.slow
def test_every_module_has_a_page_with_all_its_checks_and_hints(gathered: Path) -> None:
    for module in curriculum.modules():
        page = (gathered / "build" / "pages" / "modules" / module.id / "index.md").read_text()
        assert "## What you will be able to do\n\n- " in page
        for task in module.tasks:
            assert f"`{module.id}.{task.id}`" in page
            assert all(f"| {check.id} | {check.points} |" in page for check in task.checks)
        assert page.count('??? tip "Hint 3: the structure"') == len(module.tasks)


@pytest.mark.slow
def test_solutions_are_folded_and_not_searched(gathered: Path) -> None:
    for module in curriculum.modules():
        page = (gathered / "build" / "pages" / "modules" / module.id / "solutions.md").read_text()
        assert 'search: {"exclude": true}' in page
        code = [line for line in page.split("\n") if line.startswith("```")]
        assert not code
        assert page.count('??? warning "Show the solution') >= len(
            [task for task in module.tasks if task.kind == "code"]
        )


@pytest.mark.slow
def test_an_exercises_files_are_there_one_by_one_and_as_the_same_archive(gathered: Path) -> None:
    folder = gathered / "build" / "pages" / "modules" / MODULE / "files"
    source = CLONE / "exercises" / MODULE
    archive = folder / f"{MODULE}.zip"
    with zipfile.ZipFile(archive) as packed:
        names = {name.removeprefix(f"{MODULE}/") for name in packed.namelist()}
        assert packed.read(f"{MODULE}/lab.ipynb") == (source / "lab.ipynb").read_bytes()
        assert {entry.date_time for entry in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert names == {path.relative_to(source).as_posix() for path in source.rglob("*.*")}
    assert (folder / "softmax.cu").read_bytes() == (source / "softmax.cu").read_bytes()


def test_the_threat_model_lists_every_exploit(gathered: Path) -> None:
    page = (gathered / "build" / "pages" / "threat-model-details.md").read_text()
    assert exploits_table.PLACE not in page
    assert all(f"| `{exploit.name}` |" in page for exploit in exploits.load_all())


def test_the_threat_model_is_a_page_that_a_manager_reads(gathered: Path) -> None:
    """About a screen of text, a figure of the layers, and a link to the details."""
    pages = gathered / "build" / "pages"
    page = (pages / "threat-model.md").read_text()
    assert boundaries.PLACE not in page
    text = re.sub(r"(?s)<figure>.*?</figure>", "", page)
    assert text != page
    assert len(text.split()) <= 500
    details = (pages / "threat-model-details.md").read_text()
    named = re.findall(r"threat-model-details\.md#([\w-]+)", page)
    assert named
    headings = {
        re.sub(r"[^\w]+", "-", line[3:].lower())
        for line in details.splitlines()
        if line.startswith("## ")
    }
    assert set(named) <= headings
    for layer in ("Sandbox", "Socket", "Judge"):
        assert layer in text
        assert layer.lower() in details.lower()


# --- what is built --------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_builds_strictly_and_nothing_is_written_into_its_sources(
    site: Path, gathered: Path
) -> None:
    for page in ("index.html", "threat-model.html", "benchmarks.html", "results.html"):
        assert (site / page).is_file()
    sources = sorted(path.name for path in (gathered / "site").iterdir())
    assert sources == ["mkdocs.yml", "pages", "pictures"]


@pytest.mark.slow
def test_every_question_has_a_page_in_its_languages(site: Path) -> None:
    for entry in catalog():
        page = site / "questions" / f"{entry.key.replace('.', '/')}.html"
        assert page.is_file()
        assert page.with_suffix(".zh.html").is_file() == (entry.chinese is not None)


def eaten_dunders(source: str, page: str) -> list[str]:
    """Names such as `__init__` in the Markdown `source` that the HTML `page` shows in bold."""
    bold = {f"__{text}__" for text in re.findall(r"<strong>(\w+)</strong>", page)}
    return sorted(bold & set(re.findall(r"__\w+__", source)))


def test_a_dunder_outside_of_code_is_eaten() -> None:
    bold, code = "cap it by __launch_bounds__", "cap it by `__launch_bounds__`"
    assert eaten_dunders(bold, markdown.markdown(bold)) == ["__launch_bounds__"]
    assert eaten_dunders(code, markdown.markdown(code)) == []


@pytest.mark.slow
def test_no_page_shows_a_dunder_as_bold_text(gathered: Path, site: Path) -> None:
    pages = gathered / "build" / "pages"
    found: dict[str, list[str]] = {}
    for source in sorted(pages.rglob("*.md")):
        name = source.relative_to(pages)
        text = source.read_text(encoding="utf-8")
        if "__" in text:
            page = (site / name.with_suffix(".html")).read_text(encoding="utf-8")
            found[str(name)] = eaten_dunders(text, page)
    assert len(found) > 100
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.slow
def test_all_links_resolve(site: Path) -> None:
    assert sum(1 for _ in built.links(site)) > 1000
    assert built.broken_links(site) == []


@pytest.mark.slow
def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    assert built.foreign(site) == []


def test_a_lesson_is_light(site: Path) -> None:
    lessons = sorted(site.glob("modules/*/lesson.html"))
    assert len(lessons) == len(curriculum.modules())
    assert {path.parent.name for path in lessons if path.stat().st_size > MOST_BYTES} == set()


@pytest.mark.slow
def test_the_search_index_is_small_and_tells_no_answer(site: Path) -> None:
    index = site / "search" / "search_index.json"
    assert len(gzip.compress(index.read_bytes())) <= MOST_BYTES_OF_SEARCH
    entries = json.loads(index.read_text(encoding="utf-8"))["docs"]
    searched = {entry["location"].partition("#")[0] for entry in entries}
    for entry in catalog():
        assert f"questions/{address(entry)}.html" in searched
    found = "".join(e["text"] for e in entries if e["location"].startswith("questions/"))
    for entry in catalog():
        assert plain(entry.question.rubric[4]) not in found, entry.key


@pytest.mark.slow
def test_a_pages_title_says_the_page_and_no_other_one(site: Path) -> None:
    titles: dict[str, list[str]] = {}
    for page in built.pages(site):
        match = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"))
        if match is not None and page.name != "404.html":
            titles.setdefault(match[1], []).append(str(page.relative_to(site)))
    assert len(titles) > 300
    assert {title: pages for title, pages in titles.items() if len(pages) > 1} == {}
    assert not [title for title in titles if title in {"Hotloop", "Hotloop - Hotloop"}]


def test_numbers_of_runs_stand_in_the_lesson_with_their_footnote(site: Path) -> None:
    page = (site / "modules" / MODULE / "lesson.html").read_text(encoding="utf-8")
    assert "{{ run" not in page
    assert 'class="footnote-ref"' in page
    assert "Measured on" in page.partition('class="footnote"')[2]
