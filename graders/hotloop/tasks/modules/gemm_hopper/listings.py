"""Hidden excerpts of SASS, and the asynchronous instructions in each.

nvdisasm printed the listings; their first lines say of what. An excerpt is a random range of lines
with comments inserted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from hotloop.judge.questions import GivenFile, Question, dict_mismatch
from hotloop.judge.seeds import Rng

LISTINGS = Path(__file__).parent / "listings"

COMMENTS = (
    "//## HGMMA.64x128x16.F32.BF16 stands here in a build for another tile",
    '        //## File "UTMALDG.cu", line 12 inlined at "UBLKCP.S.G", line 7',
    "        .type           _Z13UTMASTG_store9CUtensorMap,@function",
    "// LDTM.x4 R4, tmem[UR6] ; UTCHMMA gdesc[UR10] ; needs sm_100a",
)

_INSTRUCTION = re.compile(r"^/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]+)")
_SHAPE = re.compile(r"^[HQ]GMMA\.(\d+)x(\d+)x(\d+)")
_KINDS = {
    "bulk_loads": re.compile(r"^UBLKCP\.S\.G"),
    "bulk_stores": re.compile(r"^UBLKCP\.G\.S"),
    "tensor_loads": re.compile(r"^UTMALDG\b"),
    "tensor_stores": re.compile(r"^UTMASTG\b"),
    "products": re.compile(r"^(?:HGMMA|QGMMA|UTCHMMA)\b"),
    "barrier_tests": re.compile(r"^SYNCS\.PHASECHK\b"),
    "tensor_memory_loads": re.compile(r"^LDTM\b"),
}


def excerpts(rng: Rng) -> Iterator[Question]:
    """Yield each listing whole, and two excerpts that begin and end with a counted instruction."""
    for path in sorted(LISTINGS.glob("*.sass")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for part in range(3):
            yield _excerpt(rng, path.stem, lines if part == 0 else _range(rng, lines))


def _range(rng: Rng, lines: Sequence[str]) -> Sequence[str]:
    counted = [number for number, line in enumerate(lines) if any(counts([line]).values())]
    first, last = sorted(rng.choice(counted, 2, replace=False))
    return lines[first : last + 1]


def _excerpt(rng: Rng, name: str, lines: Sequence[str]) -> Question:
    commented = list(lines)
    for comment in COMMENTS:
        commented.insert(int(rng.integers(1, len(commented))), comment)
    file = GivenFile("listing.sass", ("\n".join(commented) + "\n").encode())
    mismatch = partial(dict_mismatch, "the count", want=counts(lines), absent=0)
    return Question(f"{len(lines)} lines of {name}", (file,), mismatch)


def counts(lines: Sequence[str]) -> dict[str, int]:
    """Return the instructions of each kind, and the FLOPs if each product runs once."""
    numbers = dict.fromkeys([*_KINDS, "flops"], 0)
    for line in lines:
        instruction = _INSTRUCTION.match(line.strip())
        if instruction is None:
            continue
        for kind, pattern in _KINDS.items():
            numbers[kind] += pattern.match(instruction[1]) is not None
        if shape := _SHAPE.match(instruction[1]):
            m, n, k = map(int, shape.groups())
            numbers["flops"] += 2 * m * n * k
    return numbers
