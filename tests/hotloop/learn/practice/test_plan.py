"""Which questions a session asks, by the page's scripts and by an assistant's server."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hotloop.learn.bank import catalog
from hotloop.learn.practice import data, plan
from hotloop.learn.practice.state import PracticeRecord, Review
from hotloop.tasks import curriculum

JavaScript = Callable[[str, object], Any]

SESSION = """
const known = new Map(Object.entries(given.due ?? {}).map(([key, due]) => [key, { due }]));
const wish = { track: "", module: "", level: "", language: "en", ...given.wish };
const chosen = hotloop.plan.chosen(given.questions, wish);
const found = hotloop.plan.waiting(chosen, known, 10, ["beginner", "advanced"]);
const keys = (planned) => planned.map(({ question }) => question.key);
return keys(hotloop.plan.session(found, given.minutes, given.ahead ?? false));
"""

WAITING = """
const known = new Map(Object.entries(given.due).map(([key, due]) => [key, { due }]));
const found = hotloop.plan.waiting(given.questions, known, given.now, given.tiers);
return [...found.due, ...found.new].map(({ question }) => question.key);
"""


def question(key: str, level: str = "beginner", minutes: int = 5, **more: Any) -> dict[str, Any]:
    module = key.partition(".")[0]
    about = {"key": key, "track": "a", "module": module, "level": level, "minutes": minutes}
    return {**about, "titles": {"en": "?"}, **more}


def test_what_is_due_comes_first_and_what_is_not_is_left_out(javascript: JavaScript) -> None:
    questions = [question(f"x.{name}") for name in ("new", "later", "overdue", "due")]
    given = {
        "questions": questions,
        "minutes": 60,
        "due": {"x.later": 11, "x.overdue": 1, "x.due": 10},
    }
    assert javascript(SESSION, given) == ["x.overdue", "x.due", "x.new"]
    assert javascript(SESSION, {**given, "ahead": True})[-1] == "x.later"


def test_new_ones_go_from_easy_to_hard_and_modules_take_turns(javascript: JavaScript) -> None:
    questions = [
        question("x.hard", "advanced"),
        question("x.one"),
        question("x.two"),
        question("y.three"),
        question("a.four", module=None),
    ]
    found = javascript(SESSION, {"questions": questions, "minutes": 60})
    assert found == ["x.one", "y.three", "a.four", "x.two", "x.hard"]


def test_a_session_fills_its_minutes_and_asks_at_least_one(javascript: JavaScript) -> None:
    sizes = {"a": 8, "b": 9, "c": 4, "d": 30}
    questions = [question(f"x.{name}", minutes=minutes) for name, minutes in sizes.items()]
    assert javascript(SESSION, {"questions": questions, "minutes": 12}) == ["x.a", "x.c"]
    assert javascript(SESSION, {"questions": questions, "minutes": 1}) == ["x.a"]
    assert javascript(SESSION, {"questions": [], "minutes": 30}) == []


def test_a_wish_leaves_out_what_does_not_fit(javascript: JavaScript) -> None:
    questions = [
        question("x.one"),
        question("y.two", track="b"),
        question("y.three", "advanced", titles={"en": "?", "zh": "？"}),
    ]
    for wish, keys in (
        ({"track": "b"}, ["y.two"]),
        ({"module": "x"}, ["x.one"]),
        ({"level": "advanced"}, ["y.three"]),
        ({"language": "zh"}, ["y.three"]),
    ):
        given = {"questions": questions, "minutes": 60, "wish": wish}
        assert javascript(SESSION, given) == keys


@pytest.mark.slow
def test_an_assistant_asks_in_the_pages_order(javascript: JavaScript) -> None:
    entries = catalog.catalog()
    now = datetime(2026, 3, 1, tzinfo=UTC)
    moments = {entry.key: now + timedelta(days=n % 7 - 3) for n, entry in enumerate(entries[::3])}
    reviews = [
        Review(question=key, at=now - timedelta(days=9), mark=3, seconds=9, language="en")
        for key in moments
    ]
    given = {
        "questions": data.index(curriculum.modules(), entries)["questions"],
        "due": {key: round(at.timestamp() * 1000) for key, at in moments.items()},
        "now": round(now.timestamp() * 1000),
        "tiers": curriculum.curriculum().tiers,
    }
    found = plan.waiting(entries, PracticeRecord(reviews=reviews, due=moments), now)
    assert [entry.key for entry in found] == javascript(WAITING, given)
