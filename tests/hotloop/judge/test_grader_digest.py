"""Digests of the grader and of its inputs change with everything that can change a verdict."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.judge import grader_digest as grader

PACKAGE = Path(grader.__file__).resolve().parents[1]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Digests a copy of package and curriculum instead of the originals."""
    shutil.copytree(PACKAGE, tmp_path / "hotloop", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(paths.curriculum(), tmp_path / "curriculum")
    monkeypatch.setattr(grader, "_PACKAGE", tmp_path / "hotloop")
    monkeypatch.setattr(paths, "curriculum", lambda: tmp_path / "curriculum")
    monkeypatch.setattr(
        grader, "folder_of", lambda name, _source: tmp_path / "hotloop/tasks/modules" / name
    )
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    grader._shared_code.cache_clear()  # pyright: ignore[reportPrivateUsage]
    grader._code_of.cache_clear()  # pyright: ignore[reportPrivateUsage]


def digests() -> dict[str, str]:
    forget()
    return {name: grader.grader_digest(name) for name in ("fused_softmax", "tvm_passes")}


def test_the_files_of_the_course_exist() -> None:
    assert [name for name in grader.COURSE if not (PACKAGE / "course" / name).is_file()] == []


ALL, ONE, NONE = {"fused_softmax", "tvm_passes"}, {"fused_softmax"}, set[str]()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hotloop/judge/compare.py", ALL),
        ("hotloop/judge/trusted/new.py", ALL),
        ("hotloop/worker/serve.py", ALL),
        ("hotloop/sandbox/bubblewrap.py", ALL),
        ("hotloop/engines/simulate/problem.py", ALL),
        ("hotloop/course/repair.py", ALL),
        ("hotloop/tasks/modules/fused_softmax/tasks.py", ONE),
        ("hotloop/tasks/modules/fused_softmax/programs/softmax_warp.cu", ONE),
        ("curriculum/fused_softmax/module.yaml", ONE),
        ("hotloop/judge/__pycache__/compare.cpython-311.pyc", NONE),
        ("hotloop/course/feedback.py", NONE),
        ("hotloop/cli/grade.py", NONE),
        ("curriculum/fused_softmax/lesson.md", NONE),
        ("hotloop/core/verdict.py", ALL),
        # What a release writes: else its own digests would be others.
        ("hotloop/__init__.py", NONE),
        ("hotloop/verdicts/releases.json", NONE),
    ],
)
def test_what_changes_the_graders_digest(copy: Path, name: str, expected: set[str]) -> None:
    before = digests()
    path = copy / name
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as stream:
        stream.write("\n# changed\n")
    after = digests()
    assert {module for module in before if before[module] != after[module]} == expected


@pytest.mark.slow
def test_the_code_is_that_which_was_imported(copy: Path) -> None:
    before = grader.grader_digest("fused_softmax")
    (copy / "hotloop" / "judge" / "compare.py").write_text("")
    assert grader.grader_digest("fused_softmax") == before


def test_all_that_is_named_is_there() -> None:
    for part in grader.PARTS:
        assert (PACKAGE / part).is_dir(), part
    for name in grader.COURSE:
        assert (PACKAGE / "course" / name).is_file(), name
