"""Whole CUDA programs: right ones are clean, broken ones are reported, with their lines.

The first line of a broken program says what must be found, and nothing else may be: `// expect:
race 9,11; order -`, `-` if no line is known, and `within 1 s` if it would never end.
"""

import re
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.orders import ORDERS, TIMEOUT_S

KERNELS = Path(__file__).parent / "kernels"
RIGHT = sorted((KERNELS / "right").iterdir())
BROKEN = sorted((KERNELS / "broken").glob("*.cu"))
PLAIN = [
    "softmax_warp_float4",
    "last_block_all_write",
    "launch_forms",
    "symbols",
    "two_files",
    "grid_sync",
]

EXPECT = re.compile(r"// expect: (.+?)(?: within (\d+) s)?")
KINDS = {
    "assert",
    "bad_mask",
    "crash",
    "divergent_barrier",
    "divergent_warp",
    "division_by_zero",
    "failed_call",
    "hang",
    "host_access",
    "managed_access",
    "misaligned",
    "order",
    "out_of_bounds",
    "out_of_memory",
    "race",
    "stack_overflow",
    "timeout",
    "too_much_shared",
    "trap",
    "unchecked_error",
    "uninitialized_global",
    "uninitialized_shared",
    "unsupported",
}

Found = set[tuple[str, frozenset[str]]]


def parts(program: Path) -> tuple[list[Path], list[Path]]:
    """Return a program's sources and the folders of its headers."""
    if program.is_dir():
        return sorted(program.glob("*.cu"), reverse=True), [program / "include"]
    return [program], []


def expected(program: Path) -> tuple[Found, int]:
    """Return the required findings of a program, and the seconds that it may run."""
    first = program.read_text(encoding="utf-8").splitlines()[0]
    said = EXPECT.fullmatch(first)
    assert said, first
    found: Found = set()
    for one in said[1].split("; "):
        kind, lines = one.split(" ")
        places = [] if lines == "-" else lines.split(",")
        found.add((kind, frozenset(f"{program.name}:{line}" for line in places)))
    return found, int(said[2] or TIMEOUT_S)


def test_there_are_enough_programs_and_every_kind_is_among_them() -> None:
    assert len(RIGHT) >= 22
    assert len(BROKEN) >= 22
    assert {kind for program in BROKEN for kind, _ in expected(program)[0]} == KINDS


@pytest.mark.slow
@pytest.mark.parametrize("program", RIGHT, ids=lambda p: p.stem)
def test_right_program_is_clean(program: Path) -> None:
    sources, include = parts(program)
    checked = check(sources, include=include)
    assert checked.report.findings == []
    assert [r.order for r in checked.runs] == list(ORDERS)
    assert all("PASS" in r.output for r in checked.runs)
    assert checked.clean


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_right_program_runs_plain(name: str) -> None:
    program = next(p for p in RIGHT if p.stem == name)
    sources, include = parts(program)
    for order in ORDERS:
        done = host.run(build.program(sources, checked=False, include=include), order=order)
        assert (done.status, "PASS" in done.output, done.report.findings) == (0, True, [])


@pytest.mark.slow
@pytest.mark.parametrize("program", BROKEN, ids=lambda p: p.stem)
def test_broken_program_is_reported(program: Path) -> None:
    wanted, seconds = expected(program)
    checked = check([program], timeout_s=seconds)
    found = {(f.kind, frozenset(map(str, f.lines))) for f in checked.report.findings}
    assert found == wanted
    assert not checked.clean
