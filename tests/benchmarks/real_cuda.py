"""How much of CUDA that others wrote does the simulator run? Tries every folder with .cu files.

    git clone https://github.com/NVIDIA/cuda-samples
    python tests/benchmarks/real_cuda.py cuda-samples/Samples -I cuda-samples/Common

A folder is one program, with all of its .cu and .cpp files. Printed is what came of each, and how
many were built, ended with status 0 (such programs verify themselves), were clean under `check`, or
ran out of time; of those that were not built, the compiler's first error, most frequent first.
Nothing is kept: the programs are their authors'.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hotloop.simulate import build, host
from hotloop.simulate.problem import Problem

TIMEOUT_S = 20


@dataclass
class Row:
    """One program. came: "not built", "timed out", "failed", "right" or "right and clean"."""

    program: str
    came: str
    said: str = ""
    findings: tuple[str, ...] = ()
    seconds: float = 0.0


def main() -> None:
    """Try, print, count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-I", dest="include", action="append", type=Path, default=[])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    rows: list[Row] = []
    for row in tried(folder, arguments.include):
        rows.append(row)
        print(f"{row.program}: {row.came} ({row.seconds:.1f} s) {row.said}", file=sys.stderr)
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        print(summary(rows))


def tried(folder: Path, include: Sequence[Path]) -> Iterator[Row]:
    """A row for each folder that holds CUDA sources."""
    for place in sorted({path.parent for path in folder.rglob("*.cu")}):
        started = time.monotonic()
        row = outcome(place, [*include, place, *place.parent.glob("inc")])
        row.program = str(place.relative_to(folder))
        row.seconds = time.monotonic() - started
        yield row


def outcome(place: Path, include: Sequence[Path]) -> Row:
    """Build it, run it, and check it if it ran."""
    sources = [*sorted(place.glob("*.cu")), *sorted(place.glob("*.cpp"))]
    try:
        plain = build.program(sources, checked=False, include=include)
        done = host.run(plain, timeout_s=TIMEOUT_S, cwd=place)
        if done.report.ended == "timed out":
            return Row("", "timed out")
        if done.status:
            said = (done.output + done.errors).strip().splitlines()
            return Row("", "failed", said[-1][:100] if said else f"status {done.status}")
        watched = build.program(sources, checked=True, include=include)
        checked = host.run(watched, timeout_s=3 * TIMEOUT_S, cwd=place)
    except Problem as problem:
        return Row("", "not built", first_error(str(problem)))
    found = tuple(f"{f.kind} {', '.join(map(str, f.lines))}" for f in checked.report.findings)
    if checked.report.ended == "timed out":
        return Row("", "right", "the check ran out of time", found)
    return Row("", "right" if found else "right and clean", "; ".join(found)[:200], found)


def first_error(text: str) -> str:
    """The compiler's first error, without its place."""
    errors = re.findall(r"error: (.*)", text)
    return (errors[0] if errors else text.splitlines()[0])[:100]


def summary(rows: Sequence[Row]) -> str:
    """Counts, and why programs were not built."""
    came = Counter(row.came for row in rows)
    refused = Counter(row.said for row in rows if row.came == "not built")
    built = len(rows) - came["not built"]
    right = came["right"] + came["right and clean"]
    head = f"{len(rows)} programs: {built} built, {right} right, {came['right and clean']} clean"
    head += f", {came['failed']} failed, {came['timed out']} out of time"
    reasons = [f"{count:4} × {text}" for text, count in refused.most_common()]
    return "\n".join([head, *reasons])


if __name__ == "__main__":
    main()
