"""Every command that a page, a lesson, a message or a comment names exists."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from hotloop.cli.commands import GROUPS, HOTLOOP

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(
    # At the beginning of a line, of a quotation or of code, and behind a colon.
    r"(?:^[\s#/*>]*|`|(?<![bf])[\"'(]|<code>|<pre>|: |bin/|BIN\)/|grader |portal )"
    r"(?:hotloop|python3? -m hotloop\.cli) ([a-z]\w*)(?: ([a-z]\w*))?",
    re.MULTILINE,
)
BROKEN = re.compile(r"`hotloop(?:\n[\s#/*]*([a-z]\w*)| ([a-z]\w*)\n[\s#/*]*([a-z]\w*))")
"""In code that goes on in the next line."""
NOT_TYPED = {("chain", "of"), ("portal", ""), ("variant", "")}
"""What digests and keys are made of."""

NAMES_WHAT_IS_NOT = {"tests/docs/test_commands.py", "tests/docs/test_docker.py"}


@cache
def named() -> list[tuple[str, str, str]]:
    """File, and the two words that follow `hotloop`; the second may be empty, or an argument."""
    listed = ["git", "-C", str(ROOT), "ls-files", "-z"]
    files = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    texts = {
        name: (ROOT / name).read_text(encoding="utf-8", errors="replace")
        for name in set(files) - NAMES_WHAT_IS_NOT
        if (ROOT / name).is_file()
    }
    return [
        (name, *found)
        for name, text in texts.items()
        if "hotloop" in text
        for found in words(text)
        if found not in NOT_TYPED
    ]


def words(text: str) -> list[tuple[str, str]]:
    """The words behind each `hotloop`."""
    broken = [(alone or first, second) for alone, first, second in BROKEN.findall(text)]
    return [*NAMED.findall(text), *broken]


def exists(first: str, second: str) -> bool:
    """A group needs one of its commands behind it, if a word is there at all."""
    if first not in GROUPS[HOTLOOP].names:
        return False
    return first not in GROUPS or not second or second in GROUPS[first].names


@pytest.mark.slow
def test_what_is_named_exists() -> None:
    for file, first, second in named():
        assert exists(first, second), f"{file}: hotloop {first} {second}"


@pytest.mark.slow
def test_many_are_named() -> None:
    found = {(first, second) for _, first, second in named()}
    assert len(named()) > 200
    assert {("course", "grade"), ("takehome", "submit"), ("cuda", "run")} <= found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see `hotloop grade MODULE`.", ("grade", "")),
        ("<pre>hotloop course class</pre>", ("course", "class")),
        ("    # hotloop takehome\n", ("takehome", "")),
        ("Then `hotloop author\n# proof` runs.", ("author", "proof")),
        ("Then `hotloop\nclass` writes.", ("class", "")),
    ],
)
def test_commands_are_found_where_they_stand(text: str, found: tuple[str, str]) -> None:
    assert found in words(text)


def test_old_names_do_not_exist() -> None:
    assert not exists("grade", "")
    assert not exists("course", "class")
    assert exists("start", "fused_softmax")
