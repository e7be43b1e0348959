"""Random kernels whose happens-before order is known: right ones are clean, racy ones are reported.

The report of a racy kernel names its last access and one that it races with, and nothing else.
"""

from pathlib import Path

import pytest
from tests.hotloop.engines.simulate.synchronization import outcome, program

from hotloop.engines.simulate.check import check

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
    assert {finding.kind for finding in findings} == {"race"}
    wanted = {one.name: "found" if one.races else "clean" for one in kernels}
    assert {one.name: outcome(one, findings) for one in kernels} == wanted
