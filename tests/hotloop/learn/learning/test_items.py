from pathlib import Path

import pytest

from hotloop.core.yaml_lines import CurriculumError, load
from hotloop.learn.learning import items
from hotloop.learn.learning.items import choices
from hotloop.tasks import curriculum

MODULES = [each.id for each in curriculum.modules() if choices(each.id)]


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
def test_no_option_or_question_is_too_long_for_a_phone(module: str) -> None:
    for each in choices(module):
        assert all(len(option) <= 110 for option in (each.right, *each.wrong)), each.question
        assert len(each.ask) <= 260, each.question


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
