"""Asynchronous operations with any arguments: a finding with a line, or nothing."""

from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host

PROGRAM = Path(__file__).with_name("async_arguments.cu")
SEEDS = 300


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_argument_is_checked_before_it_is_used() -> None:
    built = build.program([PROGRAM], checked=True)
    kinds: set[str] = set()
    for seed in range(SEEDS):
        done = host.run(built, [str(seed)], timeout_s=30)
        kinds |= {finding.kind for finding in done.report.findings}
        assert "CHANGED" not in done.output, seed
        for finding in done.report.findings:
            assert finding.lines, (seed, finding)
            assert finding.kind != "crash", (seed, finding)
    assert kinds >= {"out_of_bounds", "bad_argument", "mbarrier"}
