"""All resources of the site's practice pages exist, and the drawn path is the curriculum's."""

import re
from pathlib import Path

import pytest

from hotloop.learn.bank.catalog import catalog
from hotloop.learn.practice import data
from hotloop.learn.practice.server import PAGE
from hotloop.site import drawing, learning_map
from hotloop.tasks import curriculum

SITE = Path(__file__).resolve().parents[3] / "site" / "pages"
PAGES = ("index.md", "learning-path.md")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_scripts_that_exist(name: str) -> None:
    page = (SITE / "practice" / name).read_text(encoding="utf-8")
    loaded = re.findall(r'<script src="\.\./assets/practice/([^"]+)" defer></script>', page)
    assert page.count("<script") == len(loaded) > 10
    made = data.scripts(curriculum.modules(), catalog())
    assert not [path for path in loaded if not ((PAGE / path).is_file() or path in made)]


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
