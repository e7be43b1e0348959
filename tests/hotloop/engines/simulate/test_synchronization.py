"""Random kernels whose happens-before order is known: right ones are clean, racy ones are reported.

The report of a racy kernel names its last access and one that it races with, and nothing else.
"""

from pathlib import Path

import pytest
from tests.hotloop.engines.simulate.synchronization import program

from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.report import Finding

HERE = Path(__file__).parent
PAIRS = 15


@pytest.mark.slow
@pytest.mark.parametrize("asynchronous", [False, True], ids=["", "mbarriers"])
@pytest.mark.parametrize("first", range(0, 4 * PAIRS, PAIRS))
def test_races_are_those_that_vector_clocks_know(
    first: int, asynchronous: bool, tmp_path: Path
) -> None:
    text, kernels = program(range(first, first + PAIRS), asynchronous=asynchronous)
    source = tmp_path / "random.cu"
    source.write_text(text, encoding="utf-8")
    findings = check([source], include=[HERE]).report.findings
    assert {f.kind for f in findings} == {"race"}
    for kernel in kernels:
        reported = [lines_of(f) for f in findings if f.kernel == kernel.name]
        if not kernel.races:
            assert not reported, f"a right kernel is reported: {kernel.name} in {source}"
            continue
        last = kernel.accesses[-1].line
        assert reported, f"a race with line {last} is not reported: {kernel.name} in {source}"
        for lines in reported:
            assert last in lines, f"{kernel.name} in {source}"
            assert lines - {last} <= kernel.races, f"{kernel.name} in {source}"


def lines_of(finding: Finding) -> set[int]:
    """Return the lines that a finding names."""
    return {witness.line.line for witness in finding.witnesses if witness.line is not None}
