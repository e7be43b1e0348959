"""Samples of NVIDIA's compute-sanitizer, each with the faults that it was written for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import real_cuda
from case import Case, NotRun, checked, told

Fault = tuple[str, frozenset[str], str]
"""What a program does wrong, the kinds of findings that say so, and text of the line, if told."""

UNINITIALIZED = ("a read of what nobody wrote", frozenset({"uninitialized_global"}), "")
LEAK = ("a leak", frozenset({"leak"}), "")

FAULTS: dict[str, tuple[Fault, ...]] = {
    "Initcheck": (UNINITIALIZED,),
    "Memcheck": (
        ("a misaligned write", frozenset({"misaligned", "out_of_bounds"}), "(char*)&x + 1"),
        ("a write out of bounds", frozenset({"out_of_bounds"}), "0x87654320"),
        LEAK,
    ),
    "Racecheck": (("a race", frozenset({"race"}), ""),),
    "Suppressions": (("a call that fails", frozenset({"failed_call"}), ""), UNINITIALIZED),
    "Synccheck": (
        ("a barrier that not all threads reach", frozenset({"divergent_barrier"}), ""),
        ("a mask that leaves its lane out", frozenset({"bad_mask", "divergent_warp"}), ""),
    ),
    "NvtxMemoryPool": (("memory of a pool", frozenset({"out_of_bounds"}), ""),),
    "NvtxNaming": (LEAK,),
    "NvtxPermissions": (("a forbidden access", frozenset({"out_of_bounds"}), ""),),
}
"""By folder."""

OF_PROGRAM = {
    "suppressions_demo": 0,
    "suppressions_initcheck_demo": 1,
    "divergent_threads": 0,
    "illegal_syncwarp": 1,
}
"""Where the programs of a folder differ: which of its faults is this one's."""


def cases(root: Path) -> Iterator[Case]:
    """Yield the cases of a clone of NVIDIA/compute-sanitizer-samples, one for each fault."""
    for path in sorted(root.glob("*/*.cu")):
        if not real_cuda.has_main(path):
            continue
        faults = FAULTS[path.parent.name]
        if path.stem in OF_PROGRAM:
            faults = faults[OF_PROGRAM[path.stem] :][:1]
        for what, kinds, at in faults:
            name = f"{path.relative_to(root)}: {what}"
            yield Case(name, faulty=True, run=lambda p=path, a=at: run(p, a), only=kinds)


def run(path: Path, at: str) -> Sequence[str]:
    """Check the program; return findings at a line with the text `at`."""
    if "nvtx3/nvToolsExtMem" in "".join(map(real_cuda.text_of, path.parent.glob("*.[ch]*"))):
        raise NotRun("another library: NVTX's memory extension")
    found = told(checked([path], include=[path.parent], seconds=20).report.findings)
    lines = real_cuda.text_of(path).splitlines()
    places = [f"{path.name}:{n}" for n, line in enumerate(lines, 1) if at in line]
    return [one for one in found if not at or any(place in one.split() for place in places)]
