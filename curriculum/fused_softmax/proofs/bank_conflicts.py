"""How many passes over the banks a warp's access to shared memory takes, by layout."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")


def main() -> None:
    """Print passes a request: 1 is free of conflicts, 32 is one lane at a time."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.status == 0
    assert not done.report.findings
    worst: dict[str, float] = {}
    for site in done.report.sites:
        if site.space == "shared" and site.did == "read":
            passes = site.moved / site.requests
            worst[site.kernel] = max(worst.get(site.kernel, 0.0), passes)
    for kernel in ("tile_32", "tile_33", "tree_growing_stride", "tree_shrinking_stride"):
        print(f"{kernel:22s} {worst[kernel]:5.1f} passes per read")
    assert worst["tile_32"] == 32.0
    assert worst["tile_33"] == worst["tree_shrinking_stride"] == 1.0
    assert worst["tree_growing_stride"] > 1.5


if __name__ == "__main__":
    main()
