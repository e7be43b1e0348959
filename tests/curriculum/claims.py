"""How many figures of lessons, pages and answers are rendered from a record? Prints the count.

    python tests/curriculum/claims.py          # a line for each file, and the sum
    python tests/curriculum/claims.py --open   # figures that have neither a key nor a reason

A claim is a number with a unit (×, times, %, µs, ms, s, GB/s, TFLOP/s, requests a second) in the
prose of a page, in a hint, in a label that a figure's script types, or in what a question's answer
says. It may stand in a column of a table whose head has the unit, and a comparison of speeds may be
spelled out ("twice as fast", "two thirds of cuBLAS"). It is rendered from a key (`{{ run ... }}`,
`{{ proof ... }}`, `{{ benchmark ... }}`); or the question's prompt or a source that it cites gives
it; or `claims.yaml` says why it needs no key. A translation may have the figures of its original.
"""

from __future__ import annotations

import ast
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

NUMBER_SIGN = "＃"

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?"
WORDS = {
    **{word: i for i, word in enumerate("二三四五六七八九十", 2)},
    "half": 0.5,
    "一半": 0.5,
    "twice": 2,
    "两": 2,
    "a hundred": 100,
    "a thousand": 1000,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
"""Numbers that are spelled out, and what they are."""

SAME = {
    **dict.fromkeys(("", "x", "X", "times", "倍", "fold", "-fold", "-times"), "×"),
    **dict.fromkeys(("percent", "per cent", "百分之"), "%"),
    **dict.fromkeys(("milliseconds", "millisecond", "msec", "毫秒"), "ms"),
    **dict.fromkeys(("microseconds", "microsecond", "μs", "us", "usec", "微秒"), "µs"),
    **dict.fromkeys(("nanoseconds", "nanosecond", "纳秒"), "ns"),
    **dict.fromkeys(("seconds", "second", "sec", "秒"), "s"),
}
"""Units that are spelled in several ways, and the short one."""

TO_TEN = "two|three|four|five|six|seven|eight|nine|ten"
COUNT = rf"(?:{NUMBER}|{TO_TEN}|several|a hundred|a thousand)"
PART = r"(?:half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)s?"
CHINESE = "[一两二三四五六七八九十百]"
GAP = r"(?:\s|&nbsp;|&thinsp;|\*\*|\*|\\,|\\mathrm\{|\\text\{)*?"
"""What may stand between a number and its unit."""

SPELLED_UNIT = r"(?:milli|micro|nano)?seconds?\b|per\s?cent\b"
UNIT = (
    rf"×(?!\s*(?:\d|[a-z]\b))|(?<=\d)[xX]\b(?!\s*\d)|%|{SPELLED_UNIT}|times\b(?! the size)"
    r"|-?fold\b|-times\b|(?:[mµμun]?s|[mu]?sec)\b"
    r"|[GTMk]i?B/s|[GTP]FLOP(?:[Ss]\b|/s)|(?:tera|giga|peta)flops?\b"
    r"|[A-Za-z]+/s\b|(?:[A-Za-z]+s|[kMGT]i?[Bb]) (?:per|a|each|every) second\b"
    r"|倍|毫秒|微秒|纳秒|秒"
)
SPEED = (
    r"(?:as (?:fast|slow|long|much time)|faster|slower|longer"
    r"|the (?:time|speed|bandwidth|throughput|latency))"
)
ROOF = r"(?:cuBLAS|cuDNN|PyTorch|a copy|(?:the|its) (?:peak|limit|ceiling|bandwidth|time|speed))"
FORMS = (
    rf"(?<![\w.^/-])(?P<number>{NUMBER})(?:\s?(?:to|and|or|–|到|至)\s{NUMBER})*{GAP}(?P<unit>{UNIT})",
    rf"\b(?P<number>{TO_TEN})[ -](?P<unit>{SPELLED_UNIT})",
    rf"(?<![\d)?.] )(?<![\w)?])(?P<unit>×)(?P<number>{NUMBER})(?!\s?×)",
    rf"(?P<unit>(?:speed-?up|factor|ratio) (?:of|is|was|by)) (?P<number>{COUNT})\b(?! ?[×%t])",
    rf"\b(?P<number>{COUNT}|a hundred) (?P<unit>times) {SPEED}",
    rf"\b(?P<number>twice|half)(?P<unit> ){SPEED}",
    rf"\b(?P<number>{TO_TEN})(?P<unit>-?fold)\b",
    r"\b(?P<unit>order) of magnitude (?P<number>faster|slower)",
    r"\b(?P<unit>halves|doubles|triples) the (?P<number>time|speed|throughput|latency)",
    rf"\b(?P<number>(?:(?:an?|one|{TO_TEN}) )?{PART}) (?P<unit>of) {ROOF}",
    rf"\b(?P<number>an? {PART}) (?P<unit>of a second)",
    rf"(?P<number>0\.\d+) (?P<unit>of) {ROOF}",
    rf"(?:快|慢|提速|速度|耗时|时间)[^，。；：\n|]{{0,12}}?(?P<number>{CHINESE}+)(?P<unit>倍)",
    rf"(?:达到|带宽|峰值|速度|时间)[^，。；：\n|]{{0,9}}?(?P<number>{CHINESE}分之{CHINESE})(?P<unit>)",
    r"(?:快|慢)了?(?P<number>一半)(?P<unit>)",
    rf"(?P<unit>百分之)(?P<number>{CHINESE}+)",
    rf"(?P<unit>每秒)[^，。；：\n|]{{0,6}}?(?P<number>{NUMBER})",
)
CLAIMS = tuple(map(re.compile, FORMS))
NO_PROSE = (
    r"https?://(?:[^\s()]|\([^\s()]*\))+",
    r"(?ms)^\s*(`{3,}).*?^\s*\1\s*$",
    r"(?s)<!-- demo-table: start -->.*?<!-- demo-table: end -->",
    r"(?s)<!--.*?-->",
    rf"`(?!{NUMBER}{GAP}(?:{UNIT})`)[^`\n]+`",
    r"<(?![^>]*\balt=)[^>]+>",
    r"\]\([^)]*\)",
)
HEAD = re.compile(rf"(?:^|[\s(,])(?P<unit>{UNIT})\)?\s*$")
GIVEN = ("title", "prompt", "numeric", "cited")
ANSWERED = ("say", "answer", "rubric", "hints")
HINTED = ("hints",)


@dataclass(frozen=True)
class Claim:
    """A figure as it is written: its number, its unit, and both on one line."""

    number: str
    unit: str
    shown: str

    @property
    def figure(self) -> tuple[str, str]:
        """The number in digits and the unit, however they are written and in which language."""
        unit = "/s" if re.search(r"(?:[^BP]/s| second|每秒)$", self.unit) else self.unit
        return value(self.number), SAME.get(unit, unit)


@cache
def claims_of(text: str) -> tuple[Claim, ...]:
    """Return the figures of a text, apart from keys and code."""
    return tuple(_found(KEY.sub(_blank, prose(text))))


def _found(text: str) -> Iterator[Claim]:
    taken: set[int] = set()
    for form in CLAIMS:
        for match in form.finditer(text):
            place = match.start("number")
            if place not in taken:
                taken.add(place)
                shown = " ".join(re.sub(r"\*|&nbsp;|&thinsp;", " ", match[0]).split())
                yield Claim(match["number"], match["unit"].strip(), shown)
    yield from _of_columns(text)


def _of_columns(text: str) -> Iterator[Claim]:
    """Yield the numbers below a unit, in tables of Markdown."""
    units: dict[int, str] = {}
    lines = text.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        cells = line.strip().strip("|").split("|")
        if "|" not in line:
            units = {}
        elif re.fullmatch(r"[\s|:-]*-[\s|:-]*", after):
            heads = ((i, HEAD.search(cell)) for i, cell in enumerate(cells))
            units = {i: head["unit"] for i, head in heads if head}
        else:
            for i, unit in units.items():
                number = i < len(cells) and re.fullmatch(rf"[*\s~≈]*({NUMBER})[*\s]*", cells[i])
                if number:
                    yield Claim(number[1], unit, f"{number[1]} {unit}")


def value(number: str) -> str:
    """Return a number in digits, so that one that is spelled out is the same."""
    if number in WORDS:
        return f"{WORDS[number]:g}"
    return number.replace(",", "")


@dataclass(frozen=True)
class Text:
    """A text with figures. name: the file, with the question's id. given: numbers beside it."""

    name: str
    text: str
    given: frozenset[str] = frozenset()
    proofs: tuple[str, ...] = ()

    def claims(self) -> Iterator[Claim]:
        """Yield the figures that are typed, without those that the question gives."""
        for claim in claims_of(self.text):
            if value(claim.number) not in self.given:
                yield claim

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
    pages += [paths.curriculum() / "glossary.md", root / "README.md"]
    pages += [
        *sorted((root / "site" / "pages").rglob("*.md")),
        *sorted((root / "graders").rglob("README.md")),
    ]
    for page in pages:
        yield Text(str(page.relative_to(root)), page.read_text(encoding="utf-8"))
    for path in sorted(paths.curriculum().glob("*/*.yaml")):
        for question in _questions(path):
            yield _of_question(f"{path.relative_to(root)} {question['id']}", question, path)
    for path in sorted(paths.curriculum().glob("*/ladders.yaml")):
        yield Text(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    for path in sorted(paths.curriculum().glob("*/figures/*.py")):
        yield Text(str(path.relative_to(root)), "\n".join(_labels(path)))
    for path in sorted(paths.curriculum().glob("*/module.yaml")):
        for task in _loaded(path)["tasks"]:
            hints = "\n".join(t for key in HINTED for t in _strings(task.get(key, "")))
            asked = " ".join(str(task.get(key, "")) for key in ("title", "goal", "story"))
            yield Text(f"{path.relative_to(root)} {task['id']}", hints, _numbers(asked))


def _labels(path: Path) -> Iterator[str]:
    """Yield the strings of a figure's script that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in alone:
            yield each.value


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
    return cast("list[dict[str, Any]]", _loaded(path)["questions"])


def _loaded(path: Path) -> Any:
    """Return a YAML file, in which `#` of a key begins no comment: keys are not rendered yet."""
    text = path.read_text(encoding="utf-8")
    return yaml.load(KEY.sub(lambda match: match[0].replace("#", NUMBER_SIGN), text), _LOADER)


def _of_question(name: str, question: dict[str, Any], path: Path) -> Text:
    asked = " ".join(str(question.get(key, "")) for key in GIVEN)
    answered = "\n".join(t for key in ANSWERED for t in _strings(question.get(key, "")))
    programs = [question["proof"]] if "proof" in question else question.get("proofs", [])
    return Text(
        name,
        answered,
        _numbers(asked),
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
        yield str(value).replace(NUMBER_SIGN, "#")


def _numbers(text: str) -> frozenset[str]:
    return frozenset(value(number) for number in re.findall(NUMBER, text))


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


def open_claims(text: Text) -> list[Claim]:
    """Return the claims that have neither a key nor a reason."""
    listed = exceptions().without_a_key.get(text.name, {}).values()
    known = {figure for figures in listed for figure in figures}
    known |= set(exceptions().typed.get(text.name, {}))
    source = original(text)
    typed = set() if source is None else {claim.figure for claim in source.claims()}
    return [
        claim for claim in text.claims() if claim.shown not in known and claim.figure not in typed
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
            for claim in open_claims(text):
                at = body.find(claim.shown)
                print(f"{text.name}: {claim.shown}: …{body[max(0, at - 70) : at + 50]}…")
    if "--open" not in arguments:
        print(f"{'keyed':>6} {'typed':>6} {'open':>6}")
        for file in sorted(keyed | typed):
            print(f"{keyed[file]:6} {typed[file]:6} {unexplained[file]:6}  {file}")
        total = sum(keyed.values()), sum(typed.values()), sum(unexplained.values())
        print(f"{total[0]:6} {total[1]:6} {total[2]:6}  of {total[0] + total[1]} claims")


if __name__ == "__main__":
    main(sys.argv[1:])
