"""Spelling is American in all of the repository's text: code, names of files, and what people read.

tests/docs/prose corrects prose; this finds the same words in code, where they are names. Recorded
data keep what was recorded. The list has stems, so that parts of a name are found too.
"""

import re

import pytest
from tests.docs.test_hygiene import ROOT, tracked

STEMS = (
    "amort|canonical|character|custom|emphas|equal|functional|general|initial|local|material|maxim|"
    "minim|normal|optim|organ|parallel|prior|quant|random|real|recogn|sequential|serial|special|"
    "standard|summar|synchron|token|util|vector|visual"
)
BRITISH = re.compile(
    r"(?:behavi|col|fav|hon|neighb)our(?:s|ed|ing|able)?(?![a-z])"
    r"|(?:label|model|signal|travel)l(?:ed|ing|ers?)(?![a-z])"
    r"|cancell(?:ed|ing)(?!error|[a-z(])"
    r"|cent(?:re|res|red|ring)(?![a-z])"
    rf"|(?:{STEMS})is(?:e|ed|er|ers|es|ing|able|ations?)(?![a-z])",
    re.IGNORECASE,
)
"""`CancelledError` and a call of `.cancelled()` are names of Python's library."""
RULES = {
    ROOT / "tests" / "docs" / "prose" / "texts.yml",
    ROOT / "tests" / "docs" / "test_spelling.py",
}
DATA = {".json", ".gz"}


@pytest.mark.slow
def test_every_text_and_every_name_is_spelled_as_in_america() -> None:
    found: list[str] = []
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if BRITISH.search(name):
            found.append(name)
        if path.suffix in DATA or path in RULES:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{name}:{text.count(chr(10), 0, word.start()) + 1}: {word[0]}"
            for word in BRITISH.finditer(text)
        ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    ["a busy_neighbour", "COLOURS", "quantised_from", "relabelled", "centres", "job was cancelled"],
)
def test_a_name_is_found_in_any_case(text: str) -> None:
    assert BRITISH.search(text)


@pytest.mark.parametrize(
    "text",
    ["your four hours", "CancelledError", "task.cancelled()", "aria-labelledby", "realistic"],
)
def test_other_words_are_left_alone(text: str) -> None:
    assert not BRITISH.search(text)
