from collections.abc import Callable
from typing import Any

import pytest

from hotloop.learn.bank import numeric, units
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.question import Numeric
from hotloop.learn.bank.translation import NumericText
from hotloop.learn.bank.wording import wording

Ask = Callable[..., CatalogEntry]


@pytest.fixture
def form(numbers: dict[str, Any]) -> Numeric:
    return Numeric.model_validate(numbers)


def test_the_same_seed_draws_the_same_instance_on_every_machine(form: Numeric) -> None:
    first = numeric.draw(form, "a seed")
    assert first == numeric.draw(form, "a seed")
    # Hard-coded, because another draw would give learners other numbers than before.
    assert dict(first.values) == {"rows": 16, "width": 1024}
    drawn = {tuple(numeric.draw(form, seed).values.values()) for seed in range(40)}
    assert drawn == {(8, 1024), (8, 65536), (16, 1024), (16, 65536)}


def test_an_instance_has_its_numbers_in_the_text_and_its_answer(form: Numeric) -> None:
    last = list(numeric.instances(form))[-1]
    assert last.ask == "16 rows of 65,536 numbers in float32: how many bytes?"
    assert last.answer == 16 * 65536 * 4
    assert last.shown == "4,194,304 bytes (4.194 MB)"
    assert len(list(numeric.instances(form))) == 4


def test_an_instance_is_told_in_another_language(form: Numeric) -> None:
    words = NumericText(ask="{rows} 行 {width} 个数", explain="相乘。")
    told = numeric.draw(form, 1, words)
    assert told.answer == numeric.draw(form, 1).answer
    assert told.explain == "相乘。"
    assert "行" in told.ask


def test_an_entry_gives_its_words(ask: Ask, numbers: dict[str, Any]) -> None:
    said = wording(ask(numeric=numbers), "en").numeric
    assert said is not None
    assert said.explain == numbers["explain"]


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("a + b * 2", 11),
        ("(a - b) / 2", -0.5),
        ("b // a", 1),
        ("b % a", 1),
        ("2 ** b", 16),
        ("min(a, b) + max(a, b)", 7),
        ("ceil(b / a) + floor(b / a)", 3),
        ("sqrt(b) + log2(b)", 4),
        ("-a", -3),
    ],
)
def test_a_formula_is_arithmetic(formula: str, value: float) -> None:
    assert numeric.evaluate(formula, {"a": 3, "b": 4}) == value


@pytest.mark.parametrize(
    "formula",
    [
        "c",
        "a /",
        "a / 0",
        "a - a",
        "sqrt(-a)",
        "__import__('os')",
        "a.__class__",
        "[a for a in (1, 2)]",
        "a if a else b",
        "a << b",
        "a == b",
        "'text'",
        "10 ** 10 ** 10",
        "float('inf')",
    ],
)
def test_anything_else_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match="formula"):
        numeric.evaluate(formula, {"a": 3, "b": 4})


def test_a_page_can_check_by_itself(form: Numeric) -> None:
    told = numeric.document(next(numeric.instances(form)))
    assert told["readings"]["kB"] * 32.768 == told["answer"]
    assert told["readings"] == units.readings("bytes")
    assert told["base_factor"] == 1
