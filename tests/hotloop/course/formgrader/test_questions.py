"""One written task is marked across all learners on one page, and from one to the next."""

from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup

from .test_page import EVIL, running


@pytest.fixture
def graded(desk: Any, make: SimpleNamespace) -> Any:
    """ada and eve wrote something, bob nothing."""
    desk.course.submit("ada", make.lab(explain="Because of the cache."))
    desk.course.submit("bob", make.lab())
    desk.course.submit("eve", make.lab(explain=EVIL))
    desk.course.grade()
    return desk


def rows(desk: Any) -> list[Any]:
    page = desk.ask("questions/tiny/explain").text
    return BeautifulSoup(page, "html.parser").select(".hotloop-answer")


@pytest.mark.slow
def test_the_page_has_all_answers_and_those_that_wait_first(graded: Any) -> None:
    answers = [row.pre.get_text() for row in rows(graded)]
    assert len(answers) == 3
    assert "Because of the cache." in answers[0] + answers[1]
    assert [bool(row.get("data-waits")) for row in rows(graded)] == [True, True, False]
    assert graded.get("questions/tiny") == ["explain"]
    assert running(graded.ask("questions/tiny/explain").text) == []
    links = [row.a["href"] for row in rows(graded)]
    assert all(link.endswith("/#explain") for link in links)
    for link in links:
        assert 'id="explain"' in graded.ask(link.split("/formgrader/")[1].split("#")[0]).text


@pytest.mark.slow
def test_points_that_are_given_there_are_the_learners(graded: Any) -> None:
    (row,) = [row for row in rows(graded) if "cache" in row.pre.get_text()]
    reply = graded.ask(f"api/grade/{row['data-grade']}", {"manual_score": 4.5}, "PUT")
    assert (reply.json["manual_score"], reply.json["needs_manual_grade"]) == (4.5, False)
    assert graded.grades("ada")["explain"]["manual_score"] == 4.5
    assert [bool(row.get("data-waits")) for row in rows(graded)] == [True, False, False]
    shown = [row.select_one(".hotloop-points")["value"] for row in rows(graded)]
    assert sorted(shown) == ["", "", "4.5"]


@pytest.mark.parametrize("path", ["tiny/answer", "tiny/nothing", "essay/explain"])
def test_there_is_no_page_for_what_no_person_marks(desk: Any, path: str) -> None:
    assert desk.ask(f"questions/{path}").status == 404
