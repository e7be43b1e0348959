"""A booking that was interrupted between grade and notebook is completed later."""

import shutil
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.store import store


@pytest.mark.slow
def test_a_notebook_that_was_not_written_is_booked_again_and_not_graded_again(
    course: Any, make: SimpleNamespace
) -> None:
    course.submit("ada", make.lab())
    first = course.grade()
    shutil.rmtree(course.root / "autograded" / "ada")
    shutil.rmtree(course.root / "feedback" / "ada")
    second = course.grade()
    assert second.problems == {}
    assert second.results == first.results
    assert "42" in str(course.autograded("ada"))
    assert "Right." in course.page("ada")
    [attempt] = store(course.root).history("ada", "tiny")
    assert {e.attempt_id for e in store(course.root).events(kind=Kind.PUBLISHED)} == {attempt.id}
