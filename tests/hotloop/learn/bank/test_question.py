from collections.abc import Callable
from typing import Any

import pytest

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank.catalog import CatalogEntry

Ask = Callable[..., CatalogEntry]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"title": None}, "title"),
        ({"say": None}, "say"),
        ({"say": "word " * 91}, "91 words"),
        ({"rubric": {0: "a"}}, "marks 0 to 4"),
        ({"opinion": None}, "nothing backs the answer"),
        ({"proof": "proofs/a.py", "proofs": ["proofs/b.py"]}, "either `proof`"),
        ({"proofs": ["proofs/a.py", "proofs/a.py"]}, "is there twice"),
        ({"proof": "../a.py"}, "proof"),
        ({"proof": "a.py"}, "proof"),
        ({"probes": ["one"]}, "probes"),
        ({"follow_ups": ["one"]}, "follow_ups"),
        ({"hints": ["a", "b", "c", "d"]}, "hints"),
        ({"sources": ["a book"]}, "sources"),
        ({"cited": [{"claim": "c", "source": "a book"}]}, "source"),
        ({"cited": [{"claim": "c"}]}, "source"),
        ({"level": "hard"}, "level"),
        ({"prompt": {"en": "?"}}, "prompt"),
        ({"answer_zh": "?"}, "unknown key 'questions.0.answer_zh'"),
    ],
)
def test_a_faulty_question_is_refused(ask: Ask, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(CurriculumError, match=words):
        ask(**changes)


def test_what_is_cited_is_ground_enough(ask: Ask) -> None:
    cited = [{"claim": "Four bytes.", "source": "https://example.org/ieee754"}]
    assert ask(opinion=None, cited=cited).question.cited[0].claim == "Four bytes."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ask": "{rows} rows"}, "does not tell the value of width"),
        ({"ask": "{rows} {width} {depth}"}, "a place for depth"),
        ({"parameters": {"rows": [], "width": [1]}}, "rows"),
        ({"parameters": {"rows": ["8"], "width": [1]}}, "rows"),
        ({"tolerance": 0}, "tolerance"),
        ({"explain": ""}, "explain"),
    ],
)
def test_faulty_numbers_are_refused(
    ask: Ask, numbers: dict[str, Any], changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(CurriculumError, match=words):
        ask(numeric=numbers | changes)
