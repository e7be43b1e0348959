"""Numbers in the recorded output of a program, found by the words before them.

`{{ proof MODULE.PROGRAM WORD... }}` is the first number that follows the words in the one line of
the record that has them all, in this order; other text may stand between them. Options:

  ^WORD  as the first word: the line begins with it
  #2     behind the words: the second number that follows them; `#-1`: the one before the last word
  ~2     at the end: rounded to two digits

A unit that follows the number in the record comes with it. The record is that of one of the
module's `proofs/`, or of its `recordings/`.
"""

import math
import re
from functools import cache

from hotloop.core import paths

GRAMMAR = "{{ proof MODULE.PROGRAM WORD... }}"

UNITS = ("%", "x", "×", "ns", "us", "µs", "ms", "s", "kB", "MB", "GB", "KiB", "MiB", "GiB")
RATES = tuple(f"{prefix}{unit}/s" for prefix in "MGTP" for unit in ("B", "FLOP"))

_NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
    rf"(?:[ ]?(?:{'|'.join(map(re.escape, (*RATES, *UNITS)))})(?!\w))?"
)
_WRITTEN = {"x": "×", "us": " µs", "%": " %", "×": "×"}
_PLACE = re.compile(r"#(-?[1-9])")
_DIGITS = re.compile(r"~([1-4])")


def value(words: list[str], *, with_unit: bool = True) -> str:
    """Return the number under a key.

    Raises ValueError if the key names no number, or words that stand in several lines.
    """
    program, wanted = words[0] if words else "", words[1:]
    digits = _taken(wanted, _DIGITS)
    nth = _taken(wanted, _PLACE) or 1
    if not wanted:
        raise ValueError(f"a figure of a proof is {GRAMMAR}, and this one has no words")
    spans = [(line, span) for line in lines(program) if (span := _span(line, wanted))]
    if len(spans) != 1:
        raise ValueError(f"{len(spans)} lines of {program}'s record have {' '.join(wanted)!r}")
    [(line, (start, end))] = spans
    numbers = _NUMBER.findall(line[:start] if nth < 0 else line[end:])
    try:
        number = numbers[nth if nth < 0 else nth - 1]
    except IndexError:
        raise ValueError(f"{program}'s record has no such number in {line!r}") from None
    return _shown(number, digits, with_unit)


def _taken(words: list[str], form: re.Pattern[str]) -> int | None:
    """Take the last word off if it has this form, and return its number."""
    match = form.fullmatch(words[-1]) if words else None
    if match is None:
        return None
    words.pop()
    return int(match[1])


@cache
def lines(program: str) -> tuple[str, ...]:
    """Return the lines that a program printed. program: `module.program`.

    Raises ValueError if neither the module's proofs nor its recordings have a record of it.
    """
    module, _, name = program.partition(".")
    for folder in ("proofs", "recordings"):
        record = paths.curriculum() / module / folder / f"{name}.txt"
        if record.is_file():
            return tuple(record.read_text(encoding="utf-8").splitlines())
    raise ValueError(f"there is no recorded output of {program!r}")


def _span(line: str, words: list[str]) -> tuple[int, int] | None:
    """Return where the last word begins and ends; None if the line lacks one."""
    start = end = 0
    for word in words:
        before = r"^\s*" if word.startswith("^") else r"(?<!\w)"
        form = re.compile(rf"{before}{re.escape(word.removeprefix('^'))}(?!\w)")
        match = form.search(line, end)
        if match is None:
            return None
        start, end = match.span()
    return start, end


def _shown(number: str, digits: int | None, with_unit: bool) -> str:
    """Return the number as a text writes it."""
    match = re.fullmatch(r"([-−]?)([\d.,]*\d(?:e[+-]?\d+)?)(?: ?(\D+))?", number)
    if match is None:
        return number
    shown = match[2] if digits is None else _rounded(float(match[2].replace(",", "")), digits)
    unit = match[3] if with_unit else None
    return ("−" if match[1] else "") + shown + (_WRITTEN.get(unit, f" {unit}") if unit else "")


def _rounded(number: float, digits: int) -> str:
    places = digits - 1 - math.floor(math.log10(number)) if number else 0
    return f"{round(number, places):,.{max(places, 0)}f}"
