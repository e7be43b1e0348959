"""A course's settings say where its gradebook is."""

import os
from pathlib import Path
from typing import Any

import pytest

from hotloop.course.attempts import database as module
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE, database, load_config, make_folder

from .events import begin


@pytest.fixture
def root(tmp_path: Path) -> Path:
    course = tmp_path / "course"
    make_folder(course, "a course")
    return course


def settings(root: Path, line: str) -> None:
    with (root / CONFIG_FILE).open("a") as stream:
        stream.write(line + "\n")


def test_it_is_a_file_of_the_course_unless_somebody_says_otherwise(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = f"sqlite:///{root.resolve() / 'gradebook.db'}"
    assert database(root) == expected
    assert database(root / "elsewhere") == expected.replace(
        "gradebook.db", "elsewhere/gradebook.db"
    )
    assert load_config(root).CourseDirectory.db_url == expected
    monkeypatch.chdir(root)
    assert database(Path()) == expected


def test_it_is_what_the_settings_say(root: Path) -> None:
    settings(root, "c.CourseDirectory.db_url = 'postgresql+psycopg://grader@db/course'")
    assert database(root) == "postgresql+psycopg://grader@db/course"
    assert load_config(root).CourseDirectory.db_url == database(root)


def test_it_is_read_again_only_when_the_file_was_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Any] = []
    loader = module.PyFileConfigLoader

    def counted(*arguments: Any, **more: Any) -> Any:
        reads.append(arguments)
        return loader(*arguments, **more)

    monkeypatch.setattr(module, "PyFileConfigLoader", counted)
    first = database(root)
    assert [database(root) for _ in range(3)] == [first] * 3
    assert len(reads) == 1
    settings(root, "c.CourseDirectory.db_url = 'sqlite:////a/b.db'")
    assert database(root) == "sqlite:////a/b.db"
    os.utime(root / CONFIG_FILE, ns=(1, 1))
    assert database(root) == "sqlite:////a/b.db"
    assert len(reads) == 3


def test_one_store_a_course(root: Path, tmp_path: Path) -> None:
    first = store(root)
    assert store(root) is first
    settings(root, f"c.CourseDirectory.db_url = 'sqlite:///{tmp_path}/other.db'")
    assert store(root) is not first
    begin(store(root), "ada", "tiny")
    assert (tmp_path / "other.db").is_file()
    assert not (tmp_path / "gradebook.db").exists()
