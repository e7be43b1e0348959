"""Programs with mbarriers, bulk copies and wgmma: right ones are clean, their faults are named.

hopper/common.h says how a program marks its faults.
"""

import re
from pathlib import Path

import pytest

from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.orders import ORDERS

PROGRAMS = sorted((Path(__file__).parent / "hopper").glob("*.cu"))
MARKS = re.compile(r"// ((?:\d+: \w+ ?)+)$")
RANDOM = [f"random:{seed}" for seed in range(18)]


def marks(program: Path) -> dict[int, set[tuple[str, int]]]:
    """Return for each fault of a program the kinds and lines of which one must be named."""
    found: dict[int, set[tuple[str, int]]] = {}
    for number, line in enumerate(program.read_text(encoding="utf-8").splitlines(), 1):
        if match := MARKS.search(line):
            for fault, kind in re.findall(r"(\d+): (\w+)", match[1]):
                found.setdefault(int(fault), set()).add((kind, number))
    return found


FAULTS = [(program, fault) for program in PROGRAMS for fault in sorted(marks(program))]


def test_faults_are_numbered_from_one_and_are_at_least_forty() -> None:
    assert len(PROGRAMS) >= 10
    assert len(FAULTS) >= 40
    for program in PROGRAMS:
        used = re.findall(r"FAULT [!=]= (\d+)|OR\((\d+)", program.read_text(encoding="utf-8"))
        numbers = {int(a or b) for a, b in used}
        assert numbers == set(marks(program)) == set(range(1, len(numbers) + 1)), program.name


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_right_program_is_clean_in_twenty_orders(program: Path) -> None:
    checked = check([program], orders=["forward", "reverse", *RANDOM])
    assert checked.report.findings == []
    assert {run.output for run in checked.runs} == {"PASS\n"}
    assert checked.clean


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "fault"), FAULTS, ids=[f"{program.stem}-{fault}" for program, fault in FAULTS]
)
def test_fault_is_named_with_its_line(program: Path, fault: int) -> None:
    checked = check([program], orders=ORDERS[:3], defines=[f"FAULT={fault}"])
    named = {
        (finding.kind, witness.line.line)
        for finding in checked.report.findings
        for witness in finding.witnesses
        if witness.line is not None
    }
    assert named & marks(program)[fault], checked.report.findings
    assert not checked.clean
