from __future__ import annotations

from pathlib import Path

import pytest

from hotloop import curriculum
from hotloop.learning import items
from hotloop.learning.graph import way
from hotloop.learning.items import Item, choices, letter
from hotloop.yaml_lines import CurriculumError, load

TRACKS = [each.id for each in curriculum.curriculum().tracks]
MODULES = [each.id for each in curriculum.modules() if choices(each.id)]


def _all(track: str, seed: str = "1") -> list[Item]:
    return [item for found in items.items(track, way(track), seed).values() for item in found]


def test_modules_bring_items_along() -> None:
    assert MODULES


@pytest.mark.parametrize("module", MODULES)
def test_length_does_not_give_the_right_option_away(module: str) -> None:
    found = choices(module)
    longest = sum(len(each.right) > max(map(len, each.wrong)) for each in found)
    shortest = sum(len(each.right) < min(map(len, each.wrong)) for each in found)
    assert longest <= len(found) / 2, module
    assert shortest <= len(found) / 2, module


@pytest.mark.parametrize("module", MODULES)
def test_no_option_or_question_is_too_long_for_a_terminal(module: str) -> None:
    for each in choices(module):
        assert all(len(option) <= 110 for option in (each.right, *each.wrong)), each.question
        assert len(each.ask) <= 260, each.question


@pytest.mark.parametrize("track", TRACKS)
def test_the_same_seed_asks_the_same(track: str) -> None:
    assert _all(track) == _all(track)
    if _all(track):
        assert _all(track) != _all(track, "2")


@pytest.mark.parametrize("track", TRACKS)
def test_each_item_knows_its_answer(track: str) -> None:
    for item in _all(track):
        if item.instance is None:
            assert item.is_right(letter(item.right))
            assert not any(
                item.is_right(letter(at)) for at in range(len(item.options)) if at != item.right
            )
            assert item.solution in item.options
        else:
            assert item.is_right(f"{item.instance.answer} {item.instance.unit}")
        assert not item.is_right("?")


def test_the_right_option_is_at_every_place() -> None:
    places = {item.right for track in TRACKS for item in _all(track) if item.options}
    assert places == {0, 1, 2, 3}


def test_choices_and_numbers_take_turns() -> None:
    found = items.items("framework_internals", way("framework_internals"), "1")
    for tier in found.values():
        assert [item.instance is None for item in tier[:4]] == [True, False, True, False]


def test_a_page_gets_every_item_with_its_answer() -> None:
    told = items.document("framework_internals", way("framework_internals"))
    assert list(told) == ["beginner", "intermediate", "advanced"]
    for item in [each for found in told.values() for each in found]:
        assert (item["right"] is None) == bool(item["numeric"])
        assert item["right"] not in item["wrong"]


def test_an_item_about_no_question_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = MODULES[0]
    faulty = (curriculum.folder(name) / items.NAME).read_text(encoding="utf-8")
    faulty = faulty.replace(choices(name)[0].question, "no_such_question")
    (tmp_path / items.NAME).write_text(faulty, encoding="utf-8")
    monkeypatch.setattr(curriculum, "folder", lambda _name: tmp_path)
    with pytest.raises(CurriculumError, match=r"placement\.yaml:\d+: .*'no_such_question'"):
        choices(name)


def test_an_unknown_key_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / items.NAME
    file.write_text("items:\n  - question: a\n    hint: b\n", encoding="utf-8")
    with pytest.raises(CurriculumError, match=r"placement\.yaml:3: unknown key 'items\.0\.hint'"):
        load(file, items.Choices)
