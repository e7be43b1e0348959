"""What the practice pages load is there, and holds what the bank and the curriculum hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hotloop import curriculum
from hotloop.bank.catalog import catalog, find
from hotloop.bank.numeric import draw, instances
from hotloop.site import drawing, learning_map, practice_data

SITE = Path(__file__).resolve().parents[3] / "site" / "pages"
PAGES = ("index.md", "learning-path.md")
MOST_BYTES = 80_000
"""Of what a page loads before a question is asked: it is loaded by everybody."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts, below a folder of pages."""
    pages = tmp_path_factory.mktemp("pages")
    practice_data.write(pages, curriculum.modules(), catalog())
    return pages


def value(script: Path) -> Any:
    """What a script assigns."""
    name, _, told = script.read_text(encoding="utf-8").partition(" = ")
    assert name.startswith("hotloop.")
    return json.loads(told.strip().removesuffix(";"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_scripts_that_exist(name: str, data: Path) -> None:
    page = (SITE / "practice" / name).read_text(encoding="utf-8")
    loaded = re.findall(r'<script src="\.\./([^"]+)" defer></script>', page)
    assert page.count("<script") == len(loaded) > 10
    assert not [path for path in loaded if not ((SITE / path).is_file() or (data / path).is_file())]
    assert [path for path in loaded if path.startswith(f"{practice_data.FOLDER}/")]


def test_every_question_is_there_in_its_languages(data: Path) -> None:
    folder = data / practice_data.FOLDER
    index = value(folder / "index.js")
    assert [q["key"] for q in index["questions"]] == [entry.key for entry in catalog()]
    for entry in catalog():
        for language in ("en", "zh"):
            script = folder / f"{entry.key.replace('.', '/')}.{language}.js"
            assert script.is_file() == (language in entry.languages)
    assert (folder / "index.js").stat().st_size < MOST_BYTES
    assert (folder / "placement.js").stat().st_size < MOST_BYTES


def test_a_question_with_numbers_has_all_instances() -> None:
    entry = find("graph_compilation.sharded_matmul")
    assert entry.question.numeric is not None
    told = practice_data.text(entry, "en")["numeric"]
    found = list(instances(entry.question.numeric))
    assert [each[1] for each in told["instances"]] == [each.answer for each in found]
    product = 1
    for _, length in told["parameters"]:
        product *= length
    assert product == len(found)
    assert draw(entry.question.numeric, "1").shown in [each[2] for each in told["instances"]]


def test_a_question_without_hints_lends_the_steps_of_its_strategy() -> None:
    bare = next(entry for entry in catalog() if not entry.question.hints)
    told = practice_data.text(bare, "en")
    assert told["hints"] == told["strategy"]
    assert len(told["rubric"]) == 5


def test_texts_are_escaped() -> None:
    texts = [json.dumps(practice_data.text(entry, "en")) for entry in catalog()]
    tags = {tag for text in texts for tag in re.findall(r"<(/?[a-zA-Z]+)", text)}
    assert tags <= {"code", "/code", "p", "/p"}


def test_the_drawn_way_has_every_module_and_every_arrow() -> None:
    modules = curriculum.modules()
    picture = "\n".join(learning_map.section(modules))
    known = {module.id for module in modules}
    arrows = sum(len(known & set(module.prerequisites.modules)) for module in modules)
    assert re.findall(r'data-module="(\w+)"', picture) == [module.id for module in modules]
    assert picture.count('class="edge"') == arrows > 0
    edges = [
        float(x) + float(width)
        for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', picture)
    ]
    assert max(edges) <= drawing.WIDTH
