"""Hidden excerpts of PTX, and the instructions in each.

nvcc and Triton generated the listings; their first lines say how. An excerpt is a random range of
lines with comments inserted.
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
    "// begin inline asm: mma.sync.aligned.m16n8k16 stands here in a debug build",
    "// wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 would need sm_90a",
    "\t// cp.async.cg.shared.global was ld.global before",
    "// ldmatrix.sync.aligned.m8n8.x4.shared.b16: see above",
)

_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\.")
_KINDS = {
    "mma": re.compile(r"^mma\.sync\."),
    "wgmma": re.compile(r"^wgmma\.mma_async\."),
    "ldmatrix": re.compile(r"^ldmatrix\."),
    "cp_async": re.compile(r"^cp\.async\.c[ag]\."),
}


def excerpts(rng: Rng) -> Iterator[Question]:
    """Yield each listing whole, and two excerpts that begin and end with a counted instruction."""
    for path in sorted(LISTINGS.glob("*.ptx")):
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
    text = "\n".join(commented) + "\n"
    file = GivenFile("listing.ptx", text.encode())
    mismatch = partial(dict_mismatch, "the count", want=counts(lines), absent=0)
    return Question(f"{len(lines)} lines of {name}", (file,), mismatch)


def counts(lines: Sequence[str]) -> dict[str, int]:
    """Return the instructions of each kind, and the FLOPs if each product runs once."""
    numbers = dict.fromkeys([*_KINDS, "flops"], 0)
    for line in lines:
        code = re.sub(r"^@!?%p\d+\s+", "", line.partition("//")[0].strip())
        for kind, pattern in _KINDS.items():
            if not pattern.match(code):
                continue
            numbers[kind] += 1
            shape = _SHAPE.search(code)
            if kind in ("mma", "wgmma") and shape is not None:
                m, n, k = map(int, shape.groups())
                numbers["flops"] += 2 * m * n * k
    return numbers
