"""Numbers in the recorded output of a proof program, found by the words before them.

`{{ proof MODULE.PROGRAM WORD... }}` is the first number that follows the words in the one line of
the record that has them all, in this order; other text may stand between them. A last word `#2` is
the second number after them, and `#-1` the last one before them. A unit that follows the number in
the record comes with it.
"""

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


def value(words: list[str], *, with_unit: bool = True) -> str:
    """Return the number under a key.

    Raises ValueError if the key names no number, or words that stand in several lines.
    """
    if len(words) < 2 or (len(words) == 2 and _PLACE.fullmatch(words[1])):
        raise ValueError(f"a figure of a proof is {GRAMMAR}, and this one has no words")
    program, *wanted = words
    place = _PLACE.fullmatch(wanted[-1])
    nth = int(place[1]) if place else 1
    if place:
        wanted = wanted[:-1]
    spans = [(line, span) for line in lines(program) if (span := _span(line, wanted))]
    if len(spans) != 1:
        raise ValueError(f"{len(spans)} lines of {program}'s record have {' '.join(wanted)!r}")
    [(line, (start, end))] = spans
    numbers = _NUMBER.findall(line[:start] if nth < 0 else line[end:])
    try:
        return _shown(numbers[nth if nth < 0 else nth - 1], with_unit)
    except IndexError:
        raise ValueError(f"{program}'s record has no such number in {line!r}") from None


@cache
def lines(program: str) -> tuple[str, ...]:
    """Return the lines that a proof printed. program: `module.program`."""
    module, _, name = program.partition(".")
    record = paths.curriculum() / module / "proofs" / f"{name}.txt"
    if not record.is_file():
        raise ValueError(f"there is no recorded output of a proof {program!r}")
    return tuple(record.read_text(encoding="utf-8").splitlines())


def _span(line: str, words: list[str]) -> tuple[int, int] | None:
    """Return where the first word begins and the last one ends; None if the line lacks one."""
    start, end = -1, 0
    for word in words:
        match = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(line, end)
        if match is None:
            return None
        start = match.start() if start < 0 else start
        end = match.end()
    return start, end


def _shown(number: str, with_unit: bool) -> str:
    """Return the number as a text writes it."""
    match = re.fullmatch(r"([-−]?)([\d.,]*\d(?:e[+-]?\d+)?)(?: ?(\D+))?", number)
    if match is None:
        return number
    unit = match[3] if with_unit else None
    return ("−" if match[1] else "") + match[2] + (_WRITTEN.get(unit, f" {unit}") if unit else "")
