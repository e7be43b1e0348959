"""How many figures of lessons, pages and answers are rendered from a record? Prints the count.

    python tests/curriculum/claims.py          # a line for each file, and the sum
    python tests/curriculum/claims.py --open   # figures that have neither a key nor a reason

A claim is a number with a unit (×, times, %, µs, ms, s, GB/s, TFLOP/s) in the prose of a page, or
in what a question's answer says. It is rendered from a key (`{{ run ... }}`, `{{ proof ... }}`,
`{{ benchmark ... }}`); or the question's prompt or a source that it cites gives it; or
`claims.yaml` says why it needs no key. A translation may have the figures of its original.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

from hotloop.core import paths

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

REASONS = Path(__file__).with_suffix(".yaml")
KEY = re.compile(r"(?<!`)\{\{\s*(?:run|proof|benchmark)\b[^{}]*\}\}")

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
UNIT = (
    r"×(?!\s*(?:\d|[a-z]\b))|x\b(?!\s*\d)|%|percent\b|times\b(?! the size)"
    r"|(?:ms|µs|us|ns|s|seconds|milliseconds|microseconds)\b"
    r"|[GTMk]i?B/s|[GTP]FLOP(?:S\b|/s)|倍|毫秒|微秒|秒"
)
CLAIM = re.compile(
    rf"(?<![\w.^/-])(?P<number>{NUMBER})(?:\s?(?:to|and|or|–|到|至)\s{NUMBER})*\s?(?P<unit>{UNIT})"
)
NO_PROSE = (
    r"https?://(?:[^\s()]|\([^\s()]*\))+",
    r"(?ms)^\s*(`{3,}).*?^\s*\1\s*$",
    r"(?s)<!-- demo-table: start -->.*?<!-- demo-table: end -->",
    r"(?s)<!--.*?-->",
    r"`[^`\n]+`",
    r"<[^>]+>",
    r"\]\([^)]*\)",
)
GIVEN = ("title", "prompt", "numeric", "cited")
ANSWERED = ("say", "answer", "rubric", "hints")


@dataclass(frozen=True)
class Text:
    """A text with figures. name: the file, with the question's id. given: numbers beside it."""

    name: str
    text: str
    given: frozenset[str] = frozenset()
    proofs: tuple[str, ...] = ()

    def claims(self) -> Iterator[re.Match[str]]:
        """Yield the figures that are typed, without those that the question gives."""
        for match in CLAIM.finditer(KEY.sub(_blank, prose(self.text))):
            if _digits(match["number"]) not in self.given:
                yield match

    def keyed(self) -> list[str]:
        """Return the keys, also those within a word of prose."""
        return KEY.findall(prose(self.text))


def prose(text: str) -> str:
    """Return the text without code, comments, tags and addresses."""
    for pattern in NO_PROSE:
        text = re.sub(pattern, _blank, text)
    return text


def _blank(match: re.Match[str]) -> str:
    """Return as many spaces, so that a place in the prose is one in the text."""
    return " " * len(match[0])


def texts() -> Iterator[Text]:
    """Yield all lessons and other pages for readers, and each question."""
    root = paths.curriculum().parent
    pages = [p for p in sorted(paths.curriculum().glob("*/*.md")) if p.name != "design.md"]
    pages += [root / "README.md", *sorted((root / "site" / "pages").rglob("*.md"))]
    for page in pages:
        yield Text(str(page.relative_to(root)), page.read_text(encoding="utf-8"))
    for path in sorted(paths.curriculum().glob("*/*.yaml")):
        for question in _questions(path):
            yield _of_question(f"{path.relative_to(root)} {question['id']}", question, path)
    for path in sorted(paths.curriculum().glob("*/ladders.yaml")):
        yield Text(str(path.relative_to(root)), path.read_text(encoding="utf-8"))


def original(text: Text) -> Text | None:
    """Return what the text is a translation of; None if it is none."""
    return _by_name().get(text.name.replace(".zh.", ".")) if ".zh." in text.name else None


@cache
def _by_name() -> dict[str, Text]:
    return {text.name: text for text in texts()}


def _questions(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    if "\nquestions:" not in f"\n{text}":
        return []
    return cast("list[dict[str, Any]]", yaml.load(text, _LOADER)["questions"])


def _of_question(name: str, question: dict[str, Any], path: Path) -> Text:
    asked = " ".join(str(question.get(key, "")) for key in GIVEN)
    answered = "\n".join(t for key in ANSWERED for t in _strings(question.get(key, "")))
    programs = [question["proof"]] if "proof" in question else question.get("proofs", [])
    return Text(
        name,
        answered,
        frozenset(_digits(number) for number in re.findall(NUMBER, asked)),
        tuple(f"{path.parent.name}.{Path(program).stem}" for program in programs),
    )


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in cast("dict[object, object]", value).values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _strings(each)
    else:
        yield str(value)


def _digits(number: str) -> str:
    return number.replace(",", "")


@dataclass(frozen=True)
class Exceptions:
    """The content of claims.yaml.

    reasons: the kinds of reasons, with their meaning. without_a_key: for each text's name the
    figures that need no key, by reason. typed: figures with a key in texts that nothing renders.
    not_measured: for each text's name, what is not measured there, as often as the text says so.
    """

    reasons: dict[str, str]
    without_a_key: dict[str, dict[str, list[str]]]
    typed: dict[str, dict[str, str]]
    not_measured: dict[str, list[str]]


@cache
def exceptions() -> Exceptions:
    """Return the content of claims.yaml."""
    return Exceptions(**yaml.safe_load(REASONS.read_text(encoding="utf-8")))


def shown(match: re.Match[str]) -> str:
    """Return a claim on one line."""
    return " ".join(match[0].split())


def open_claims(text: Text) -> list[re.Match[str]]:
    """Return the claims that have neither a key nor a reason."""
    listed = exceptions().without_a_key.get(text.name, {}).values()
    known = {figure for figures in listed for figure in figures}
    known |= set(exceptions().typed.get(text.name, {}))
    source = original(text)
    typed: set[str] = (
        set() if source is None else {_digits(match["number"]) for match in source.claims()}
    )
    return [
        match
        for match in text.claims()
        if shown(match) not in known and _digits(match["number"]) not in typed
    ]


def main(arguments: list[str]) -> None:
    """Print the table, or the open claims."""
    keyed, typed, unexplained = Counter[str](), Counter[str](), Counter[str]()
    for text in texts():
        file = text.name.partition(" ")[0]
        keyed[file] += len(text.keyed())
        typed[file] += len(list(text.claims()))
        unexplained[file] += len(open_claims(text))
        if "--open" in arguments:
            body = " ".join(prose(text.text).split())
            for match in open_claims(text):
                at = body.find(shown(match))
                print(f"{text.name}: {shown(match)}: …{body[max(0, at - 70) : at + 50]}…")
    if "--open" not in arguments:
        print(f"{'keyed':>6} {'typed':>6} {'open':>6}")
        for file in sorted(keyed | typed):
            print(f"{keyed[file]:6} {typed[file]:6} {unexplained[file]:6}  {file}")
        total = sum(keyed.values()), sum(typed.values()), sum(unexplained.values())
        print(f"{total[0]:6} {total[1]:6} {total[2]:6}  of {total[0] + total[1]} claims")


if __name__ == "__main__":
    main(sys.argv[1:])
