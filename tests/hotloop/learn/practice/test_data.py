"""The scripts of the practice pages contain the data of the bank and the curriculum."""

import gzip
import json
import re
from typing import Any

import pytest

from hotloop.learn.bank.catalog import catalog, find
from hotloop.learn.bank.numeric import draw, instances
from hotloop.learn.practice import data
from hotloop.tasks import curriculum

MOST_BYTES = 36_000
"""Most bytes that a page loads before the first question, for every visitor, as servers send them:
compressed."""


@pytest.fixture(scope="module")
def scripts() -> dict[str, str]:
    """Each script's text, by its name."""
    made = data.scripts(curriculum.modules(), catalog())
    return {name: text() for name, text in made.items()}


def value(script: str) -> Any:
    """Return the value that a script assigns."""
    name, _, told = script.partition(" = ")
    assert name.startswith("hotloop.")
    return json.loads(told.strip().removesuffix(";"))


@pytest.mark.slow
def test_every_question_is_there_in_its_languages(scripts: dict[str, str]) -> None:
    index = value(scripts["data/index.js"])
    assert [q["key"] for q in index["questions"]] == [entry.key for entry in catalog()]
    for entry in catalog():
        for language in ("en", "zh"):
            name = f"data/{entry.key.replace('.', '/')}.{language}.js"
            assert (name in scripts) == (language in entry.languages)
    for name in ("data/index.js", "data/placement.js"):
        assert len(gzip.compress(scripts[name].encode())) < MOST_BYTES


@pytest.mark.slow
def test_the_placement_test_has_every_item_with_its_answer(scripts: dict[str, str]) -> None:
    told = value(scripts["data/placement.js"])
    assert list(told["framework_internals"]) == ["beginner", "intermediate", "advanced"]
    items = [each for track in told.values() for tier in track.values() for each in tier]
    choices = [each for each in items if "right" in each]
    assert 0 < len(choices) < len(items)
    assert all(each["right"] not in each["wrong"] for each in choices)
    for each in items:
        assert ("right" in each) != (each == {"question": each["question"]})
        assert find(each["question"]).question.numeric is not None or "right" in each


def test_a_question_with_numbers_has_all_instances() -> None:
    entry = find("graph_compilation.sharded_matmul")
    assert entry.question.numeric is not None
    told = data.text(entry, "en")["numeric"]
    found = list(instances(entry.question.numeric))
    assert [each[1] for each in told["instances"]] == [each.answer for each in found]
    assert draw(entry.question.numeric, "1").shown in [each[2] for each in told["instances"]]


def test_a_question_without_hints_lends_the_steps_of_its_strategy() -> None:
    bare = next(entry for entry in catalog() if not entry.question.hints)
    told = data.text(bare, "en")
    assert told["hints"] == told["strategy"]
    assert len(told["rubric"]) == 5


@pytest.mark.slow
def test_texts_are_escaped() -> None:
    texts = [json.dumps(data.text(entry, "en")) for entry in catalog()]
    tags = {tag for text in texts for tag in re.findall(r"</?([a-zA-Z]+)", text)}
    assert tags <= {"code", "em", "li", "p", "pre", "strong", "ul"}
