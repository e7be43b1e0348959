"""Bytes that three transposes move, and passes over the banks of shared memory."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
ELEMENTS = 128 * 128


def main() -> None:
    """Print bytes per element, and passes a read of shared memory."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.output == "right\n"
    assert not done.report.findings
    print(f"{'':8s} {'bytes per element':>17s} {'passes per read':>16s}")
    found: dict[str, tuple[float, float]] = {}
    for kernel in ("direct", "tile_32", "tile_33"):
        sites = [s for s in done.report.sites if s.kernel == kernel]
        moved = sum(s.moved for s in sites if s.space == "global") / ELEMENTS
        reads = [s for s in sites if s.space == "shared" and s.did == "read"]
        passes = max((s.moved / s.requests for s in reads), default=0.0)
        found[kernel] = moved, passes
        print(f"{kernel:8s} {moved:17.1f} {f'{passes:.1f}' if passes else '–':>16s}")
    assert found == {"direct": (36.0, 0.0), "tile_32": (8.0, 32.0), "tile_33": (8.0, 1.0)}


if __name__ == "__main__":
    main()
