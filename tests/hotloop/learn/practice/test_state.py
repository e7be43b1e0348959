"""The format of the record, which the page and Python parse in the same way."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from hotloop.learn.practice import state
from hotloop.learn.practice.state import PracticeRecord, Review

JavaScript = Callable[[str, object], Any]
ReviewOf = Callable[..., Review]

REVIEW = {
    "question": "a.b", "at": "2026-03-01T10:30:00.125999+01:00", "mark": 3, "seconds": 1,
    "language": "zh",
}  # fmt: skip
WRITTEN = (
    "const tried = (text) => { try { return hotloop.state.text(hotloop.state.parse(text)) }"
    " catch (error) { return error.message } };"
    "return given.map(tried);"
)


def documented() -> str:
    told = state.__doc__ or ""
    return told[told.index("    {\n") : told.index("\n    }\n") + 7]


def test_the_document_in_the_docstring_is_of_the_format() -> None:
    found = PracticeRecord.model_validate_json(documented())
    assert found.reviews[0].numeric is True
    assert found.placements[0].start == "triton_ensemble"


def test_the_page_writes_when_each_question_is_due(javascript: JavaScript) -> None:
    (text,) = javascript(WRITTEN, [documented()])
    found = PracticeRecord.model_validate_json(text)
    assert found == PracticeRecord.model_validate_json(documented())
    (review,) = found.reviews
    due = found.due[review.question]
    assert review.at + timedelta(days=1) < due
    assert not found.is_due(review.question, due - timedelta(seconds=1))
    assert found.is_due(review.question, due)
    assert not found.is_due("never.practiced", due)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mark": 5}, "reviews, number 1: “mark” cannot be 5"),
        ({"mark": 1.5}, "“mark” cannot be 1.5"),
        ({"seconds": -1}, "“seconds” cannot be -1"),
        ({"question": "a"}, "“question” cannot be"),
        ({"at": "2026-03-01T10:30:00"}, "“at” cannot be"),
        ({"at": "2026-13-01T10:30:00Z"}, "“at” cannot be"),
        ({"language": "de"}, "“language” cannot be"),
        ({"due": 1}, "reviews, number 1 has an unknown key “due”"),
        ({"numeric": "perhaps"}, "“numeric” cannot be"),
    ],
)
def test_what_one_reader_refuses_the_other_refuses(
    javascript: JavaScript, change: dict[str, Any], said: str
) -> None:
    good = json.dumps({"reviews": [REVIEW]})
    bad = json.dumps({"reviews": [{**REVIEW, **change}]})
    written, refused = javascript(WRITTEN, [good, bad])
    assert (
        PracticeRecord.model_validate_json(good).reviews
        == PracticeRecord.model_validate_json(written).reviews
    )
    assert json.loads(written)["reviews"][0]["at"] == "2026-03-01T09:30:00.125Z"
    assert said in refused
    with pytest.raises(ValidationError):
        PracticeRecord.model_validate_json(bad)


def test_merging_takes_what_either_has_and_changes_nothing_twice(
    javascript: JavaScript, review: ReviewOf
) -> None:
    mine = PracticeRecord(reviews=[review(1, 0), review(2, 2)]).model_dump(mode="json")
    theirs = PracticeRecord(reviews=[review(4, 1), review(4, 2)]).model_dump(mode="json")
    body = (
        "const { merged } = hotloop.state; const [mine, theirs] = given;"
        "const both = merged(mine, theirs);"
        "return [both, merged(both, theirs), merged(theirs, mine)]"
        "  .map(({ reviews }) => reviews.map(({ mark }) => mark))"
    )
    # Of two reviews at the same moment, the first one's is kept.
    assert javascript(body, [mine, theirs]) == [[1, 4, 2], [1, 4, 2], [1, 4, 4]]
