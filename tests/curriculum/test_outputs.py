"""What a lesson shows as a program's output is that program's output: texts and figures."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop import paths

OUTPUTS = sorted(
    [*paths.curriculum().glob("*/proofs/*.txt"), *paths.curriculum().glob("*/figures/*.svg")]
)


def test_there_are_recorded_outputs() -> None:
    assert OUTPUTS


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda p: f"{p.parents[1].name}.{p.name}")
def test_an_output_is_its_programs(
    path: Path, require: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    require(path.with_suffix(".py"))
    runpy.run_path(str(path.with_suffix(".py")), run_name="__main__")
    assert capfd.readouterr().out == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda p: f"{p.parents[1].name}.{p.name}")
def test_the_lesson_shows_it(path: Path) -> None:
    lesson = (path.parents[1] / "lesson.md").read_text(encoding="utf-8")
    assert f'--8<-- "{path.relative_to(paths.root()).as_posix()}"' in lesson
