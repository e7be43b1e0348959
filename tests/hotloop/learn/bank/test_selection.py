from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.interviews import roles_of, round_of
from hotloop.learn.bank.selection import QuestionSelection

Ask = Callable[..., CatalogEntry]


@pytest.mark.parametrize(
    ("selection", "fits"),
    [
        (QuestionSelection(), True),
        (QuestionSelection(track="a"), True),
        (QuestionSelection(track="b"), False),
        (QuestionSelection(level="beginner"), True),
        (QuestionSelection(level="advanced"), False),
        (QuestionSelection(module="first"), True),
        (QuestionSelection(module="second"), False),
        (QuestionSelection(kind="concept"), True),
        (QuestionSelection(kind="design"), False),
        (QuestionSelection(role="trainer"), True),
        (QuestionSelection(role="compilers"), False),
        (QuestionSelection(round="phone_screen"), True),
        (QuestionSelection(round="technical"), False),
        (QuestionSelection(language="zh"), False),
        (QuestionSelection(numeric=True), False),
        (QuestionSelection(track="a", level="advanced"), False),
    ],
)
def test_a_question_fits_when_all_that_was_asked_holds(
    ask: Ask, selection: QuestionSelection, fits: bool
) -> None:
    entry = ask()
    assert selection.of([entry]) == ([entry] if fits else [])
    assert selection.entries() == ([entry] if fits else [])


def test_numbers_and_languages_are_asked_for(
    ask: Ask, translate: Callable[..., None], numbers: dict[str, Any]
) -> None:
    translate(numeric={"ask": "{rows} {width}", "explain": "相乘。"})
    entry = ask(numeric=numbers)
    assert QuestionSelection(language="zh", numeric=True).entries() == [entry]


def test_keys_are_kept_in_their_order_and_may_be_ids(ask: Ask) -> None:
    entry = ask()
    wanted = QuestionSelection(keys=("bytes_of_a_batch", "first.bytes_of_a_batch"))
    assert wanted.entries() == [entry, entry]
    with pytest.raises(KeyError, match="nothing"):
        QuestionSelection(keys=("nothing",)).entries()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"kind": "design"}, "system_design"),
        ({"kind": "profile"}, "debugging"),
        ({"kind": "fault"}, "debugging"),
        ({"level": "intermediate", "minutes": 7}, "phone_screen"),
        ({"minutes": 8}, "technical"),
        ({"level": "advanced", "minutes": 2}, "technical"),
    ],
)
def test_the_round_follows_from_kind_level_and_minutes(
    ask: Ask, changes: dict[str, Any], expected: str
) -> None:
    assert round_of(ask(**changes)) == expected


def test_a_question_without_a_module_fits_the_roles_of_its_track(ask: Ask) -> None:
    entry = ask()
    assert roles_of(entry) == ("trainer",)
    of_track = replace(entry, module=None)
    assert roles_of(of_track) == ("compilers",)
