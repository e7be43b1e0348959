"""Passes over the banks for each matrix of ldmatrix, in three layouts of a tile of 64 × 64."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
BYTES = {"in_order": 64 * 128, "padded": 64 * 144, "swizzled": 64 * 128}


def main() -> None:
    """Print passes and bytes of each kernel."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.output == "equal\n"
    assert not done.report.findings
    print(f"{'layout':10s} {'passes per matrix':>18s} {'bytes':>6s}")
    for kernel, bytes_ in BYTES.items():
        (site,) = [
            s
            for s in done.report.sites
            if s.kernel == kernel and s.space == "shared" and s.did == "read"
        ]
        passes = site.moved / site.fewest
        print(f"{kernel:10s} {passes:18.1f} {bytes_:6d}")
        assert passes == (8 if kernel == "in_order" else 1)


if __name__ == "__main__":
    main()
