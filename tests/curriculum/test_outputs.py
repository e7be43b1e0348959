"""What a lesson shows as a program's output is that program's output: texts and figures."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hotloop.core import paths, svg
from hotloop.learn.bank import proofs

FIGURES = sorted(paths.curriculum().glob("*/figures/*.svg"))
SHOWN = re.compile(r"<!-- from (curriculum/[^:\s]+\.txt) -->")
TEXTS = [
    (lesson, shown)
    for lesson in sorted(paths.curriculum().glob("*/lesson.md"))
    for shown in SHOWN.findall(lesson.read_text(encoding="utf-8"))
]


def test_there_are_recorded_outputs() -> None:
    assert FIGURES
    assert TEXTS


@pytest.mark.parametrize("path", FIGURES, ids=lambda p: f"{p.parents[1].name}.{p.name}")
def test_a_figure_is_its_programs(
    path: Path, require: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    require(path.with_suffix(".py"))
    runpy.run_path(str(path.with_suffix(".py")), run_name="__main__")
    assert capfd.readouterr().out == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FIGURES, ids=lambda p: f"{p.parents[1].name}.{p.name}")
def test_the_lesson_shows_it(path: Path) -> None:
    lesson = (path.parents[1] / "lesson.md").read_text(encoding="utf-8")
    assert f'<img src="figures/{path.name}" alt="' in lesson


@pytest.mark.parametrize(("lesson", "shown"), TEXTS, ids=lambda value: Path(value).stem)
def test_a_shown_text_is_a_proofs_record(lesson: Path, shown: str) -> None:
    """That the record is what the program prints, test_proofs sees.

    A recording needs what is not installed here; the program that made it lies beside it.
    """
    if Path(shown).parent.name == "recordings":
        assert (paths.root() / shown).with_suffix(".py").is_file()
        return
    assert paths.root() / shown in [proofs.record_of(path) for path in proofs.programs()]


PHONE = 340
"""Pixels of a figure's width on a phone."""


def near_an_edge(picture: str) -> list[str]:
    """Texts that a phone cuts off above or below.

    A browser rounds the height of small letters up to whole pixels, one of which is several units
    of a wide figure there.
    """
    root = ElementTree.fromstring(picture)
    _, top, width, height = map(float, root.attrib["viewBox"].split())
    rounded = max(1.0, width / PHONE) - 1
    cut: list[str] = []

    def look(element: ElementTree.Element, size: float) -> None:
        size = float(element.get("font-size", size))
        if "transform" in element.attrib:
            return
        if element.tag.endswith("}text"):
            y = float(element.attrib["y"]) - top
            if y < 0.93 * size + rounded or height - y < 0.25 * size + rounded:
                cut.append("".join(element.itertext()))
        for inner in element:
            look(inner, size)

    look(root, 16.0)
    return cut


@pytest.mark.parametrize("path", FIGURES, ids=lambda p: f"{p.parents[1].name}.{p.name}")
def test_no_text_is_cut_off_on_a_phone(path: Path) -> None:
    assert near_an_edge(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("y", "cut"), [(11, True), (13, False), (35, False), (39, True)])
def test_a_text_at_an_edge_is_found(y: int, cut: bool) -> None:
    text = svg.text(0, y, "words", font_size=12)
    assert bool(near_an_edge(svg.picture(720, 40, [text], "A picture"))) is cut


COLORED = re.compile(r"fill:var\(--(?:hot|cool|leaf|plum)\b")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


def dim(picture: str) -> list[str]:
    """Texts over a colored box that keep the color of text on the page."""
    boxes: list[tuple[float, float, float, float, bool]] = []
    found: list[str] = []
    for kind, attributes, words in re.findall(r"<(rect|text)\b([^>]*?)/?>([^<]*)", picture):
        own = dict(ATTRIBUTE.findall(attributes))
        x, y = float(own["x"]), float(own["y"])
        if kind == "rect":
            size = float(own["width"]), float(own["height"])
            boxes.append((x, y, *size, bool(COLORED.match(own.get("style", "")))))
            continue
        below = [b for b in boxes if b[0] <= x <= b[0] + b[2] and b[1] <= y - 3 <= b[1] + b[3]]
        if below and below[-1][4] and "on" not in own.get("class", "").split():
            found.append(words)
    return found


def test_dark_letters_on_a_dark_box_are_found() -> None:
    box = '<rect x="0" y="0" width="9" height="9" style="fill:var(--cool, #56b4e9)"/>'
    assert dim(f'{box}<text x="1" y="8">7</text>') == ["7"]
    assert dim(f'{box}<text x="1" y="8" class="on">7</text>') == []
    assert dim(f'{box}<text x="10" y="8">7</text>') == []


@pytest.mark.parametrize("path", FIGURES, ids=lambda p: f"{p.parents[1].name}.{p.name}")
def test_letters_on_a_colored_box_are_read(path: Path) -> None:
    picture = path.read_text(encoding="utf-8")
    assert 'class="drawing"' not in picture or not dim(picture)
