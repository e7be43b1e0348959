"""Two gradings that write one learner's notebook at once leave one whole notebook."""

import json
import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.book import ABANDONED_S, Book

ATTEMPT = Attempt(
    student="ada",
    module="tiny",
    digest="0",
    grader="0",
    machine={},
    graded=datetime(2030, 1, 1, tzinfo=UTC),
    seconds=1.0,
    records={},
    notebook={"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []},
    handed_in="2030-01-01 10:00:00 UTC",
)


@pytest.mark.slow
def test_writers_in_lockstep_leave_one_whole_notebook(course: Any) -> None:
    books = [Book(course.root) for _ in range(4)]
    together = threading.Barrier(len(books))
    failures: list[Exception] = []

    def write(book: Book, number: int) -> None:
        mine = replace(ATTEMPT, files={"work.py": f"# {number}\n" * 50})
        for _ in range(50):
            together.wait()
            try:
                book.write(mine)
            except Exception as error:  # noqa: BLE001 - any is a failure of the test
                failures.append(error)

    threads = [threading.Thread(target=write, args=(book, number))
               for number, book in enumerate(books)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    folder = course.root / "autograded" / "ada"
    assert [path.name for path in folder.iterdir()] == ["tiny"]
    assert {path.name for path in (folder / "tiny").iterdir()} == {
        "lab.ipynb",
        "timestamp.txt",
        "work.py",
    }
    assert len(set((folder / "tiny" / "work.py").read_text().splitlines())) == 1
    json.loads((folder / "tiny" / "lab.ipynb").read_text())


@pytest.mark.slow
def test_what_a_killed_grading_left_is_removed_later(course: Any) -> None:
    folder = course.root / "autograded" / "ada"
    for name, age in {".tiny.old.part": 2 * ABANDONED_S, ".tiny.new.part": 0.0}.items():
        (folder / name).mkdir(parents=True)
        then = time.time() - age
        os.utime(folder / name, (then, then))
    Book(course.root).write(ATTEMPT)
    assert sorted(path.name for path in folder.iterdir()) == [".tiny.new.part", "tiny"]


@pytest.mark.slow
@pytest.mark.parametrize("student", ["[ada]", "a*a", "a?a", "a[!d]a", "{ada}"])
def test_a_name_with_a_patterns_characters_gets_its_page(
    course: Any, make: SimpleNamespace, student: str
) -> None:
    course.submit("ada", make.lab())
    course.submit(student, make.lab("41"))
    graded = course.grade()
    assert graded.problems == {}
    assert "It returned 41" in course.page(student)
    assert "It returned 41" not in course.page("ada")
    assert sorted(Path(page).parent.parent.name for page in graded.feedback) == sorted(
        ["ada", student]
    )
