"""What a lesson shows as a program's output is that program's output: texts and figures."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.bank import proofs
from hotloop.core import paths

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
