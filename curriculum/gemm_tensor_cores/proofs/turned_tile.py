"""A transpose by ldmatrix without .trans passes a symmetric test and no other."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")


def main() -> None:
    """Print which of the two kernels is right for which matrix."""
    done = host.run(build.program([SOURCE], checked=True))
    assert not done.report.findings
    print(done.output, end="")
    assert done.output.splitlines() == [
        "symmetric, no trans: equal",
        "symmetric, trans: equal",
        "numbered, no trans: different",
        "numbered, trans: equal",
    ]


if __name__ == "__main__":
    main()
