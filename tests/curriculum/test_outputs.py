"""What a lesson shows as a program's output is that program's output: texts and figures."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core import paths
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
