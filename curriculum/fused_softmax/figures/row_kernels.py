"""Draws what each line of proofs/row_kernels.cu asks of global memory, and what moves for it.

cd curriculum/fused_softmax/figures && python row_kernels.py > row_kernels.svg
"""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host, table

SOURCE = Path(__file__).parents[1] / "proofs" / "row_kernels.cu"


def main() -> None:
    """Print the picture."""
    done = host.run(build.program([SOURCE], checked=True))
    assert not done.report.findings
    print(table.picture(done.report.sites))


if __name__ == "__main__":
    main()
