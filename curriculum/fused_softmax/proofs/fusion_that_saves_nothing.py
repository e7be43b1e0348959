"""Bytes of two kernels and of one fused kernel whose row does not stay on the chip: the same."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
ELEMENTS = 4 * 16384


def main() -> None:
    """Print bytes an element for both ways."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.output == "same\n"
    assert not done.report.findings
    report = done.report
    moved = {
        kernel: (report.bytes("read", kernel) + report.bytes("write", kernel)) / ELEMENTS
        for kernel in ("sums", "divide", "fused")
    }
    apart = moved["sums"] + moved["divide"]
    print(f"two kernels: {apart:.2f} bytes an element")
    print(f"one kernel, row walked twice: {moved['fused']:.2f} bytes an element")
    assert abs(moved["fused"] - 12) < 0.05
    assert abs(apart - moved["fused"]) < 0.05


if __name__ == "__main__":
    main()
