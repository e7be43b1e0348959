"""The site builds without a warning, from pages and data only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from hotloop import curriculum, exploits, paths, site

CLONE = Path(__file__).resolve().parents[2]
MODULE = "fused_softmax"


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the clone, so that nothing is written into the clone itself."""
    root = tmp_path_factory.mktemp("clone")
    sources(root)
    # Lessons include code from these.
    for tree in ("curriculum", "solutions", "exercises"):
        (root / tree).symlink_to(CLONE / tree)
    site.gather(root)
    return root


def sources(root: Path) -> None:
    shutil.copytree(CLONE / "site", root / "site")
    (root / "tests").mkdir()
    shutil.copytree(CLONE / "tests" / "benchmarks", root / "tests" / "benchmarks")


def build(root: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", "build/mkdocs.yml"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, check=False, cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr


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
    monkeypatch.setattr(paths, "curriculum", lambda: own.parent)
    curriculum.load_module.cache_clear()
    yield tmp_path
    curriculum.load_module.cache_clear()


def test_a_modules_further_pages_are_on_the_site_and_linked(with_a_page: Path) -> None:
    settings = yaml.safe_load(site.gather(with_a_page).read_text())
    pages = with_a_page / "build" / "pages" / "modules" / MODULE
    assert sorted(path.name for path in pages.glob("*.md")) == [
        "elsewhere.md", "index.md", "lesson.md",
    ]  # fmt: skip
    index = (pages / "index.md").read_text()
    assert "**Read.** [Lesson](lesson.md) · [Softmax elsewhere](elsewhere.md)" in index
    assert "**Needs.** A real Triton Inference Server, once: `hotloop serving install`." in index
    [[module]] = [list(entry.values()) for entry in settings["nav"][1]["Modules"]]
    assert module == [
        f"modules/{MODULE}/index.md",
        {"Lesson": f"modules/{MODULE}/lesson.md"},
        {"Softmax elsewhere": f"modules/{MODULE}/elsewhere.md"},
    ]
    build(with_a_page)
    assert (with_a_page / "build" / "site" / "modules" / MODULE / "elsewhere").is_dir()


def test_a_page_without_a_title_is_refused(with_a_page: Path) -> None:
    page = with_a_page / "curriculum" / MODULE / "elsewhere.md"
    page.write_text("no title\n")
    with pytest.raises(ValueError, match=r"elsewhere\.md:1: a page begins with its title"):
        site.gather(with_a_page)


def test_it_builds_strictly(gathered: Path) -> None:
    build(gathered)
    for page in ("index.html", "threat-model/index.html", "benchmarks/index.html"):
        assert (gathered / "build" / "site" / page).is_file()
    assert sorted(path.name for path in (gathered / "site").iterdir()) == ["mkdocs.yml", "pages"]


def test_every_module_has_a_page_with_all_its_rungs(gathered: Path) -> None:
    for module in curriculum.modules():
        page = (gathered / "build" / "pages" / "modules" / module.id / "index.md").read_text()
        for task in module.tasks:
            assert f"`{module.id}.{task.id}`" in page
            assert all(f"| {rung.id} | {rung.points} |" in page for rung in task.rungs)


def test_the_threat_model_lists_every_exploit(gathered: Path) -> None:
    page = (gathered / "build" / "pages" / "threat-model.md").read_text()
    assert site.EXPLOITS_PLACE not in page
    assert all(f"| `{exploit.name}` |" in page for exploit in exploits.load_all())


def test_without_a_gpu_run_the_page_says_not_yet_measured() -> None:
    assert "On a GPU: not yet measured." in site.runs_section([])


def test_a_lesson_tells_speeds_and_leaves_the_other_verdicts_to_the_modules_page() -> None:
    runs = curriculum.runs("fused_softmax")
    whole, speeds = site.runs_section(runs), site.runs_section(runs, speeds_only=True)
    assert "| reference | online_pass | correct |" in whole
    assert "| reference | compiled_chain | fast_cpu |" in speeds
    assert "| correct |" not in speeds


def test_a_benchmark_without_a_result_says_so(tmp_path: Path) -> None:
    script = tmp_path / "speed.py"
    script.write_text('"""How fast?\n\nMore words.\n"""\n\n\ndef main() -> None: ...\n')
    assert site.NOT_MEASURED in site.benchmarks_page(tmp_path)
    (tmp_path / "results").mkdir()
    result = {"device": "D", "date": "2026-01-01", "rows": [{"true_ratio": 0.9, "wrong": 0}]}
    (tmp_path / "results" / "speed.json").write_text(json.dumps(result))
    page = site.benchmarks_page(tmp_path)
    assert site.NOT_MEASURED not in page
    assert "| true ratio | wrong |\n| --- | --- |\n| 0.9 | 0 |" in page


def test_a_result_that_does_not_say_where_it_is_from_is_refused(tmp_path: Path) -> None:
    (tmp_path / "speed.py").write_text('"""How fast?"""\n\n\ndef main() -> None: ...\n')
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "speed.json").write_text(json.dumps({"rows": [{"wrong": 0}]}))
    with pytest.raises(ValueError, match="device"):
        site.benchmarks_page(tmp_path)
