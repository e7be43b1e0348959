"""Bytes that are requested and that move, with neighbors on neighbors and with chunks."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
ELEMENTS = 16 * 2048


def main() -> None:
    """Print bytes per element of each kernel."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.output == "equal\n"
    assert not done.report.findings
    print(f"{'bytes per element':18s} {'requested':>9s} {'moved':>7s}")
    moved: dict[str, float] = {}
    for kernel in ("neighbors", "chunks"):
        sites = [s for s in done.report.sites if s.kernel == kernel and s.space == "global"]
        asked = sum(s.bytes for s in sites) / ELEMENTS
        moved[kernel] = sum(s.moved for s in sites) / ELEMENTS
        print(f"{kernel:18s} {asked:9.1f} {moved[kernel]:7.1f}")
        assert asked == 12
    assert moved["neighbors"] == 12
    assert moved["chunks"] == 96


if __name__ == "__main__":
    main()
