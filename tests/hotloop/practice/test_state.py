from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from pydantic import ValidationError

from hotloop.practice import state
from hotloop.practice.state import Review, State


def test_the_document_in_the_docstring_is_of_the_format() -> None:
    told = state.__doc__ or ""
    block = told[told.index("    {\n") : told.index("\n    }\n") + 7]
    found = State.model_validate_json(block)
    assert found.reviews[0].numeric is True
    assert found.placements[0].start == "triton_ensemble"
    assert json.loads(found.text())["reviews"][0]["at"] == "2026-03-01T09:30:00.125Z"


def test_a_moment_becomes_utc_in_milliseconds() -> None:
    told = '{"question": "a.b", "at": "2026-03-01T10:30:00.125999+01:00", "mark": 0, "seconds": 1, '
    found = Review.model_validate_json(told + '"language": "zh"}')
    assert json.loads(found.model_dump_json())["at"] == "2026-03-01T09:30:00.125Z"


@pytest.mark.parametrize(
    "change",
    [
        {"mark": 5},
        {"mark": -1},
        {"seconds": -1},
        {"at": "2026-03-01T10:30:00"},
        {"question": "no key"},
        {"language": "de"},
        {"comment": "mine"},
    ],
)
def test_what_is_not_of_the_format_is_refused(change: dict[str, object]) -> None:
    good = {"question": "a.b", "at": "2026-03-01T10:30:00Z", "mark": 1, "seconds": 1}
    with pytest.raises(ValidationError):
        Review.model_validate({**good, "language": "en", **change})


def test_merging_takes_what_either_has_and_changes_nothing_twice(
    review: Callable[..., Review],
) -> None:
    mine = State(reviews=[review(1, 0), review(2, 2)])
    theirs = State(reviews=[review(4, 1), review(4, 2)])
    both = mine.merged(theirs)
    assert [each.mark for each in both.reviews] == [1, 4, 2]
    assert both.merged(theirs) == both
    assert both.merged(both) == both
    assert theirs.merged(mine).reviews[:2] == both.reviews[:2]
