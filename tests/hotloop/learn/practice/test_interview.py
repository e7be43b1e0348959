"""A mark that no page gave is kept beside those of the page."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.user_error import UserError
from hotloop.learn.practice import interview, store
from hotloop.learn.practice.state import PracticeRecord, Review
from hotloop.learn.practice.store import Outdated

ReviewOf = Callable[..., Review]
JavaScript = Callable[[str, object], Any]


def test_the_mark_joins_the_record(home: Path, review: ReviewOf) -> None:
    first = interview.keep(review(3))
    second = interview.keep(review(4, 2, "first.other"))
    assert [each.mark for each in store.read().state.reviews] == [3, 4]
    assert set(store.read().state.due.values()) == {first, second}
    assert first > review(3).at + timedelta(hours=12)


def test_the_page_reads_and_writes_the_same(
    home: Path, review: ReviewOf, javascript: JavaScript
) -> None:
    for days in (0, 2, 9):
        interview.keep(review(3, days))
    written = javascript("return hotloop.state.text(hotloop.state.parse(given))", store.read().text)
    assert PracticeRecord.model_validate_json(written) == store.read().state


def test_what_another_page_writes_meanwhile_is_not_lost(
    home: Path, review: ReviewOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, turns = store.replace, iter([True, False])

    def late(text: str, version: str) -> object:
        if next(turns):
            replace(PracticeRecord(reviews=[review(1)]).model_dump_json(), version)
            raise Outdated
        return replace(text, version)

    monkeypatch.setattr(store, "replace", late)
    interview.keep(review(4, 1))
    assert [each.mark for each in store.read().state.reviews] == [1, 4]


def test_a_record_that_never_rests_is_told(
    home: Path, review: ReviewOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(text: str, version: str) -> object:
        raise Outdated

    monkeypatch.setattr(store, "replace", never)
    with pytest.raises(UserError, match="keeps changing"):
        interview.keep(review(4))
